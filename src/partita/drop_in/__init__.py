"""scikit-learn's clustering metrics, by its names and signatures, on partita's engine.

Import a metric from ``partita.drop_in`` instead of ``sklearn.metrics``, and the rest of a program stays as it
is: argument order, values in degenerate cases, and the words of error messages are scikit-learn's. Labels are
one-dimensional and compared by position: the index of a pandas series is not looked at, and -1 is a cluster
like any other. Labels that look continuous are taken for categories, with a `UserWarning`.

Three things differ on purpose: `mutual_info_score` is right on fractional tables too, 0/0 is a fixed value
instead of rounding noise, and what could only give a meaningless number is refused.
"""

from partita.drop_in.supervised import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    contingency_matrix,
    expected_mutual_information,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    v_measure_score,
)
from partita.drop_in.unsupervised import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_samples,
    silhouette_score,
)

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]
