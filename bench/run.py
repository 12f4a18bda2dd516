"""What partita's speed is worth: ratios to peers and to the hardware's limit, each measured in this one run.

``make bench`` runs every file of this folder that has a function ``run(report, best)``, each in a process of
its own, prints what they find, and writes RESULTS.md and results.svg. ``make bench ONLY="tables growth"``
runs some and writes nothing. Times are the best of several; a target that is missed is marked.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import Report, best

FOLDER = Path(__file__).parent
LONGEST = 300
"""Seconds after which a file is stopped, so that the whole has an end."""


def parts() -> list[str]:
    """The bench files, found by their function ``run``."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if "\ndef run(report" in path.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", metavar="file", help=f"of {', '.join(parts())}")
    parser.add_argument("--one", metavar="file", help=argparse.SUPPRESS)
    parser.add_argument("--to", type=Path, default=FOLDER, help="the folder of RESULTS.md and results.svg")
    asked = parser.parse_args()
    if asked.one:
        run_here(asked.one, asked.to)
        return 0
    if unknown := set(asked.only) - set(parts()):
        parser.error(f"no such bench file: {', '.join(sorted(unknown))}; there are {', '.join(parts())}")
    load, start = os.getloadavg()[0], time.perf_counter()
    found = {name: run_apart(name) for name in asked.only or parts()}
    seconds = time.perf_counter() - start
    from results import summary, write

    print(summary(found, seconds))
    if asked.only:
        print("nothing is written: this was a part")
    else:
        write(asked.to, found, seconds, load)
        print(f"written: {asked.to / 'RESULTS.md'}, {asked.to / 'results.svg'}")
    return 0


def run_apart(name: str) -> dict[str, Any]:
    """What a bench file finds, in a process of its own; if it fails, that is what was found."""
    print(f"--- {name}", flush=True)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as made:
        found = Path(made) / "found.json"
        process = subprocess.Popen([sys.executable, __file__, "--one", name, "--to", str(found)])
        try:
            code = process.wait(LONGEST)
            failure = "" if code == 0 else f"ended with {code}"
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            failure = f"stopped after {LONGEST} s"
        result = json.loads(found.read_text()) if found.exists() else {"records": [], "notes": []}
    failure = result.get("failure") or failure
    if failure:
        print(f"FAILED {name}: {failure}", flush=True)
    return {**result, "failure": failure, "seconds": time.perf_counter() - start}


def run_here(name: str, to: Path) -> None:
    """Run a file in this process, and leave its records even where it fails half way."""
    report, failure = Report(), ""
    try:
        module = importlib.import_module(name)
        report.issue = getattr(module, "ISSUE", None)
        module.run(report, best)
    except ModuleNotFoundError as missing:
        failure = f"not measured: {missing.name} is not installed"
    except Exception as error:  # noqa: BLE001 (the other files go on)
        import traceback

        traceback.print_exc()
        failure = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    to.write_text(json.dumps({**report.to_dict(), "failure": failure}))


if __name__ == "__main__":
    sys.exit(main())
