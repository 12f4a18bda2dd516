"""What holds for every test: none may depend on how fast the machine is, and draws are the same every time.

``make fuzz`` draws new ones.
"""

from __future__ import annotations

import os

# Two workers share two cores: threads of BLAS would wait for one another. Tests of threads ask for theirs.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from hypothesis import HealthCheck, settings  # noqa: E402

FIXED, FUZZ = "fixed", "fuzz"
settings.register_profile(FUZZ, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(FIXED, settings.get_profile(FUZZ), derandomize=True)
settings.load_profile(os.environ.get("PARTITA_DRAWS", FIXED))
