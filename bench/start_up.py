"""What a user waits for before anything is computed: imports, the first comparison, the help text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from measuring import Report

ISSUE = 2


def run(report: Report, best: Callable[..., float]) -> None:
    def seconds(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), 9)

    numpy_alone = seconds("import numpy")
    report.note(f"python -c 'import numpy': {numpy_alone * 1e3:.0f} ms")
    report("import partita vs import numpy", seconds("import partita") / numpy_alone, 1.3, at_most=True)
    first = "import partita; partita.compare([0, 0, 1, 1], [0, 1, 1, 1])"
    report(
        "a first compare of two short lists vs import numpy", seconds(first) / numpy_alone, 8, at_most=True
    )
    help_text = "import sys; sys.argv = ['partita', '--help']; from partita.cli import main; main()"
    report("partita --help vs import numpy", seconds(help_text) / numpy_alone, 3, at_most=True)
