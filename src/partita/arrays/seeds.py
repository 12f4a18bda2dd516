"""Seeds and flags, as callers give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import ParameterError, Phrase, Setting


def check_flag(value: Any, name: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        what = Phrase(Setting(name), " cannot be this.")
        raise ParameterError(what, got=repr(value), need="True or False")


def generator(random_state: Any) -> np.random.Generator:
    """Turn None, a whole number, a SeedSequence, a Generator or an old RandomState into a Generator."""
    check_seed(random_state)
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 1 << 32, size=4, dtype=np.uint32))
    return np.random.default_rng(random_state)


def check_seed(random_state: Any) -> None:
    """Refuse what `generator` makes nothing of."""
    if random_state is None or isinstance(
        random_state, (np.random.Generator, np.random.RandomState, np.random.SeedSequence)
    ):
        return
    is_whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if not is_whole or random_state < 0:
        raise ParameterError(
            Phrase(Setting("random_state"), " is not a seed."),
            got=repr(random_state),
            need="None, a whole number >= 0, or a numpy Generator",
        )
