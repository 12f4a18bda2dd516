"""Every loop in its two forms: that both agree, which one runs, and what is needed for it."""

import copy
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import partita as pt
from partita import kernels
from partita.kernels import compilation
from partita.kernels.__main__ import every_kernel

KERNELS = {kernel.name: kernel for kernel in every_kernel()}
ENTRIES = sorted(name for name, kernel in KERNELS.items() if kernel.examples is not None)
SOURCE = Path(pt.__file__).parents[1]
IRIS = Path(__file__).parent


def numbers(value):
    """All arrays and numbers in a result, in their order."""
    if isinstance(value, (tuple, list)):
        return [number for part in value for number in numbers(part)]
    return [] if value is None else [np.asarray(value)]


SCRATCH = {"upper", "lower", "shift", "order", "apart"}
"""Bounds that Lloyd's iteration keeps for itself, and does not need uncompiled."""


def kept(value):
    """An argument without what is nobody's business."""
    return tuple(getattr(value, f) for f in value._fields if f not in SCRATCH) if hasattr(value, "_fields") else value


def outcome(kernel, form, args):
    """What a form of a kernel returns, and what it makes of its arguments."""
    args = kernel.typed(copy.deepcopy(args))
    with np.errstate(all="ignore"):
        return numbers((form(*args), [kept(arg) for arg in args]))


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("seed", range(3))
def test_both_forms_agree(name, seed):
    kernel = KERNELS[name]
    for args in kernel.examples(np.random.default_rng(seed)):
        plain, compiled = outcome(kernel, kernel.plain, args), outcome(kernel, kernel.compiled, args)
        assert len(plain) == len(compiled) > 0
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=name)
