"""The answer by its definition: which clustering, how many, how far to trust it.

Plain loops over objects, joins and pairs; dense matrices; NumPy, and scipy for Ward's tree only. For at
least 13 objects (fewer have no tree).

The definition is ambiguous in places. These readings reproduce its twelve vectors:

- Density tree. The core distance excludes the object itself. A side of a split consists of all objects below
  it, including those dropped further down. Loose objects are those dropped on the way to one of the k - 1
  splits that separate. They join by Prim's algorithm from all labelled objects at once; among labelled
  objects of equal reach, the one labelled first wins, then the lowest number; among loose objects, the lowest
  number. Other rules change the sizes in one_uniform_law.
- Ties. Equal reaches are common: a sparse object has the same reach (its core distance) to all its near
  neighbours. Their order decides the label of single objects and the smallest splits. Here, pairs of equal
  reach are joined in descending order of their numbers (i < j, larger i first, then larger j), which gives
  all sizes of the clear answers. None of the rules tried reproduces every other number too (Prim from several
  objects, Kruskal and scipy's tree, with stable and other sorts): two `second` need another order of the
  rows (see test_reference_answers.py), and one `longest` (units) differs by one object in a cluster.
- Mixtures. EM starts with an M step from Ward's hard clusters and ends with an E step, which gives the
  likelihood, the posteriors and the labels. Parameters: k - 1 weights, k d means, and the free entries of the
  covariances. One component is fitted, because it may have the best BIC (then B = 0), but one cluster is
  never a candidate.
- Merged mixtures. The ridge line is needed: with the straight line alone, two_moons scores 0.26 less.
- Score. The vectors' B is the ARI to the mixture of best BIC; the weight w is applied in the score only. With
  two scales, the cuts of both are candidates and Ward's cuts of both are witnesses. P takes, for each tree,
  the largest product of ARI and lasting among the cuts with ARI > 0.9. A takes the best agreement with any
  clustering of a kind, whatever its k.

The vectors do not decide these; chosen here:

- standard deviations divide by n (n - 1 agrees within 0.001); the ridge is added once for every kind of
  covariance (1e-6 agrees within 0.001);
- a component merges into the highest peak of the group that its saddle reaches (the component across the
  saddle gives the same);
- "BIC has not improved" compares the best of all covariance kinds; an excluded mixture is no improvement;
- the refinement above 18 components moves by the step times max(1, k / 30), rounded;
- a kind without clusterings counts 0 in A; candidates with equal scores and k: trees first;
- a level: the clusters that lie entirely in one coarser cluster hold at least 0.95 of the objects;
- heights of 0 are replaced by the smallest positive height, after the joins are made.

Not here: samples of more than 3000 objects, distances without data, the test of structure, and the two
proposed refusals of "clear".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import cut_tree, ward

# --- agreement ----------------------------------------------------------------------------------------------


def adjusted_rand(a: np.ndarray, b: np.ndarray) -> float:
    """Hubert and Arabie's index; 1 for two clusterings into one cluster each."""
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1)).sum()) / 2

    both, in_a, in_b = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = in_a * in_b / pairs(np.array([len(a)]))
    mean = (in_a + in_b) / 2
    return 1.0 if mean == expected else (both - expected) / (mean - expected)


# --- section 1: data ----------------------------------------------------------------------------------------


def standardised(X: np.ndarray) -> np.ndarray:
    deviations = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1)


def scales(X: np.ndarray) -> list[np.ndarray]:
    """The raw data, and the standardised data too if one column has nearly all the variance."""
    variances = X.var(axis=0)
    if X.shape[1] > 1 and variances.max() > 0.9 * variances.sum():
        return [X, standardised(X)]
    return [X]


# --- section 2: density trees -------------------------------------------------------------------------------


class Join(NamedTuple):
    """A join of the single-linkage tree; an object has no sides."""

    height: float
    members: list[int]
    sides: tuple[Join, ...] = ()


class Cut(NamedTuple):
    """The clustering that the k - 1 highest splits leave."""

    k: int
    with_loose: np.ndarray  # -1 for loose objects
    labels: np.ndarray
    log_ratio: float  # of the heights of the last split above and the first below
    lasting: float  # the same, between 0 and 1


class Tree(NamedTuple):
    m: int
    share: float
    median_edge: float
    n_splits: int
    cuts: list[Cut]


def reaches(X: np.ndarray, m: int) -> np.ndarray:
    """For each pair, the largest of its distance and the two core distances."""
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    core = np.array([np.sort(np.delete(row, i))[m - 1] for i, row in enumerate(distances)])
    return np.maximum(distances, np.maximum(core[:, None], core[None]))


