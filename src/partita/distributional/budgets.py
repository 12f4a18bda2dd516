"""What may be spent on an answer: counted work, and seconds only where the user asks for them."""

from __future__ import annotations

import math
import time

PROGRAMME, PER_ITERATION, PER_ROW = 3000.0, 6.0, 0.035
"""Work of a linear programme: to set it up, and for each iteration, also by its number of rows."""


class Budget:
    """Work that is left, and a moment of ``time.monotonic()`` at which to stop.

    Work is counted from what is done (iterations, moves, tables), about a microsecond each on a machine of
    2024, so that the same problem ends at the same place on a slow and on a fast one.
    """

    def __init__(self, work: float = math.inf, deadline: float | None = None) -> None:
        self.work_left, self.deadline = work, deadline
        self._whole: Budget | None = None

    def spend(self, work: float) -> None:
        """Count work that was done."""
        self.work_left -= work
        if self._whole is not None:
            self._whole.spend(work)

    def part(self, share: float) -> Budget:
        """A share of what is left; what is not spent of it stays."""
        part = Budget(max(self.work_left, 0.0) * share, self.deadline)
        part._whole = self
        return part

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self.deadline is not None or self.work_left < math.inf

    @property
    def seconds_left(self) -> float:
        """Until the deadline; infinite if there is none."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether to stop."""
        return self.work_left <= 0.0 or self.seconds_left < 0.0
