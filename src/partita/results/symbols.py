"""What the letters of formulas stand for: by family, for some indices by themselves, and everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from partita.registry import Index
from partita.registry.curves import Curve
from partita.registry.families import family_of_module
from partita.results.formulas import letters, readable

__all__ = ["symbols_of"]

TABLE = {
    "n_{ij}": "objects in cluster i of the truth and j of the clustering found; a dot stands for a sum, so"
    " that n_i. and n_.j are the sizes of the clusters, and n is the number of objects",
    "i": "clusters of the truth",
    "j, l": "clusters of the clustering found",
}
CENTRES = {
    "x_i": "an object, a row of the data",
    "u_{ij}": "membership of object i in cluster j: 1 or 0 for labels",
    "c_j": "the centre of cluster j",
    "n_j": "the size of cluster j; n is the number of objects",
    "i": "objects",
    "j": "clusters",
}
PROTOTYPES = {
    "u_{ik}": "membership of object i in cluster k",
    "x_i": "an object, a row of the data",
    "v_k": "the centre of cluster k",
    "m": "the fuzzifier: the power of the memberships",
    "i": "objects",
    "j": "clusters",
    "k": "clusters; alone, their number",
}
FIRST_AND_SECOND = {
    "a": "pairs of objects that are together in both clusterings",
    "b": "pairs together in the truth only",
    "c": "pairs together in the clustering found only",
    "d": "pairs together in neither",
}

OF_FAMILY: Mapping[str, Mapping[str, str]] = {
    "information": {
        "H": "entropy: of a clustering, of two together, or of one where the other is known",
        "I": "mutual information: what one clustering tells about the other",
        "U, V": "the two clusterings, truth and found",
        "G": "the truth",
        "P": "the clustering found",
        "p_{ij}": "share of the objects in cluster i of the truth and j of the clustering found; a dot stands"
        " for a sum, so that p_i. and p_.j are the shares of the clusters",
        "i": "clusters of the truth",
        "j": "clusters of the clustering found",
        "E": "the mean over all shuffles of the objects",
        r"\operatorname{avg}": "the mean that the option average names",
        "h": "homogeneity",
        "c": "completeness",
        r"\beta": "the weight of completeness",
    },
    "pairs": {
        **FIRST_AND_SECOND,
        **TABLE,
        r"\Gamma": "the index itself",
        r"\mathrm{RI}": "the Rand index",
    },
    "resampling": TABLE,
    "matching": {
        **TABLE,
        r"\sigma": "clusters matched one to one: the partner of i is σ(i)",
        r"\lambda": "the index itself",
        "S": "what the pairs of clusters have in common",
        "E": "the same between clusters of random objects, the largest with the largest",
        "r": "the rank of a cluster by its size",
        "k": "number of clusters; k' that of the other clustering",
    },
    "bcubed": {**TABLE, "P": "bcubed_precision", "R": "bcubed_recall"},
    "coassociation": {
        "a_{ij}": "how far objects i and j are together in the truth: 1 or 0 for labels",
        "b_{ij}": "the same in the clustering found",
        "i, j": "objects",
        "H": "number of pairs of objects, n (n - 1) / 2",
        "d_{ij}": "how much the two differ on a pair",
        r"\mathrm{corr}": "the correlation over all pairs of objects",
        "E": "the mean of the index over all shuffles of the objects",
        "F": "frobenius_rand",
        "G": "belief_rand",
    },
    "soft_rand": {
        "a, b, c, d": "degrees to which pairs are together in both clusterings, in the truth only, in the"
        " one found only, and in neither, added up over all pairs",
        "u_i": "the memberships of object i in the truth",
        "v_i": "its memberships in the clustering found",
        "i, j": "objects",
        "x_p": "how far apart the two objects of a pair are in the truth: half the sum of the differences of "
        "their memberships",
        "y_p": "the same in the clustering found",
        "p, q": "pairs of objects",
    },
    "credal": {
        "m_{ij}": "mass, what is believed of objects i and j: that they are together, apart, either or"
        " neither",
        "s": "together; ¬s is apart",
        r"\Delta": "the difference between the two clusterings",
        "i, j": "objects",
        "u_{ir}": "membership of object i in cluster r of the truth",
        "v_{ir}": "the same in the clustering found",
        "r": "clusters",
        r"\pi": "clusters matched one to one: the partner of r is π(r)",
    },
    "centroids": {
        **TABLE,
        "C": "the centres of one clustering, and C' those of the other",
        "c_i": "a centre of the truth, and c'_j one of the clustering found",
        r"\mathrm{CI}": "how many centres of one clustering are the nearest of no centre of the other",
        "q_i": "the centre of the clustering found that is nearest to i, and q'_j the other way round",
        r"\sigma": "centres matched one to one: the partner of i is σ(i)",
    },
    "compactness": {**CENTRES, "n_i": "the size of cluster i; n is the number of objects"},
    "separation": {
        "i, j": "clusters",
        "x, y": "objects",
        "d": "the distance between two objects",
        r"\delta": "the distance between two clusters, by the option delta",
        r"\Delta": "the width of a cluster, by the option diameter",
        "u_{ij}": CENTRES["u_{ij}"],
        "c_j": CENTRES["c_j"],
    },
    "density": {
        r"\mathrm{DSC}": "how sparse a cluster is: the longest internal edge of its minimum spanning tree",
        r"\mathrm{DSPC}": "how far two clusters are apart: the least reach between their internal objects",
        "a(x)": "the core distance of an object: its mean distance to its cluster, in which near objects"
        " count most",
        "r(x, y)": "the reach of two objects",
        "n_i": "the size of cluster i; n is the number of objects",
        "i, j": "clusters",
        "x, y": "objects",
        "d": "of two objects, their distance; as a power, the number of features",
    },
    "memberships": {
        **PROTOTYPES,
        "PC": "the partition coefficient",
        "F_k": "the fuzzy covariance of cluster k; |F_k| is its determinant",
        "I_k": "the objects that are well inside cluster k",
        "A": "a set of clusters; |A| is how many",
    },
    "likelihood": {
        "L": "the likelihood of the fitted mixture",
        "p": "number of free parameters",
        "r_{ik}": "the probability that object i comes from component k",
        "i": "objects",
        "k": "components",
    },
    "curves": {
        "F_k": "the value of the curve at k clusters",
        "k": "number of clusters",
        "D_k": "the scatter within clusters for each object and feature, at k clusters",
        "Y": "the power of the transformation",
        "B": "number of data sets without structure",
        "b": "such a data set; * marks what comes from it",
        "DIFF_k": "by how much the k-th cluster lowers the scatter, as far as k^(2/d) does not explain it",
    },
}
"""By family of the index; ``curves`` are those over numbers of clusters."""

OF_INDEX: Mapping[str, Mapping[str, str]] = {
    "entropy": {
        "U": "the clustering",
        "p_i": "share of the objects in cluster i",
        "i": "clusters",
        "H": "entropy",
    },
    "frobenius_rand": {
        "X": "how far objects are together in the truth, a matrix",
        "Y": "the same in the clustering found",
        "U": "the memberships of the truth, a row for each object",
        "J": "a matrix of ones",
        "F": "the length of a matrix: the root of the sum of its squares",
    },
    "belief_rand": {
        "j, a": "how far a pair of objects is together (joint), and apart",
        "U, V": "in the truth, and in the clustering found",
    },
    "hullermeier_rifqi": {r"\|x\|": "with a 1 below, the sum of the absolute values of a vector"},
    "centroid_ratio": {"l": "any other cluster of the same clustering"},
    "generalized_centroid_index": {
        r"\mathrm{CI}": "how many clusters of one clustering overlap most with no cluster of the other",
    },
    "marriott": {"W": "the matrix of scatter within clusters; |W| is its determinant"},
    "bic_partition": {"s": "the standard deviation within clusters", r"\pi": "3.14159..."},
    "davies_bouldin": {
        "S_i": "how far the objects of cluster i are from its centre, on average",
        "i, j": "clusters",
        "x": "objects",
        "c_i": "the centre of cluster i",
        "n_i": "the size of cluster i",
        "p": "the power of the distance: 2 is Euclid's",
        "q": "the power of the mean",
    },
    "xie_beni": {
        "i": "objects",
        "j, s, t": "clusters",
        "x_i": CENTRES["x_i"],
        "m": "the fuzzifier: the power of the memberships",
    },
    "silhouette": {
        "a_i": "mean distance of object i to the others of its cluster",
        "b_i": "its mean distance to the nearest other cluster",
    },
    "simplified_silhouette": {
        "a_i": "distance of object i to the centre of its cluster",
        "b_i": "its distance to the nearest other centre",
        "p(i)": "the cluster of object i",
    },
    "sci": {"i, j": "clusters", "x": "objects", "c_i": "the centre of cluster i"},
    "fuzzy_silhouette": {
        "s_i": "the silhouette of object i",
        "u_{i(1)}": "the largest membership of object i, and u_{i(2)} the second largest",
        r"\alpha": "the power of their difference",
    },
    "macro_silhouette": {
        "a_i": "mean distance of object i to the others of its cluster",
        "b_i": "its mean distance to the nearest other cluster",
        "n_c": "the size of cluster c",
        "c": "clusters",
    },
    "disco": {
        r"\rho(x)": "the score of object x",
        "a(x)": "mean density-connectivity distance of object x to the others of its cluster",
        "b(x)": "its mean density-connectivity distance to the nearest other cluster",
        r"\kappa": "of an object, its core distance; of a cluster, the largest core distance in it",
        "C": "clusters",
    },
    "dc_dunn": {
        "d": "the density-connectivity distance: the largest step on the best path between two objects",
    },
    "partition_negentropy": {
        "c": "clusters",
        "p(c)": "share of the objects in cluster c",
        r"\Sigma_c": "the covariance of cluster c; |Σ_c| is its determinant",
    },
    "partition_overlap": {
        "u_{ik}": "the membership of object i in cluster k",
        "i": "objects",
        "k": "clusters",
    },
    "cluster_negentropy": {
        "c": "clusters",
        "p(c)": "share of the objects in cluster c",
        r"\Sigma_c": "the covariance of cluster c; |Σ_c| is its determinant",
        "H(X | c)": "the entropy of the data in cluster c",
        "X": "the data",
        "e": "2.71828...",
        r"\pi": "3.14159...",
    },
    "stochastic_complexity": {
        "n_{ij}": "ones of feature i in cluster j; n_j is the size of cluster j, n the number of objects",
        "i": "features",
        "j": "clusters",
        "k": "number of clusters",
        "B": "the beta function",
        r"\Gamma": "the gamma function",
    },
    "nonspecificity": {"m_i": "mass: how much object i is given to a set of clusters", "i": "objects"},
}
"""Letters that an index has for itself."""

EVERYWHERE = {
    "n": "number of objects",
    "k": "number of clusters",
    "d": "number of features",
    r"\binom{x}{2}": "number of pairs among x objects",
    r"\bar x": "the mean over all objects",
    r"\|x\|": "the length of a vector, so that ‖x - y‖ is a distance",
    r"\tilde X": "X scaled to its best length",
    "SSW": "sum of squared distances of the objects to the centres of their clusters",
    "SSB": "sum of squared distances of the centres to the mean of all objects, by the sizes of the clusters",
    "SST": "sum of squared distances of the objects to their mean: SSW + SSB",
}
MEAN_OVER_PAIRS = {r"\bar x": "the mean over all pairs of objects"}


def symbols_of(entry: Index | Curve) -> dict[str, str]:
    """What the letters of the formula of an index, or a curve, stand for, in the order in which they come.

    Nothing for an index of a family that is not ours: its letters may be anything.
    """
    family = family_of_module(entry.module) if isinstance(entry, Index) else "curves"
    if family not in OF_FAMILY:
        return {}
    over_pairs = MEAN_OVER_PAIRS if family in ("coassociation", "soft_rand") else {}
    shelves = (OF_INDEX.get(entry.name, {}), OF_FAMILY.get(family, {}), over_pairs, EVERYWHERE)
    used = letters(entry.formula)
    known: dict[str, tuple[str, str]] = {}
    # n_i is not n: what has a subscript explains a letter without one only where nothing else does
    for suits in (_is_written_like, lambda *_: True):
        for key, meaning in (row for shelf in shelves for row in shelf.items()):
            parts = {_head(p): p for p in _parts(key) if suits(p, entry.formula)}
            new = [head for head in parts if head in used and head not in known]
            if new:
                shown = ", ".join(readable(parts[head]) for head in new)
                known |= dict.fromkeys(new, (shown, meaning))
    return dict(dict.fromkeys(known[letter] for letter in used if letter in known).keys())


def _parts(key: str) -> Iterator[str]:
    """The symbols that a key explains together: those between commas outside brackets."""
    yield from key.split(", ") if "(" not in key else [key]


def _head(part: str) -> str:
    return letters(part)[0]


def _is_written_like(part: str, formula: str) -> bool:
    """Whether the formula has the letter with a subscript where the key has one."""
    letter, subscript, _ = part.partition("_")
    return not subscript or bool(re.search(rf"(?<![A-Za-z]){re.escape(letter)}'?_", formula))
