"""What other libraries import at their start and commands do without: loaded at its first use, if ever.

scikit-learn imports all of scipy.stats for one function of it, SciPy rotations along with distances, and all
of NumPy, its tools for tests and for Fortran included. That is a third of the time that the imports of a
command take. A command has its process for itself, so that it may have them wait; the library leaves imports
as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

LATE = frozenset({"scipy.stats", "scipy.spatial.transform", "numpy.f2py", "numpy.testing"})
"""Modules that nothing on the way of a command uses; one that is used, or imported again, is loaded then."""


class LateModules(MetaPathFinder):
    """Finds these modules where they are, and leaves them unread until one of their names is asked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where such a module is, with a loader that waits; of others nothing is known here."""
        if fullname not in LATE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = LazyLoader(spec.loader)
        return spec


def let_them_wait() -> None:
    """From now on such modules are loaded late in this process; those that are loaded stay so."""
    if not any(isinstance(finder, LateModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateModules())
