"""The first answer on Iris, in a fresh installation: CPU seconds of a command whose cache is empty.

An installation by pip has bytecode of all modules; so has this one, in a folder of its own.
"""

from __future__ import annotations

import functools
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

ISSUE = 13
COMMANDS = {
    "choose": (["choose", "iris.csv", "--truth", "label"], 6.0),
    "validate": (["validate", "iris.csv", "--labels", "label"], 2.0),
    "stability": (["stability", "iris.csv", "--leave-out", "label"], 6.0),
    "distribution, fuzzy": (["distribution", "truth.csv", "fuzzy.csv"], 4.0),
    "distribution, rough": (["distribution", "truth.csv", "rough.csv", "--found-kind", "rough"], 4.0),
}


BYTECODE = Path(tempfile.gettempdir()) / "partita_bench_bytecode"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
    "PYTHONPYCACHEPREFIX": str(BYTECODE)
}


def write_files(folder: Path) -> None:
    """Iris, its species, and memberships by the distance to the species' means, cut for the rough ones."""
    X, label = load_iris(return_X_y=True)
    pd.DataFrame(X, columns=list("abcd")).assign(label=label).to_csv(folder / "iris.csv", index=False)
    pd.DataFrame({"label": label}).to_csv(folder / "truth.csv", index=False)
    means = np.stack([X[label == j].mean(axis=0) for j in range(3)])
    near = 1.0 / ((X[:, None, :] - means) ** 2).sum(axis=2)
    memberships = near / near.sum(axis=1, keepdims=True)
    pd.DataFrame(memberships).to_csv(folder / "fuzzy.csv", index=False)
    pd.DataFrame((memberships > 0.2).astype(int)).to_csv(folder / "rough.csv", index=False)


@functools.cache
def _install(folder: Path) -> None:
    """Run every command once with its cache in a throw-away folder, which leaves the bytecode."""
    with tempfile.TemporaryDirectory() as cache:
        for command, _ in COMMANDS.values():
            subprocess.run(
                [sys.executable, "-m", "partita", *command],
                cwd=folder,
                env={**ENVIRONMENT, "NUMBA_CACHE_DIR": cache},
                stdout=subprocess.DEVNULL,
                check=True,
            )


def cpu_seconds(command: list[str], folder: Path) -> float:
    """User and system time of a command that finds nothing compiled."""
    _install(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run(
            [sys.executable, "-m", "partita", *command],
            cwd=folder,
            env={**ENVIRONMENT, "NUMBA_CACHE_DIR": cache},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(report: Callable[..., None], best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made))
        for name, (command, target) in COMMANDS.items():
            seconds = min(cpu_seconds(command, Path(made)) for _ in range(2))
            report(
                f"first answer, {name}: CPU seconds to {target:g}",
                seconds / target,
                1.0,
                at_most=True,
                clock="CPU",
            )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made))
        for name, (command, target) in COMMANDS.items():
            print(f"{name:22} {cpu_seconds(command, Path(made)):6.2f} CPU s, target {target:g}", flush=True)
