"""Reports: results in one self-contained HTML file that opens with the answer in plain words."""

from partita.reports._report import report
from partita.reports.analyses import analyse

__all__ = ["analyse", "report"]
