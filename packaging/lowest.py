"""The lowest versions that pyproject.toml allows, as constraints for pip: ``make test-lowest``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOWEST = re.compile(r"(?P<name>[A-Za-z0-9_-]+)(\[[^\]]*\])?>=(?P<version>[0-9.]+)$")


def lowest(requirements: list[str]) -> dict[str, str]:
    """The lowest version of each requirement by name; one without a lower bound is refused."""
    found = {}
    for requirement in requirements:
        parts = LOWEST.match(requirement)
        if parts is None:
            raise ValueError(f"{requirement!r} does not say which version is the lowest.")
        found[parts["name"]] = parts["version"]
    return found


def supported() -> dict[str, str]:
    """The lowest versions of what partita needs, and of what it reads files and chunks with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    read_with = [one for name in ("parquet", "excel", "dask") for one in extras[name]]
    return lowest([*project["dependencies"], *read_with])


if __name__ == "__main__":
    sys.stdout.writelines(f"{name}=={version}\n" for name, version in supported().items())
