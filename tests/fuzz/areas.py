"""The areas that are fuzzed: each has documents to draw and a way to run one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from fuzz import commands, doors, estimators, files, procedures

__all__ = ["AREAS", "Area"]


class Area(NamedTuple):
    documents: st.SearchStrategy[Any]
    run: Callable[[Any], None]


AREAS = {
    "as_partition": Area(doors.documents(), doors.run),
    "files": Area(files.documents(), files.run),
    "commands": Area(commands.documents(), commands.run),
    "estimators": Area(estimators.documents(), estimators.run),
    "procedures": Area(procedures.documents(), procedures.run),
}
