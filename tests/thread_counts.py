"""A task that tells how many threads it has; workers import nothing else for it."""

from __future__ import annotations

import scipy.linalg  # noqa: F401 (its BLAS is there before it is asked for)
from threadpoolctl import threadpool_info

from partita.fits.checkpoints import Record


def threads(place):
    """How many threads each native library may use here."""
    return Record({"place": place, "threads": [pool["num_threads"] for pool in threadpool_info()]})
