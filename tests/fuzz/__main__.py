"""``make fuzz SECONDS=600``: all areas in turns, each in a process of its own, until the time is over.

A process that dies or never answers is a finding too, of the document it had in hand. Findings are written to
``cases``; the ordinary suite runs them until they are mended, and goes on to run them afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
TESTS = Path(__file__).parents[1]
AREAS = ("as_partition", "files", "commands", "estimators", "procedures")
GRACE = 300
"""Seconds that a process may take beyond its time, for the last example and its shrinking."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None, help="by default a new one")
    parser.add_argument("--only", nargs="*", choices=AREAS, default=AREAS)
    asked = parser.parse_args()
    seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
    say(f"seed {seed}: {asked.seconds:g} s over {', '.join(asked.only)}")
    known: set[str] = set()
    end, turn, left = time.monotonic() + asked.seconds, 0, len(asked.only)
    while (remaining := end - time.monotonic()) > 0:
        area = asked.only[turn % len(asked.only)]
        seconds = max(2.0, min(40.0, remaining / left))
        for finding in look(area, seed + 1000 * turn, seconds, known):
            known.add(finding["signature"])
            say(f"FOUND {area}: {finding['signature']}\n      kept as {keep(finding).name}")
        turn += 1
        left = max(1, left - 1)
    say(f"{len(known)} faults found" if known else "nothing found")
    return 1 if known else 0


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def look(area: str, seed: int, seconds: float, known: set[str]) -> list[dict[str, Any]]:
    """Findings of one process."""
    with tempfile.TemporaryDirectory() as made:
        current, found = Path(made) / "current.json", Path(made) / "found.jsonl"
        arguments = [area, str(seed), str(seconds), str(current), str(found), *known]
        environment = {
            **os.environ,
            "PYTHONPATH": str(TESTS),
            "HYPOTHESIS_STORAGE_DIRECTORY": made,
            "MPLBACKEND": "agg",
            **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        }
        try:
            done = subprocess.run(
                [sys.executable, "-m", "fuzz.worker", *arguments],
                cwd=made, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=seconds + GRACE,
            )  # fmt: skip
            ending = "" if done.returncode == 0 else f"the process ended with {done.returncode}"
            told = done.stderr
        except subprocess.TimeoutExpired as late:
            ending, told = "the process never ended", str(late.stderr)
        findings = [json.loads(line) for line in found.read_text().splitlines()] if found.exists() else []
        if ending and not current.exists():
            raise RuntimeError(f"{ending} before it began:\n{told}")
        if ending:
            findings.append({
                "area": area,
                "signature": f"{ending} in {_last_place(told)}",
                "error": told[-600:],
                "document": json.loads(current.read_text()),
            })  # fmt: skip
        elif told.strip():
            sys.stderr.write(told)
        if not ending:
            counts = json.loads(done.stdout.splitlines()[-1])
            again = f", {counts['known']} of known faults" if counts["known"] else ""
            say(f"      {area}: {counts['examples']} examples in {seconds:.0f} s{again}")
        return findings


def _last_place(told: str) -> str:
    """The first line of partita in a dumped traceback, which begins with the innermost."""
    places = re.findall(r'File ".*?/partita/(\S+?)", line \d+ in (\S+)', told)
    return ":".join(places[0]) if places else "an unknown place"


def keep(finding: dict[str, Any]) -> Path:
    """Write a case; the same fault has the same name."""
    digest = hashlib.sha256(finding["signature"].encode()).hexdigest()[:8]
    CASES.mkdir(exist_ok=True)
    path = CASES / f"{finding['area']}_{digest}.json"
    path.write_text(json.dumps(finding, indent=1) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
