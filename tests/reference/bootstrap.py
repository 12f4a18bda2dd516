"""Bootstrap and jackknife by the definition: objects are drawn, or left out, one after the other."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np


def percentile_interval(replicates, confidence):
    """The shares (1 - c) / 2 and (1 + c) / 2 of the sorted replicates, linear between them."""
    ordered = sorted(replicates)
    ends = []
    for share in ((1 - confidence) / 2, (1 + confidence) / 2):
        place = share * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        ends.append(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
    return tuple(ends)


def left_out(index, truth, found):
    """The value without each object."""
    truth, found = np.asarray(truth), np.asarray(found)
    return [index(np.delete(truth, i, 0), np.delete(found, i, 0)) for i in range(len(truth))]


def bca_interval(replicates, value, values_left_out, confidence):
    """Efron (1987): bias correction from the share of replicates below, acceleration from the jackknife."""
    normal = NormalDist()
    below = sum(r < value for r in replicates) + 0.5 * sum(r == value for r in replicates)
    z0 = normal.inv_cdf(below / len(replicates))
    mean = sum(values_left_out) / len(values_left_out)
    apart = [mean - v for v in values_left_out]
    a = sum(x**3 for x in apart) / (6 * sum(x**2 for x in apart) ** 1.5)
    shares = []
    for alpha in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = z0 + normal.inv_cdf(alpha)
        shares.append(normal.cdf(z0 + z / (1 - a * z)))
    ordered = sorted(replicates)
    ends = []
    for share in shares:
        place = share * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        ends.append(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
    return tuple(ends)


def jackknife_error(values_left_out):
    """The square root of (n - 1) / n times the sum of squares about the mean."""
    n = len(values_left_out)
    mean = sum(values_left_out) / n
    return math.sqrt((n - 1) / n * sum((v - mean) ** 2 for v in values_left_out))


def jackknife_bias(value, values_left_out):
    """n - 1 times how far the mean without one object lies above the value (Quenouille 1956)."""
    n = len(values_left_out)
    return (n - 1) * (sum(values_left_out) / n - value)


def debiased_interval(replicates, value, bias, error, confidence):
    """Percentiles of the replicates about their mean, around value - bias, widened to a larger error."""
    n = len(replicates)
    mean = sum(replicates) / n
    own = math.sqrt(sum((r - mean) ** 2 for r in replicates) / (n - 1))
    wider = max(1.0, error / own)
    return percentile_interval([value - bias + wider * (r - mean) for r in replicates], confidence)
