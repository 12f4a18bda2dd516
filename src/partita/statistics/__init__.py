"""Small frozen summaries of clusterings and data; ``a + b`` merges those of two sets of objects."""

from partita.statistics.moments import MembershipMoments
from partita.statistics.tables import Contingency, PairCounts

__all__ = ["Contingency", "MembershipMoments", "PairCounts"]
