"""Powers of many numbers at once, in steps that a processor takes for several numbers together."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.em import exp_of_negative

_SMALLEST = 2.0**-1022
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10

_ROOT_HALF = np.int64(0x3FE6A09E667F3BCD)
_ONE = np.int64(1023 << 52)
_MANTISSA = np.int64((1 << 52) - 1)
_52 = np.int64(52)
_WHOLE = np.int64(0x4330000000000000)
"""The bits of 2**52: with a whole number in the last of them they are those of 2**52 plus that number."""


@kernel(fastmath={"contract"}, error_model="numpy")
def log_of_share(x: float) -> float:
    """log(x) for 0 < x <= 1 without a library call, by the series of the C library (fdlibm)."""
    tiny = x < _SMALLEST
    bits = np.float64(x * 2.0**54 if tiny else x).view(np.int64)
    # x = 2**whole (1 + f), with 1 + f between the roots of 1/2 and 2
    above = bits - _ROOT_HALF + _ONE
    whole = np.int64((above >> _52) | _WHOLE).view(np.float64) - (2.0**52 + (1077.0 if tiny else 1023.0))
    f = np.int64((above & _MANTISSA) + _ROOT_HALF).view(np.float64) - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = 1.531383769920937332e-01 + z * 1.479819860511658591e-01
    series = 2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * series)
    series = 3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * series)
    series = z * (6.666666666666735130e-01 + z * series)
    half = 0.5 * f * f
    return whole * _LN2_HIGH - ((half - (s * (half + series) + whole * _LN2_LOW)) - f)


@kernel(
    work=lambda values, *_: 10 * values.size,
    calls=100_000,
    reads=(0,),
    examples=lambda rng: [(rng.random(40), 1.4, np.empty(40))],
    fastmath={"contract"},
    error_model="numpy",
)
def powers_of_shares(values: Any, exponent: float, out: Any) -> None:
    """Write ``values ** exponent`` for numbers between 0 and 1 and an exponent above 0.

    The relative error is about that of an exponent known to 1e-16: for a power of 1e-100 it is some 1e-14.
    Powers below 1e-307 are 0.
    """
    for i in range(values.shape[0]):
        power = exp_of_negative(exponent * log_of_share(values[i]))
        out[i] = power if values[i] > 0.0 else 0.0
