"""Write expected_mutual_information.json: E[I] of two hard partitions with given sizes, to 25 digits.

Run with `python tests/golden/make_information.py` (standard library only, about ten seconds). Every cell
count x is hypergeometric; its weights over the whole support follow from the ratio
w(x+1)/w(x) = (a-x)(b-x) / ((x+1)(n-a-b+x+1)), in decimals of 50 digits, and are divided by their sum. The
mean of each cell, known to be ab/n, checks the weights.
"""

import json
import platform
from decimal import Decimal, getcontext
from functools import cache
from pathlib import Path

DIGITS = 25
LARGEST = 400_000  # logarithms up to here come from a table

# Sizes as (size, number of clusters of that size): first the truth, then the found partition.
MARGINS = [
    ([(2, 2)], [(2, 2)]),
    ([(6, 2), (5, 1)], [(8, 1), (5, 1), (4, 1)]),  # the 17 objects of franti2017's Rand example
    ([(1, 10)], [(4, 1), (3, 2)]),  # singletons: E[I] is the entropy of the other one
    ([(1, 3), (2, 3), (11, 1)], [(1, 1), (5, 1), (14, 1)]),
    ([(50, 3)], [(50, 1), (62, 1), (38, 1)]),  # Iris and its usual k-means
    ([(999, 1), (1, 1)], [(500, 2)]),
    ([(50, 60)], [(30, 100)]),
    ([(7000, 1), (2000, 1), (1000, 1)], [(6000, 1), (3999, 1), (1, 1)]),
    ([(10, 3000)], [(10, 3000)]),
    ([(100_000, 1)], [(99_990, 1), (10, 1)]),  # constant: 0
    ([(400_000, 1), (350_000, 1), (250_000, 1)], [(500_000, 1), (300_000, 1), (200_000, 1)]),
    ([(999_999, 1), (1, 1)], [(500_000, 2)]),
    ([(999_000, 1), (1000, 1)], [(999_000, 1), (1000, 1)]),
    ([(99_999_995, 1), (5, 1)], [(50_000_000, 2)]),
]


def log_table(largest: int) -> list[Decimal]:
    """Logarithms of 0 (unused) to `largest`: computed for primes, added up for their products."""
    logs = [Decimal(0)] * (largest + 1)
    divisor = [0] * (largest + 1)
    for x in range(2, largest + 1):
        if divisor[x] == 0:
            logs[x] = Decimal(x).ln()
            for multiple in range(x, largest + 1, x):
                divisor[multiple] = divisor[multiple] or x
        else:
            logs[x] = logs[divisor[x]] + logs[x // divisor[x]]
    return logs


LOGS: list[Decimal] = []


@cache
def log_large(x: int) -> Decimal:
    return Decimal(x).ln()


def log(x: int) -> Decimal:
    return LOGS[x] if x < len(LOGS) else log_large(x)


def expected_cell(n: int, a: int, b: int) -> Decimal:
    """The mean of x/n log(n x / (a b)) for a cell count x with margins a and b."""
    constant = log_large(n) - log_large(a) - log_large(b)
    weight, total, mean, information = Decimal(1), Decimal(0), Decimal(0), Decimal(0)
    for x in range(max(0, a + b - n), min(a, b) + 1):
        total += weight
        if x:
            weighted = weight * x
            mean += weighted
            information += weighted * (log(x) + constant)
        weight = weight * ((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
    assert abs(mean / total * n / (a * b) - 1) < Decimal(10) ** -38
    return information / total / n


def expected_mutual_information(truth: list[tuple[int, int]], found: list[tuple[int, int]]) -> Decimal:
    n = sum(size * clusters for size, clusters in truth)
    assert n == sum(size * clusters for size, clusters in found)
    cells: dict[tuple[int, int], int] = {}
    for a, of_a in truth:
        for b, of_b in found:
            key = (min(a, b), max(a, b))
            cells[key] = cells.get(key, 0) + of_a * of_b
    return sum((number * expected_cell(n, a, b) for (a, b), number in cells.items()), Decimal(0))


def digits(value: Decimal) -> str:
    """25 significant digits; rounding noise about an exact zero is zero."""
    return "0" if abs(value) < Decimal(10) ** -40 else f"{value:.{DIGITS - 1}e}"


def main() -> None:
    getcontext().prec = 50
    LOGS.extend(log_table(LARGEST))
    rows = [
        {"truth": truth, "found": found, "value": digits(expected_mutual_information(truth, found))}
        for truth, found in MARGINS
    ]
    golden = {
        "made_by": f"tests/golden/{Path(__file__).name}",
        "python": platform.python_version(),
        "content": "expected mutual information in nats; margins are [size, number of clusters of that size]",
        "digits": DIGITS,
        "values": rows,
    }
    lines = ",\n    ".join(json.dumps(row) for row in rows)
    text = json.dumps(golden | {"values": []}, indent=2).replace("[]", f"[\n    {lines}\n  ]")
    Path(__file__).with_name("expected_mutual_information.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