def single_linkage(reach: np.ndarray) -> tuple[Join, list[float]]:
    """The root and the heights of all joins, by Kruskal; equal pairs in descending order of their numbers."""
    n = len(reach)
    pairs = sorted((reach[i, j], -i, -j) for i in range(n) for j in range(i + 1, n))
    smallest = min(height for height, _, _ in pairs if height > 0)
    top = [Join(0.0, [i]) for i in range(n)]
    heights = []
    for height, i, j in pairs:
        a, b = top[-i], top[-j]
        if a is not b:
            join = Join(max(float(height), smallest), a.members + b.members, (a, b))
            heights.append(join.height)
            for member in join.members:
                top[member] = join
    return top[0], heights


def true_splits(join: Join, smallest: int) -> Iterator[Join]:
    """Joins with two sides of at least the smallest size, from the top down; smaller sides are dropped."""
    while join.sides:
        small, large = sorted(join.sides, key=lambda side: len(side.members))
        if len(small.members) >= smallest:
            yield join
            for side in join.sides:
                yield from true_splits(side, smallest)
            return
        join = large


def remaining_sides(splits: list[Join]) -> list[Join]:
    """The sides that contain none of the splits."""
    inside = [set(split.members) for split in splits]
    sides = [side for split in splits for side in split.sides]
    return [side for side in sides if not any(members <= set(side.members) for members in inside)]


