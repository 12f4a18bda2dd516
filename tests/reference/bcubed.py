"""BCubed by the definition: object by object for labels, on the exact table for memberships."""

from collections.abc import Callable

from .tables import Memberships, margins, table


def bcubed_precision(U: Memberships, V: Memberships) -> float:
    """For each object the share of its found cluster that is of its true one; drawn labels for soft ones."""
    N = table(U, V)
    _, columns = margins(N)
    pairs = [(cell, columns[j]) for row in N for j, cell in enumerate(row) if cell]
    return float(sum(cell * (cell / size) for cell, size in pairs) / sum(columns))


def bcubed_recall(U: Memberships, V: Memberships) -> float:
    return bcubed_precision(V, U)


def bcubed_f(U: Memberships, V: Memberships) -> float:
    inverse = 1 / bcubed_precision(U, V) + 1 / bcubed_recall(U, V)
    return 2 / inverse


def precision_of_labels(truth: list[int], found: list[int]) -> float:
    """Bagga and Baldwin's algorithm, word for word: a loop over mentions."""
    total = 0.0
    for i, label in enumerate(found):
        mine = [j for j, other in enumerate(found) if other == label]
        total += sum(truth[j] == truth[i] for j in mine) / len(mine)
    return total / len(found)


REFERENCE: dict[str, Callable[..., float]] = {
    function.__name__: function for function in (bcubed_precision, bcubed_recall, bcubed_f)
}
