"""Write gower.json: Gower's distances of tables with numbers, categories, truth values and gaps.

Run with ``python tests/golden/gower.py``. The distances are those of the formula in exact fractions
(tests/reference/gower.py), rounded once; the help page of daisy in R's package cluster states the same
formula, with the sorts I (interval), O (ordered), N (nominal) and A (asymmetric binary). The tables are made
from arithmetic alone, so that they are the same everywhere:

    R> x <- data.frame(age, income, town = factor(town), size = ordered(size), member, mode)
    R> daisy(x, metric = "gower", weights = weights)
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference.gower import gower_distance

TOWNS, SIZES = ["Ulm", "Bonn", "Jena", "Kiel"], ["S", "M", "L", "XL"]
N = 24
CASES = {"equal weights": [1, 1, 1, 1, 1, 1], "weights": [1, 0.5, 2, 3, 0.25, 1]}


def table() -> dict[str, list]:
    """Six columns of 24 objects, a few cells of which are missing."""
    rows = range(N)
    columns = {
        "age": [18 + (7 * i * i) % 53 for i in rows],
        "income": [round(1000.5 + (37 * i**3) % 4999 / 7, 4) for i in rows],
        "town": [TOWNS[(i * i + 3 * i) % 4 if i % 5 else 2] for i in rows],
        "size": [SIZES[(5 * i + i // 3) % 4] for i in rows],
        "member": [(3 * i) % 7 < 3 for i in rows],
        "mode": [["app", "shop"][(i // 2) % 2] for i in rows],
    }
    for place, name in enumerate(columns):
        for i in range(place, N, 9 + 2 * place):
            columns[name][i] = None
    return columns


def sorts(columns: dict[str, list]) -> list[tuple[str, list]]:
    """The columns as the reference takes them."""
    size = [None if one is None else SIZES.index(one) for one in columns["size"]]
    interval = [("interval", columns["age"]), ("interval", columns["income"])]
    others = [("nominal", columns["town"]), ("interval", size), ("asymmetric", columns["member"])]
    return [*interval, *others, ("nominal", columns["mode"])]


def main() -> None:
    columns = table()
    known = sorts(columns)
    golden = {
        "made_by": "tests/golden/gower.py",
        "content": "Gower's distances in exact fractions, rounded once; the upper triangle, row by row",
        "levels": {"size": SIZES},
        "columns": columns,
        "cases": {
            name: {
                "weights": weights,
                "distances": [
                    float(gower_distance(known, weights, i, j)) for i in range(N) for j in range(i + 1, N)
                ],
            }
            for name, weights in CASES.items()
        },
    }
    Path(__file__).with_name("gower.json").write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
