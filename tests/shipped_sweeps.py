"""Work for other processes: it says how often it is pickled, where it is done, and kills its process once."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from partita.fits.checkpoints import Record
from stub_clusterer import StubClusterer

TESTS = "PARTITA_TEST_PROCESS"
os.environ.setdefault(TESTS, str(os.getpid()))  # workers inherit it


def say(log, what):
    """Write down that something was done, and by which process."""
    with Path(log).open("a") as file:
        file.write(f"{what} {os.getpid()}\n")


def said(log, what):
    """The processes that did so, in order."""
    lines = [line.rsplit(" ", 1) for line in Path(log).read_text().splitlines()] if Path(log).exists() else []
    return [int(process) for word, process in lines if word == what]


class Counted:
    """Says when it is pickled and unpickled; a clone of what carries it has the thing itself."""

    def __init__(self, log):
        self.log = log
        self.ballast = np.arange(3000.0)

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return isinstance(other, Counted) and other.log == self.log

    __hash__ = None

    def __getstate__(self):
        say(self.log, "pickled")
        return vars(self).copy()

    def __setstate__(self, state):
        vars(self).update(state)
        say(self.log, "unpickled")


class Carrier(StubClusterer):
    """A clusterer that carries something, and says where it is fitted."""

    def __init__(self, n_clusters=2, spread=0.3, random_state=None, carried=None):
        super().__init__(n_clusters, spread, random_state)
        self.carried = carried

    def fit(self, X, y=None):
        say(self.carried.log, "fitted")
        return super().fit(X, y)


class Mortal(StubClusterer):
    """A clusterer that takes its worker with it when it is first fitted with three clusters."""

    def __init__(self, n_clusters=2, spread=0.3, random_state=None, log=None):
        super().__init__(n_clusters, spread, random_state)
        self.log = log

    def fit(self, X, y=None):
        if self.n_clusters == 3:
            die_once(f"{self.log}.died")
        say(self.log, "fitted")
        return super().fit(X, y)


def die():
    """Kill this process, but never that of the tests, which a cluster of one core leaves work to."""
    assert os.environ[TESTS] != str(os.getpid()), "the tests themselves do this work"
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(marker):
    """Kill this process, if that was not done before."""
    try:
        Path(marker).touch(exist_ok=False)
    except FileExistsError:
        return
    die()


def die_always(X, place):
    """A task that no process lives through."""
    die()
    return Record({"place": place})


def sum_up(X, place, log):
    """A small task."""
    say(log, "done")
    return Record({"place": place, "sum": float(X.sum()), "writeable": X.flags.writeable})


def whole_or_dead(block, marker):
    """A chunk as it is, once its first reading has killed a worker."""
    die_once(marker)
    return block


def interrupt_oneself(_, place):
    """Ctrl-C for this process, and for whatever it does right after this."""
    os.kill(os.getpid(), signal.SIGINT)
    return Record({"place": place, "process": os.getpid()})
