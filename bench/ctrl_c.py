"""How long a command takes to end after Ctrl-C: choose, stability and reproduce, with one worker and two."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ISSUE = 19

LIMIT = 2.0
"""Seconds."""

COMMANDS = {
    "choose": "choose {data} --k 2:30 --runs 50 --method gmm --checkpoint {kept}",
    "stability": "stability {data} --k 2:30 --repeats 200 --checkpoint {kept}",
    "reproduce": "reproduce franti2017 --out {kept}",
}
"""Each would go on for minutes."""


def seconds_to_end(line: str, kept: Path, *, to_group: bool) -> tuple[float, int, str, int]:
    """From Ctrl-C to the end, with the exit code, what was said, and how many pieces of work are kept."""
    command = [sys.executable, "-m", "partita", *line.split(), "--quiet"]
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # nohup and & ignore it, and so would the command
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while len(list(kept.rglob("*.json"))) < 5:
            if process.poll() is not None:
                raise RuntimeError(process.stderr.read() if process.stderr else "")
            time.sleep(0.05)
        time.sleep(0.5)
        start = time.perf_counter()
        (os.killpg if to_group else os.kill)(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        return time.perf_counter() - start, process.returncode, said, len(list(kept.rglob("*.json")))


def run(report: Callable[..., None], best: Callable[..., float]) -> None:  # noqa: ARG001 (as all have it)
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data.csv"
        X = np.random.default_rng(0).normal(size=(5000, 4))
        np.savetxt(data, X, delimiter=",", header="a,b,c,d", comments="")
        for name, line in COMMANDS.items():
            for jobs in (1, 2):
                for to_group in (True, False):  # as a terminal does it, or as kill does
                    kept = Path(place) / f"{name}{jobs}{to_group}"
                    typed = f"{line.format(data=data, kept=kept)} --jobs {jobs}"
                    took, code, said, count = seconds_to_end(typed, kept, to_group=to_group)
                    assert (code, said.split()) == (130, ["stopped"]), (code, said)
                    whom = "all its processes" if to_group else "it alone"
                    what = f"Ctrl-C of {name}, {jobs} workers, to {whom}: seconds ({count} pieces kept)"
                    report(what, took, LIMIT, at_most=True)
