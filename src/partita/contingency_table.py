"""`contingency`: how much of each true cluster is in each found one, as a labelled table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.engine import Request, collect
from partita.errors import KindError
from partita.inputs import prepare
from partita.statistics import Contingency

__all__ = ["contingency"]


def contingency(
    truth: Any,
    found: Any,
    *,
    noise: str = "cluster",
    sample_weight: Any = None,
    noise_label: Any = None,
    missing: str = "raise",
) -> Any:
    """How much of each true cluster is in each found one: rows truth, columns found.

    Parameters
    ----------
    truth, found : clusterings
        Anything `as_partition` takes, hard, fuzzy or possibilistic. Objects are aligned as in `compare`.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with noise, on both sides jointly.
    sample_weight : array, optional
        Multiplicities: weight 2 counts an object twice.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    missing : {"raise", "drop", "noise"}
        What to do about missing labels.

    Returns
    -------
    data frame
        Of the library that the input came in, pandas for arrays. Numbers of objects for two hard clusterings;
        else their shares, which sum to the number of objects (lei2014, eq. 3). In pandas the clusters are its
        index and columns; polars and pyarrow have a column ``truth`` with the names of the rows, and names of
        columns as text. Clusters without an object are left away.

    See Also
    --------
    compare : every index of this table.
    align : which found cluster is which true one.

    Examples
    --------
    >>> contingency(["a", "a", "b", "b"], [1, 2, 2, 2])
    found  1  2
    truth
    a      1  1
    b      0  2
    """
    inputs = prepare(
        {"truth": truth, "found": found},
        noise=noise,
        sample_weight=sample_weight,
        noise_label=noise_label,
        missing=missing,
    )
    for side, partition in inputs.partitions.items():
        if partition.kind not in Contingency.kinds_accepted:
            raise KindError(
                f"a {partition.kind} clustering has no single table.",
                got=f"{side}: {partition!r}",
                need="hard, fuzzy or possibilistic clusterings",
                fix=".harden() or .pignistic() first",
            )
    request = Request(Contingency)
    table: Contingency = collect([request], inputs)[request] if inputs.n_objects else Contingency.zero()
    rows, columns = (
        np.flatnonzero(table.are_filled(s)).tolist() for s in (table.row_sums, table.column_sums)
    )
    counts = table.counts[np.ix_(rows, columns)]
    row_names = [table.row_names[i] for i in rows]
    column_names = [table.column_names[j] for j in columns]
    return _framed(counts, row_names, column_names, inputs.frame or "pandas")


def _framed(counts: Any, rows: Sequence[Any], columns: Sequence[Any], library: str) -> Any:
    if library == "pandas":
        import pandas as pd

        index, names = (
            pd.Index(list(side), name=name, tupleize_cols=False)
            for side, name in ((rows, "truth"), (columns, "found"))
        )
        return pd.DataFrame(counts, index=index, columns=names)
    import narwhals as nw

    texts = [str(name) for name in columns]
    if "truth" in texts or len(set(texts)) < len(texts):
        texts = [f"found {name!r}" for name in columns]
    held: dict[str, Any] = {"truth": list(rows) if _are_alike(rows) else [str(name) for name in rows]}
    held |= {text: counts[:, j].tolist() for j, text in enumerate(texts)}
    return nw.from_dict(held, backend=library).to_native()  # type: ignore[arg-type]


def _are_alike(names: Sequence[Any]) -> bool:
    """Whether these are all text, or all whole numbers: what a column of a frame can hold."""
    return any(all(type(name) is kind for name in names) for kind in (str, int))
