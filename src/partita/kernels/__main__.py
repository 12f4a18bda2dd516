"""Compile every kernel: ``python -m partita.kernels``, for images and continuous integration."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

from partita.kernels._compiling import compile_module, every_kernel, modules
from partita.kernels.compilation import has_numba

__all__ = ["every_kernel", "main"]


def main() -> int:
    """Compile all, a module at a time on each core, and say so."""
    if not has_numba():
        print("numba is not installed: nothing to compile", file=sys.stderr)  # noqa: T201
        return 1
    total = 0.0
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawning) as pool:
        for times in pool.map(compile_module, modules()):
            for name, seconds in times:
                total += seconds
                print(f"{name:34} {seconds:6.2f} s", flush=True)  # noqa: T201
    print(f"{'all':34} {total:6.2f} s")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
