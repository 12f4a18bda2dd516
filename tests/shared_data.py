"""The data sets beside the project; a test that lacks them is skipped by name."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[2] / "shared" / "data"))


def frame(name: str) -> pd.DataFrame:
    """The whole file: features, and the label in the last column."""
    path = DATA / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there; set PARTITA_DATA")
    return pd.read_csv(path)


def labels(name: str) -> np.ndarray:
    return frame(name)["label"].to_numpy()


def features(name: str) -> np.ndarray:
    return np.ascontiguousarray(frame(name).drop(columns="label").to_numpy(float))


def centroids(name: str) -> np.ndarray:
    """The true centres of a synthetic set."""
    return features(f"{name}_centroids")


def full(*case: object) -> object:
    """A case of a parametrised test that only `make test-full` runs."""
    return pytest.param(*case, marks=pytest.mark.full)