def join_loose(labels: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Labels of all objects: the loose object nearest to a labelled one joins first, and so on."""
    labels = labels.copy()
    labelled = list(np.flatnonzero(labels >= 0))
    while len(labelled) < len(labels):
        loose = np.flatnonzero(labels < 0)
        new = loose[np.argmin(reach[np.ix_(loose, labelled)].min(axis=1))]
        labels[new] = labels[labelled[np.argmin(reach[new, labelled])]]
        labelled.append(new)
    return labels


def density_trees(X: np.ndarray, ms=(3, 5, 8, 12), shares=(0.05, 0.02, 0.01)) -> list[Tree]:
    n = len(X)
    trees = []
    for m in ms:
        if n <= 4 * m:
            continue
        reach = reaches(X, m)
        root, edges = single_linkage(reach)
        for share in shares:
            splits = sorted(
                true_splits(root, max(4, int(np.ceil(share * n)))), key=lambda split: -split.height
            )
            heights = [split.height for split in splits] + [float(np.median(edges))]
            cuts = []
            for k in range(2, min(len(splits) + 1, max(20, min(100, n // 10))) + 1):
                labels = np.full(n, -1)
                for label, side in enumerate(remaining_sides(splits[: k - 1])):
                    labels[side.members] = label
                log_ratio = float(np.log(heights[k - 2] / heights[k - 1]))
                cuts.append(
                    Cut(k, labels, join_loose(labels, reach), log_ratio, min(max(log_ratio, 0.0), 1.0))
                )
            trees.append(Tree(m, share, heights[-1], len(splits), cuts))
    return trees


# --- section 3: mixtures ------------------------------------------------------------------------------------

RIDGE = 1e-4


class Mixture(NamedTuple):
    kind: str
    k: int
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray  # (k, d, d) for each kind
    posteriors: np.ndarray
    labels: np.ndarray
    bic: float


def log_densities(X: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """Log density of each row under each component."""
    columns = []
    for mean, covariance in zip(means, covariances, strict=True):
        gaps = X - mean
        squared = (gaps * np.linalg.solve(covariance, gaps.T).T).sum(axis=1)
        columns.append(-0.5 * (X.shape[1] * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] + squared))
    return np.column_stack(columns)


def e_step(X, weights, means, covariances):
    """Posteriors and the log likelihood."""
    joint = np.log(weights) + log_densities(X, means, covariances)
    total = np.logaddexp.reduce(joint, axis=1)
    return np.exp(joint - total[:, None]), float(total.sum())


def m_step(X, posteriors, kind):
    """Weights, means, and covariances of the kind, with the ridge."""
    sizes = posteriors.sum(axis=0)
    weights, means = sizes / len(X), posteriors.T @ X / sizes[:, None]
    covariances = []
    for c, mean in enumerate(means):
        gaps = X - mean
        covariances.append((posteriors[:, c, None] * gaps).T @ gaps / sizes[c])
    if kind == "diagonal":
        covariances = [np.diag(np.diag(S)) for S in covariances]
    elif kind == "tied":
        covariances = [sum(w * S for w, S in zip(weights, covariances, strict=True))] * len(weights)
    return weights, means, np.array(covariances) + RIDGE * np.eye(X.shape[1])


def n_parameters(kind: str, k: int, d: int) -> int:
    of_covariances = {"full": k * d * (d + 1) // 2, "diagonal": k * d, "tied": d * (d + 1) // 2}
    return k - 1 + k * d + of_covariances[kind]


def fit(Z: np.ndarray, start: np.ndarray, kind: str) -> Mixture | None:
    """The mixture by EM from a hard clustering; None if it is excluded."""
    n, d = Z.shape
    k = int(start.max()) + 1
    parameters = n_parameters(kind, k, d)
    if parameters > 0.5 * n * d:
        return None
    posteriors, before = np.eye(k)[start], -np.inf
    for _ in range(100 if k <= 20 else 60):
        weights, means, covariances = m_step(Z, posteriors, kind)
        posteriors, likelihood = e_step(Z, weights, means, covariances)
        if likelihood - before < 1e-4 * n:
            break
        before = likelihood
    labels = posteriors.argmax(axis=1)
    if np.bincount(labels, minlength=k).min() < 3 or weights.min() < 2 / n:
        return None
    bic = likelihood - parameters / 2 * np.log(n)
    return Mixture(kind, k, weights, means, covariances, posteriors, labels, bic)


def fit_mixtures(X: np.ndarray) -> list[Mixture]:
    """All mixtures in the range of k, fitted to the standardised data."""
    Z = standardised(X)
    n, d = Z.shape
    merges = ward(Z)
    fitted: dict[int, list[Mixture]] = {}

    def add(k: int) -> None:
        if k not in fitted and 1 <= k <= 100 and n >= (5 if k <= 20 else 10) * k:
            start = cut_tree(merges, k)[:, 0]
            of_kinds = [
                fit(Z, start, kind) for kind in (("full",) if d <= 3 else ("full", "diagonal", "tied"))
            ]
            fitted[k] = [mixture for mixture in of_kinds if mixture is not None]

    def best_k() -> int:
        return best_by_bic([mixture for of_k in fitted.values() for mixture in of_k]).k

    for k in range(1, 21):
        add(k)
        if k - best_k() >= 5:
            break
    for k in (25, 32, 40, 50, 64, 80, 100):
        add(k)
    for step in (4, 2, 1):
        middle = best_k()
        if middle > 18:
            width = step * round(max(1, middle / 30))
            add(middle - width)
            add(middle + width)
    return [mixture for of_k in fitted.values() for mixture in of_k]


def best_by_bic(fitted: list[Mixture]) -> Mixture:
    return max(fitted, key=lambda mixture: mixture.bic)


def density(points: np.ndarray, mixture: Mixture) -> np.ndarray:
    return np.exp(log_densities(points, mixture.means, mixture.covariances)) @ mixture.weights


def saddle(a: int, b: int, mixture: Mixture) -> float:
    """The better of the lowest densities on the straight line and on the ridge line between two means."""
    mean_a, mean_b = mixture.means[[a, b]]
    inverse_a, inverse_b = np.linalg.inv(mixture.covariances[[a, b]])
    straight, ridge = [], []
    for t in np.arange(1, 16) / 16:
        A, B = (1 - t) * inverse_a, t * inverse_b
        straight.append((1 - t) * mean_a + t * mean_b)
        ridge.append(np.linalg.solve(A + B, A @ mean_a + B @ mean_b))
    lowest = max(density(np.array(line), mixture).min() for line in (straight, ridge))
    return min(lowest, density(mixture.means[[a, b]], mixture).min())


class Merge(NamedTuple):
    prominence: float
    component: int
    into: int


def merges_of(mixture: Mixture) -> list[Merge]:
    """The merges of components, the least prominent first."""
    peaks = density(mixture.means, mixture)
    saddles = sorted(
        ((saddle(a, b, mixture), a, b) for a in range(mixture.k) for b in range(a)), reverse=True
    )
    eldest = list(range(mixture.k))  # of the group of each component: the one with the highest peak
    merges = []
    for height, a, b in saddles:
        if eldest[a] != eldest[b]:
            low, high = sorted((eldest[a], eldest[b]), key=lambda c: peaks[c])
            merges.append(Merge(float(np.log(peaks[low] / height)), low, high))
            eldest = [high if c == low else c for c in eldest]
    return sorted(merges)


def merged_mixtures(mixture: Mixture) -> list[np.ndarray]:
    """Labels for each number of groups of components, from k - 1 down to 2."""
    group = np.arange(mixture.k)
    clusterings = []
    for merge in merges_of(mixture)[:-1]:
        group[group == group[merge.component]] = group[merge.into]
        numbers, column = np.unique(group, return_inverse=True)
        sums = mixture.posteriors @ np.eye(len(numbers))[column]
        clusterings.append(sums.argmax(axis=1))
    return clusterings


# --- section 4: the witness ---------------------------------------------------------------------------------

WARD_NUMBERS = (*range(2, 21), 22, 24, 27, 30, 33, 36, 40, 45, 50, 55, 60, 70, 80, 90, 100)


def ward_cuts(X: np.ndarray) -> list[np.ndarray]:
    merges = ward(X)
    return [cut_tree(merges, k)[:, 0] for k in WARD_NUMBERS if len(X) >= 5 * k]


# --- section 5: score ---------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    kind: str  # "T" of a tree, "M" of a mixture
    source: str
    k: int
    labels: np.ndarray
    P: float
    A: float
    B: float
    w: float

    @property
    def score(self) -> float:
        return self.P + self.A + self.w * self.B


class Judged(NamedTuple):
    candidates: list[Candidate]  # the largest score first
    best_mixture: Mixture

    @property
    def answer(self) -> Candidate:
        return self.candidates[0]


def lasting_near(labels: np.ndarray, tree: Tree) -> float:
    """The largest product of ARI and lasting among the cuts with ARI > 0.9."""
    near = [(adjusted_rand(labels, cut.labels), cut.lasting) for cut in tree.cuts]
    return max((ari * lasting for ari, lasting in near if ari > 0.9), default=0.0)


def judge(X: np.ndarray) -> Judged:
    """All candidates with their scores, the best first."""
    trees = [density_trees(Y) for Y in scales(X)]
    mixtures = fit_mixtures(X)
    best = best_by_bic(mixtures)
    tree_cuts = [
        (f"m = {tree.m}, share = {tree.share}, k = {cut.k}", cut.labels)
        for of_scale in trees
        for tree in of_scale
        for cut in tree.cuts
    ]
    plain = [(f"{mixture.kind}, k = {mixture.k}", mixture.labels) for mixture in mixtures if mixture.k > 1]
    merged = [
        (f"merged from {best.k}", labels) for labels in merged_mixtures(best) if len(np.unique(labels)) > 1
    ]
    candidates = {"T": tree_cuts, "M": plain + merged}
    clusterings = {kind: [labels for _, labels in found] for kind, found in candidates.items()}
    clusterings["W"] = [labels for Y in scales(X) for labels in ward_cuts(Y)]

    w = 0.15 if X.shape[1] <= 3 else 0.35
    scored: dict[tuple[str, bytes], Candidate] = {}
    for kind, found in candidates.items():
        for source, labels in found:
            same = (kind, np.unique(labels, return_index=True)[1][labels].tobytes())
            if same in scored:
                continue
            P = max(np.mean([lasting_near(labels, tree) for tree in of_scale]) for of_scale in trees)
            A = np.mean(
                [
                    max((adjusted_rand(labels, other) for other in clusterings[of]), default=0.0)
                    for of in "TMW"
                    if of != kind
                ]
            )
            B = 0.0 if best.k == 1 else adjusted_rand(labels, best.labels)
            k = len(np.unique(labels))
            scored[same] = Candidate(kind, source, k, labels, float(P), float(A), B, w)
    return Judged(sorted(scored.values(), key=lambda c: (-c.score, c.k)), best)


def best_other(judged: Judged, below: float) -> Candidate | None:
    """The best candidate with another k and an ARI to the answer below this."""
    first = judged.answer
    for candidate in judged.candidates:
        if candidate.k != first.k and adjusted_rand(candidate.labels, first.labels) < below:
            return candidate
    return None


def margin(judged: Judged) -> float:
    other = best_other(judged, 0.9)
    return judged.answer.score - (0.0 if other is None else other.score)


# --- section 6: strength ------------------------------------------------------------------------------------


def strength(judged: Judged) -> str:
    """Strength by score and margin; the test of structure would divide the last."""
    score = judged.answer.score
    if score >= 1.6:
        return "clear"
    return "weak" if score >= 1.1 and margin(judged) >= 0.05 else "contested or none"


# --- section 7: levels --------------------------------------------------------------------------------------


def second(judged: Judged) -> Candidate | None:
    return best_other(judged, 0.7)


def is_level(judged: Judged) -> bool:
    """True if the second is nested with the answer and scores at least 1."""
    other = second(judged)
    if other is None or other.score < 1:
        return False
    coarse, fine = sorted((judged.answer, other), key=lambda candidate: candidate.k)
    clusters = [fine.labels == label for label in np.unique(fine.labels)]
    nested = sum(cluster.sum() for cluster in clusters if len(np.unique(coarse.labels[cluster])) == 1)
    return bool(nested >= 0.95 * len(fine.labels))
