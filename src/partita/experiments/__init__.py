"""The five papers, run again: printed values beside obtained ones, with an outcome for each."""

from partita.experiments._reproduce import PAPERS, find_paper, reproduce
from partita.experiments.findings import Finding
from partita.experiments.pages import write
from partita.experiments.reproductions import Reproduction

__all__ = ["PAPERS", "Finding", "Reproduction", "find_paper", "reproduce", "write"]
