"""Who judges the fits of a sweep: indices, curves and indices between runs; those that suit a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from partita.cluster_quality import LARGE, SAMPLE
from partita.errors import ParameterError, Phrase, Setting, near_names
from partita.partitions.models import last_step
from partita.registry import Index, find
from partita.registry.curves import Curve, select_entries
from partita.registry.lookup import HEADLINE, listed
from partita.registry.rules import RULES
from partita.selection.choices import one_of

__all__ = ["Judges", "judges_for", "with_rules"]

USUAL = {
    "mixture": ("bic", "icl", "partition_negentropy", "silhouette", "second_difference"),
    "fuzzy": ("fuzzy_silhouette", "xie_beni", "modified_partition_coefficient"),
    "binary": ("stochastic_complexity", "silhouette"),
    "density": ("dbcv", "silhouette"),
    "centres": ("silhouette", "calinski_harabasz", "xie_beni", "bic_partition", "second_difference"),
}
"""For each sort of method one or two indices of each family that suit it; density and resampling join."""

USUAL_AGAINST_TRUTH = ("adjusted_rand", "nmi_sum")


@dataclass(frozen=True)
class Judges:
    """What was asked for: indices of a fit, curves over k, and indices that compare the runs of a k."""

    entries: tuple[Index, ...]
    curves: tuple[Curve, ...] = ()
    consensus: tuple[Index, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    leaves_out: bool = False
    """Whether an index that cannot judge is left out: those that nobody asked for by name are."""
    named: frozenset[str] = frozenset()
    """The labels of those that were asked for by name, which are never left out."""

    def rule_of(self, judge: Index | Curve) -> str:
        """The rule by which an index or a curve chooses: its own, unless another was asked for."""
        return self.rules.get(judge.label, judge.rule)

    @property
    def labels(self) -> list[str]:
        """Every index that each fit needs, named once."""
        wanted = [e.label for e in self.entries] + [find(c.of).label for c in self.curves]
        return list(dict.fromkeys(wanted))

    def sampling(self, n_objects: int) -> Judges:
        """The same, silhouettes of many objects being estimated from some of them, unless they were named."""
        if n_objects <= LARGE:
            return self
        return replace(self, entries=tuple(map(self._sampled, self.entries)))

    def _sampled(self, entry: Index) -> Index:
        able = "sample_size" in entry.options and entry.options["sample_size"] is None
        return entry.using(sample_size=SAMPLE) if able and entry.label not in self.named else entry

    @property
    def of_distances(self) -> bool:
        """Whether X holds distances, which some index says."""
        return any(entry.options.get("metric") == "precomputed" for entry in self.entries)


def judges_for(indices: Any, consensus: Any, method: Any, has_truth: bool) -> Judges:
    """Indices and curves by name or by group, or those that suit the method; external ones need a truth."""
    sort = sort_of(method)
    usual = [*USUAL[sort], *(USUAL_AGAINST_TRUTH if has_truth else ())]
    inputs = ("X", *["truth"] * has_truth, "found", *["model"] * (sort == "mixture"))
    chosen, named = select_entries(HEADLINE if indices is None else indices, inputs, headline=usual)
    entries = {entry.label: entry for entry in chosen if isinstance(entry, Index)}
    read = [curve.among([*entries.values()]) for curve in chosen if isinstance(curve, Curve)]
    curves = {curve.label: curve for curve in read}
    between_runs = [find(name, parameter="consensus") for name in listed(consensus or ())]
    for entry in entries.values():
        if "truth" in entry.inputs and not has_truth:
            raise ParameterError(
                f"{entry.name} compares with a truth.",
                got="no truth",
                need=Phrase(Setting("truth", words="truth=...")),
                parameter="truth",
            )
    for entry in between_runs:
        _check_external(entry)
    if not entries and not curves and not between_runs:
        raise ParameterError("there is nothing to choose by.", got="no index", need="at least one")
    if not named and not curves and not between_runs and all(e.best is None for e in entries.values()):
        raise ParameterError(
            "none of these indices says that one clustering is better than another.",
            got=", ".join(entries),
            need="one with a best value",
            fix=None if has_truth else "truth=..., for indices that compare with one",
            parameter="indices",
        )
    every = {*entries, *(curve.label for curve in chosen if isinstance(curve, Curve))}
    return Judges(
        tuple(entries.values()),
        tuple(curves.values()),
        tuple(between_runs),
        leaves_out=bool(every - named),
        named=named,
    )


def sort_of(method: Any) -> str:
    """What sort of clusters a method makes, by the parameters that it has: a key of `USUAL`."""
    step = last_step(method)
    parameters = step.get_params(deep=False)
    if "covariance_type" in parameters:
        return "mixture"
    if type(step).__name__ == "StochasticComplexityClustering":
        return "binary"
    if "m" in parameters and "delta" not in parameters:
        return "fuzzy"
    return "density" if {"eps", "min_samples", "min_cluster_size"} & set(parameters) else "centres"


def with_rules(judges: Judges, rules: Any) -> Judges:
    """The judges with the rules asked for; each must be known, and belong to one of them."""
    if not isinstance(rules, Mapping):
        raise ParameterError(
            Phrase(Setting("rules"), " are no dictionary."),
            got=repr(rules),
            need='{index: rule}, such as {"BIC": "first_max"}',
        )
    asked = {e.label: e.direction for e in judges.entries} | {c.label: c.direction for c in judges.curves}
    named = {}
    for name, rule in rules.items():
        label = one_of(name, asked, noun="index among those asked for")
        if not isinstance(rule, str) or rule not in RULES:
            raise near_names(str(rule), RULES, noun="rule", parameter="rules")
        if asked[label] == "none" and rule != "at_most_10":
            raise ParameterError(
                f"{label} only describes: no rule but at_most_10 can use it.", got=repr(rule)
            )
        named[label] = rule
    return replace(judges, rules=named)


def _check_external(entry: Index) -> None:
    if set(entry.inputs) != {"truth", "found"}:
        raise ParameterError(
            f"{entry.name} does not compare two clusterings.",
            got=f"an index of {', '.join(entry.inputs)}",
            need="an external index, such as VI or ARI",
        )
