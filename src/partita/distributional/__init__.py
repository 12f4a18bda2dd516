"""An index as a distribution: laws, intervals, lower and upper expectations (campagner2022)."""

from partita.distributional.completion_sets import SetDistance, hausdorff
from partita.distributional.measures import distribution
from partita.distributional.outcomes import Distribution, Focal, Law, Quantity

__all__ = ["Distribution", "Focal", "Law", "Quantity", "SetDistance", "distribution", "hausdorff"]
