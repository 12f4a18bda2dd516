"""Compile every kernel: ``python -m partita.kernels``, for images and continuous integration."""

from __future__ import annotations

import copy
import importlib
import pkgutil
import sys
import time
from collections.abc import Iterator

import numpy as np

from partita import kernels
from partita.kernels.compilation import REGISTERED, Kernel, has_numba


def every_kernel() -> list[Kernel]:
    """All kernels, of every module."""
    for module in pkgutil.iter_modules(kernels.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{kernels.__name__}.{module.name}")
    return list(REGISTERED)


def compile_all() -> Iterator[tuple[str, float]]:
    """Compile one kernel after the other, for the types of its examples: its name and the seconds it took."""
    for kernel in every_kernel():
        if kernel.examples is not None:
            started = time.perf_counter()
            for args in kernel.examples(np.random.default_rng(0)):
                kernel.compiled(*kernel.typed(copy.deepcopy(args)))
            yield kernel.name, time.perf_counter() - started


def main() -> int:
    """Compile all and say so."""
    if not has_numba():
        print("numba is not installed: nothing to compile", file=sys.stderr)  # noqa: T201
        return 1
    total = 0.0
    for name, seconds in compile_all():
        total += seconds
        print(f"{name:34} {seconds:6.2f} s", flush=True)  # noqa: T201
    print(f"{'all':34} {total:6.2f} s")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
