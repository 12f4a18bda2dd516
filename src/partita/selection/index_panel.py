"""The indices, curves and consensus indices that evaluate clusterings; those that suit a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from partita.cluster_quality import LARGE, SAMPLE
from partita.errors import ParameterError, Phrase, Setting, near_names
from partita.fits.models import method_sort
from partita.registry import Index, find
from partita.registry.curves import Curve, select_entries
from partita.registry.lookup import HEADLINE, listed
from partita.registry.rules import RULES
from partita.results.index_names import one_of
from partita.statistics.distances.objects_by_cluster import PRECOMPUTED

__all__ = ["HEADLINE_OF", "Panel", "panel_for", "panel_for_method"]

HEADLINE_OF = {
    "mixture": ("bic", "icl", "partition_negentropy", "silhouette", "second_difference"),
    "fuzzy": ("fuzzy_silhouette", "xie_beni", "modified_partition_coefficient"),
    "binary": ("stochastic_complexity", "silhouette"),
    "density": ("dbcv", "silhouette"),
    "centres": ("silhouette", "calinski_harabasz", "xie_beni", "bic_partition", "second_difference"),
}
"""For each sort of method one or two indices of each family that suit it."""

HEADLINE_WITH_TRUTH = ("adjusted_rand", "nmi_sum")


@dataclass(frozen=True)
class Panel:
    """The indices of a fit, curves over k, and indices that compare the runs of a k.

    Attributes
    ----------
    entries, curves, consensus : tuples
        What was asked for.
    rules : dict
        Other rules than their own, by label.
    leaves_out : bool
        True where an index that cannot evaluate is left out: those are that nobody asked for by name.
    named : frozenset of str
        The labels of those that were asked for by name, which are never left out.
    left_out : dict
        Curves of a group that do not apply, where numbers of clusters are not swept, each with the reason.
    """

    entries: tuple[Index, ...]
    curves: tuple[Curve, ...] = ()
    consensus: tuple[Index, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    leaves_out: bool = False
    named: frozenset[str] = frozenset()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def rule_of(self, one: Index | Curve) -> str:
        """The rule by which an index or a curve chooses: its own, unless another was asked for."""
        return self.rules.get(one.label, one.rule)

    @property
    def labels(self) -> list[str]:
        """Every index that each fit needs, named once."""
        wanted = [e.label for e in self.entries] + [find(c.of).label for c in self.curves]
        return list(dict.fromkeys(wanted))

    @property
    def of_distances(self) -> bool:
        """True where some index says that X holds distances."""
        return any(entry.options.get("metric") == "precomputed" for entry in self.entries)

    def of_given_distances(self) -> Panel:
        """The same for distances between objects: indices with centres are left out, or refused if named."""
        entries: list[Index] = []
        left_out, named = dict(self.left_out), set(self.named)
        for entry in self.entries:
            metric = entry.options.get("metric")
            if "X" not in entry.inputs or metric == PRECOMPUTED:
                entries.append(entry)
            elif metric is not None and metric == entry.defaults["metric"]:
                entries.append(entry.using(metric=PRECOMPUTED))
                named |= {entries[-1].label} if entry.label in self.named else set()
            else:
                left_out[entry.label] = (
                    "needs features: it has centres, and distances have none"
                    if metric is None
                    else "needs features: the distances are those of another metric"
                )
        left_out |= {curve.label: "needs features: it has centres" for curve in self.curves}
        refused = next((label for label in left_out if label in self.named), None)
        if refused is not None:
            raise ParameterError(
                f"{refused} cannot be computed from distances.",
                got=left_out[refused],
                need="an index of distances, such as silhouette, dunn or DBCV",
                parameter="indices",
            )
        return replace(
            self,
            entries=tuple(entries),
            curves=(),
            left_out=left_out,
            named=frozenset(named),
            leaves_out=True,
        )

    def sampling(self, n_objects: int) -> Panel:
        """The same, with silhouettes of many objects estimated from a sample unless they were named."""
        if n_objects <= LARGE:
            return self
        sampled = tuple(
            entry.using(sample_size=SAMPLE)
            if entry.options.get("sample_size", 0) is None and entry.label not in self.named
            else entry
            for entry in self.entries
        )
        return replace(self, entries=sampled)

    def with_rules(self, rules: Any) -> Panel:
        """The same with other rules; each must be known, and belong to one of the indices or curves."""
        if not isinstance(rules, Mapping):
            raise ParameterError(
                Phrase(Setting("rules"), " must be a dictionary."),
                got=repr(rules),
                need='{index: rule}, such as {"BIC": "first_max"}',
            )
        judges: tuple[Any, ...] = (*self.entries, *self.curves)
        asked = {one.label: one.direction for one in judges}
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
        return replace(self, rules=named)


def panel_for(
    indices: Any, headline: Sequence[str], inputs: Sequence[str], consensus: Any = None, *, swept: bool = True
) -> Panel:
    """The panel of indices by name or by group, or of the usual ones.

    Parameters
    ----------
    indices, consensus : names, optional
        As `choose_k` takes them.
    headline : list of str
        The usual ones.
    inputs : list of str
        What indices may take: "X", "found", and "truth" or "model" where there is one.
    swept : bool
        False where numbers of clusters are not swept: curves over them are refused if they are named.
    """
    chosen, named = select_entries(HEADLINE if indices is None else indices, tuple(inputs), headline=headline)
    entries = {entry.label: entry for entry in chosen if isinstance(entry, Index)}
    curves = [curve for curve in chosen if isinstance(curve, Curve)]
    every = {*entries, *(curve.label for curve in curves)}
    left_out: dict[str, str] = {}
    if swept:
        curves = [curve.among([*entries.values()]) for curve in curves]
    else:
        for curve in curves:
            if curve.label in named:
                raise ParameterError(
                    f"{curve.label} is a curve over numbers of clusters, which are not swept here.",
                    got=repr(curve.label),
                    need="an index of one clustering",
                    fix="choose_k(X, estimator, ks)",
                    parameter="indices",
                )
        left_out = {curve.label: "a curve over numbers of clusters" for curve in curves}
        curves = []
    between_runs = tuple(find(name, parameter="consensus") for name in listed(consensus or ()))
    for entry in entries.values():
        if "truth" in entry.inputs and "truth" not in inputs:
            raise ParameterError(
                f"{entry.name} compares with a truth.",
                got="no truth",
                need=Phrase(Setting("truth", words="truth=...")),
                parameter="truth",
            )
    for entry in between_runs:
        if set(entry.inputs) != {"truth", "found"}:
            raise ParameterError(
                f"{entry.name} does not compare two clusterings.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an external index, such as VI or ARI",
            )
    if not entries and not curves and not between_runs:
        raise ParameterError("there is nothing to choose by.", got="no index", need="at least one")
    describes = all(entry.best is None for entry in entries.values())
    are_functions = all(entry.made_by is not None for entry in entries.values())
    if describes and not curves and not between_runs and not (named and (swept or are_functions)):
        raise ParameterError(
            "none of these indices prefers one clustering to another.",
            got=", ".join(entries),
            need="one with a best value",
            fix=None if "truth" in inputs or not swept else "truth=..., for indices that compare with one",
            parameter="indices",
        )
    unique = {curve.label: curve for curve in curves}
    return Panel(
        tuple(entries.values()),
        tuple(unique.values()),
        between_runs,
        leaves_out=bool(every - named),
        named=named,
        left_out=left_out,
    )


def panel_for_method(
    indices: Any, consensus: Any, method: Any, *, has_truth: bool, swept: bool = True
) -> Panel:
    """The panel of indices by name, or those that suit a method; external ones need a truth."""
    sort = method_sort(method)
    headline = [*HEADLINE_OF[sort], *(HEADLINE_WITH_TRUTH if has_truth else ())]
    inputs = ("X", *["truth"] * has_truth, "found", *["model"] * (sort == "mixture"))
    return panel_for(indices, headline, inputs, consensus, swept=swept)
