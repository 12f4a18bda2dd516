"""Powers of shares, several at once: those of the C library, up to what the exponent's rounding allows."""

from __future__ import annotations

import numpy as np
import pytest

from partita.kernels.powers import powers_of_shares


def drawn():
    rng = np.random.default_rng(0)
    near_one = 1.0 - 10.0 ** -rng.uniform(1, 16, 300)
    ends = [1.0, 0.0, 5e-324, 1e-310, 2.0**-1022, 0.5, 0.5**0.5, np.nextafter(0.5**0.5, 0)]
    return np.concatenate([rng.random(500), 10.0 ** -rng.uniform(0, 300, 500), near_one, ends])


@pytest.mark.parametrize("form", ["plain", "compiled"])
@pytest.mark.parametrize("exponent", [0.01, 0.3, 0.7, 1.0, 1 / 0.7, 3.3, 20.0])
def test_powers_are_those_of_the_library(form, exponent):
    values = drawn()
    values.flags.writeable = False
    out = np.empty(values.size)
    with np.errstate(all="ignore"):
        getattr(powers_of_shares, form)(values, exponent, out)
        expected = values**exponent
        log = np.abs(exponent * np.log(values))
    large = expected > 1e-306
    error = np.abs(out - expected)[large] / expected[large]
    assert (error <= 4e-16 * (1.0 + log[large])).all()
    assert (out[~large] <= 1e-305).all()
    assert out[values == 0.0] == 0.0
    assert out[values == 1.0] == 1.0
