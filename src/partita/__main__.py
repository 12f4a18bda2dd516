"""``python -m partita``."""

from partita.cli import main

main()
