"""All kernels, and compiling those of one module: what a worker process does."""

from __future__ import annotations

import copy
import importlib
import pkgutil
import time
from pathlib import Path

import numpy as np

from partita import kernels
from partita.kernels.compilation import REGISTERED, Kernel


def modules() -> list[str]:
    """The modules that hold kernels, the longest first, since it takes longest to compile."""
    found = [m.name for m in pkgutil.iter_modules(kernels.__path__) if not m.name.startswith("_")]
    folder = Path(kernels.__path__[0])
    return sorted(found, key=lambda name: -(folder / f"{name}.py").stat().st_size)


def every_kernel() -> list[Kernel]:
    """All kernels, of every module."""
    for name in modules():
        importlib.import_module(f"{kernels.__name__}.{name}")
    return list(REGISTERED)


def compile_module(name: str) -> list[tuple[str, float]]:
    """Compile the kernels of a module for the types of their examples: each with the seconds it took."""
    importlib.import_module(f"{kernels.__name__}.{name}")
    times = []
    for kernel in REGISTERED:
        if kernel.examples is not None and kernel.function.__module__ == f"{kernels.__name__}.{name}":
            started = time.perf_counter()
            for args in kernel.examples(np.random.default_rng(0)):
                kernel.compiled(*kernel.typed(copy.deepcopy(args)))
            times.append((kernel.name, time.perf_counter() - started))
    return times
