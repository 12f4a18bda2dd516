"""The most memory that headline work takes beyond its input, each in a process of its own.

Everything is imported and compiled by a smaller run first. Then the input is made, the system's peak is set
back (Linux: /proc/self/clear_refs), and what it says after the work is taken beside what was held before it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import partita as pt
from measuring import Memory, Report

ISSUE = 19
WARM = 200_000
"""Objects of the first run, enough for every loop to be compiled or loaded."""

SOFT = "U, V = (rng.dirichlet(np.ones(k), n) for k in (10, 12))"
LABELS = "a, b = rng.integers(0, 10, n), rng.integers(0, 12, n)"
DATA = "X, labels = rng.normal(size=(n, 10)), rng.integers(0, 20, n)"
SAMPLED = "pt.validate(X, labels, indices=[pt.indices.silhouette.using(sample_size=2000)])"
FEW_STEPS = "(10, max_iter=3, random_state=0).fit(X)"
FEW_SWAPS = "(10, max_swaps=3, max_iter=3, random_state=0).fit(X)"
WORKS = {
    "compare, 10^7 labels": (10**7, LABELS, "pt.compare(a, b)", "a b"),
    "compare with 200 bootstraps, 10^6 labels": (10**6, LABELS, "pt.compare(a, b, bootstrap=200)", "a b"),
    "compare, memberships 10^6 x (10, 12)": (10**6, SOFT, "pt.compare(U, V, bounds=False)", "U V"),
    "fuzzy expected Rand, 10^6 x 10": (10**6, SOFT, "pt.distribution(U, V, law=False)", "U V"),
    "validate, 10^6 x 10, k = 20": (10**6, DATA, "pt.validate(X, labels)", "X labels"),
    "silhouette, 20,000 x 10": (20_000, DATA, "pt.indices.silhouette(X, labels)", "X labels"),
    "dunn, 20,000 x 10": (20_000, DATA, "pt.indices.dunn(X, labels)", "X labels"),
    "sampled silhouette, 10^6 x 10": (10**6, DATA, SAMPLED, "X labels"),
    "fuzzy c-means, 10^6 x 10, k = 10": (10**6, DATA, f"pt.cluster.FuzzyCMeans{FEW_STEPS}", "X"),
    "random swap, 10^6 x 10, k = 10": (10**6, DATA, f"pt.cluster.RandomSwap{FEW_SWAPS}", "X"),
    "Gaussian mixture, 10^6 x 10, k = 10": (10**6, DATA, f"pt.cluster.GaussianMixtureEM{FEW_STEPS}", "X"),
}
"""By what is done: how many objects, how the input is made, the work, and the names of the input."""


MULTIPLES = {name: 5 for name in WORKS if name.startswith(("random swap", "Gaussian mixture"))}
"""Issue 19 asks for a small multiple of X; this is what is taken for it."""


def run(report: Report, best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    for name, (n, setup, work, given) in WORKS.items():
        done = subprocess.run(
            [sys.executable, __file__, str(n), setup, work, given], check=True, capture_output=True, text=True
        )
        bytes_given, extra = json.loads(done.stdout.splitlines()[-1])
        report.add(Memory(name, bytes_given, extra, "resident pages"))
        print(f"       {name}: {extra / 1e6:.0f} MB beyond {bytes_given / 1e6:.0f} MB of input", flush=True)
        if name in MULTIPLES:
            what = f"{name}: peak memory beyond X, in multiples of X"
            report(what, extra / bytes_given, MULTIPLES[name], at_most=True, clock="bytes")
    refused(report)


def refused(report: Report) -> None:
    """Issue 5: what cannot be done in time and memory names the ways that can, before it starts."""
    X = np.random.default_rng(0).normal(size=(10**6, 10))
    try:
        pt.indices.silhouette(X, np.arange(10**6) % 20)
        advice = ""
    except pt.errors.TooLargeError as error:
        advice = str(error.fix)
    named = "sample_size" in advice and "simplified_silhouette" in advice
    report(
        "the exact silhouette of 10^6 objects is refused before it starts, naming both ways out (1 is yes)",
        float(named),
        1,
        at_most=False,
        issue=5,
    )


def measure(n: int, setup: str, work: str, given: str) -> None:
    warnings.simplefilter("ignore", pt.errors.PartitaWarning)
    for size in (min(n, WARM), n):
        names = {"np": np, "pt": pt, "n": size, "rng": np.random.default_rng(0)}
        exec(setup, names)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = current()
        exec(work, names)
        extra = peak_now() - before
    print(json.dumps([sum(names[name].nbytes for name in given.split()), max(0, extra)]))


def current() -> int:
    return _status("VmRSS")


def peak_now() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    """A line of the system's account of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    measure(int(sys.argv[1]), *sys.argv[2:])
