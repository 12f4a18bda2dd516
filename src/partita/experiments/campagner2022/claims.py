"""The theorem table of campagner2022: what the executed claims come to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from partita.experiments.campagner2022.theorems import plan_theorems, work_theorem
from partita.experiments.campagner2022.worlds import ZERO
from partita.experiments.findings import Finding, statement
from partita.experiments.studies import Part, Record, Run, Study
from partita.results import show

__all__ = ["THEOREMS"]

ERRORS = 4.0
"""Standard errors by which a frequency may differ from a probability."""


class Counts:
    """The counts of all worlds of a kind."""

    def __init__(self, records: Mapping[str, Record], kind: str) -> None:
        self.worlds = [record.values for key, record in records.items() if key.startswith(f"{kind}-")]
        self.pairs = sum(world["clusterings"] ** 2 for world in self.worlds)

    def total(self, name: str) -> int:
        """The sum of a count."""
        return sum(int(world[name]) for world in self.worlds)

    def worst(self, name: str) -> float:
        """The largest of a value; what rounding makes of 0 is 0."""
        value = max(float(world[name]) for world in self.worlds)
        return value if abs(value) > ZERO else 0.0

    @property
    def told(self) -> str:
        """On how many pairs."""
        return f"{self.pairs:,} pairs of small clusterings, two base distances"


def gather_theorems(records: Mapping[str, Record], _run: Run) -> Part:
    """A verdict on each statement of the theory."""
    values = {key: record.values for key, record in records.items()}
    rough, masses, fuzzy = (Counts(records, kind) for kind in ("rough", "evidential", "fuzzy"))
    findings = (
        *_on_kinds(values["generalises"]),
        *_on_theorem_1(masses),
        *_on_complexity(values["completions"], values["covers"]),
        *_on_proposition_1(rough),
        *_on_corollary_1(rough),
        *_on_theorem_4(masses, fuzzy, values["counterexample"]),
        *_on_proposition_2(values["mean"]),
        *_on_proposition_3(values["ends"]),
        *_on_sampling(values["hoeffding"], values["nested"]),
    )
    remarks = (
        (
            "claims on all clusterings are run on all rough, and some evidential and fuzzy, clusterings of "
            "2 to 4 objects, by the partition distance and one minus the Rand index: a refutation is final, "
            "agreement is no proof"
        ),
        "hard clusterings count as the same if they are so up to relabelling",
    )
    return Part(findings, {}, (), remarks)


def _on_kinds(got: Mapping[str, Any]) -> list[Finding]:
    gap = max(abs(a - b) for a, b in zip(got["cuts"], got["masses"], strict=True))
    apart = max(abs(a - b) for a, b in zip(got["literal"], got["law"], strict=True))
    return [
        statement(
            "Section 3.2",
            "d_E is a generalization of d_R",
            got["rough"] == got["roughs"],
            f"{got['rough']} of {got['roughs']} rough clusterings have the same set of values as masses",
        ),
        statement(
            "Section 3.2",
            "d_E is a generalization of d_P",
            gap <= ZERO,
            f"one example, t-norm minimum: expectations {_both(got['cuts'])}, as consonant masses "
            f"{_both(got['masses'])}",
            unless="the minimum cuts all objects at one level, the product of masses each at its own",
        ),
        statement(
            "Section 3.2",
            "with the product t-norm and its dual s-conorm, d_P can be applied directly to fuzzy clusterings",
            apart <= ZERO,
            f"one example: {_both(got['literal'])} in place of the probabilities {_both(got['law'])}",
            unless="the probabilistic sum is no sum: what it gives is no probability law; d_F needs the sum",
        ),
    ]


def _both(values: Any) -> str:
    return f"({', '.join(show(round(value, 4)) for value in values)})"


def _on_theorem_1(masses: Counts) -> list[Finding]:
    wrong, several = masses.total("wrong_sure"), masses.total("several")
    return [
        statement(
            "Theorem 1",
            "d_E is symmetric",
            masses.worst("asymmetric") <= ZERO,
            f"largest difference {show(masses.worst('asymmetric'))} where both orders were computed",
        ),
        statement(
            "Theorem 1",
            "d_E(M1, M2)(0) = 1 iff all that both may stand for is one hard clustering",
            wrong == 0,
            f"{wrong} exceptions in {masses.told}",
        ),
        statement(
            "Theorem 1",
            "equality of M1 and M2 does not suffice, unless they are hard",
            masses.total("equal_not_sure") == several,
            f"{masses.total('equal_not_sure')} of {several} soft clusterings are not surely at 0 from itself",
        ),
    ]


def _on_complexity(completions: Mapping[str, Any], covers: Mapping[str, Any]) -> list[Finding]:
    agree = covers["right"] == covers["instances"]
    return [
        statement(
            "Theorem 2",
            "computing d_R has complexity O(k^m), m the number of ambiguous objects",
            None,
            "an upper bound, which no run can show; for few clusters it is far off: all "
            f"{completions['values']} values over {float(completions['completions']):.2g} completions, "
            f"{completions['method']}",
            unless="a bound on work is no number",
        ),
        statement(
            "Theorem 3",
            "computing the ends of d_R is NP-hard",
            None if agree else False,
            f"exact cover by triples as an end: right for {covers['right']} of {covers['instances']}, "
            f"{covers['covered']} of them with a cover",
            unless="no proof is given, and hardness cannot be run; a reduction of ours can, and agrees"
            if agree
            else "a reduction of ours does not agree",
        ),
    ]


def _on_proposition_1(rough: Counts) -> list[Finding]:
    example = next((world["example"] for world in rough.worlds if world["example"]), "")
    relabelled = rough.total("relabelled")
    return [
        statement(
            "Proposition 1",
            "1 - d^l is a consistency: d^l(R, R) = 0, symmetric",
            rough.worst("self_lower") <= ZERO and rough.worst("asymmetric") <= ZERO,
            f"d^l(R, R) at most {show(rough.worst('self_lower'))}, in {rough.told}",
        ),
        statement(
            "Proposition 1",
            "d^l = 0 iff C(R1) and C(R2) intersect",
            rough.total("wrong_lower") == 0,
            f"{rough.total('wrong_lower')} exceptions in {rough.told}, up to relabelling",
        ),
        statement(
            "Proposition 1",
            "d^u = 0 iff both are the same hard clustering",
            rough.total("wrong_upper") == 0,
            f"{rough.total('wrong_upper')} exceptions in {rough.told}, up to relabelling",
        ),
        statement(
            "Proposition 1, to the letter",
            "d^u = 0 iff R1 = R2 and |C(R1)| = 1",
            relabelled == 0,
            f"{relabelled} exceptions in {rough.told}{f', such as {example} with itself' if example else ''}",
            unless="labels that differ may be the same clustering, and several completions too",
        ),
        statement(
            "Proposition 1",
            "d^u is a meta-metric: it satisfies the triangle inequality",
            rough.worst("triangle_upper") <= ZERO,
            f"missed by at most {show(rough.worst('triangle_upper'))} over all triples",
        ),
        statement(
            "Proof of Proposition 1",
            "d^l does not satisfy the triangle inequality",
            rough.worst("triangle_lower") > ZERO,
            f"missed by up to {show(rough.worst('triangle_lower'))}",
        ),
    ]


def _on_corollary_1(rough: Counts) -> list[Finding]:
    return [
        statement(
            "Corollary 1",
            "if either side is hard, d^u is the Hausdorff distance, and so a metric",
            rough.worst("hausdorff") <= ZERO,
            f"largest gap {show(rough.worst('hausdorff'))} in {rough.total('hausdorff_pairs'):,} pairs",
        ),
        statement(
            "Corollary 1",
            "it is a metric only then: d^u(R, R) > 0 for all others",
            rough.total("self_upper_zero") == 0,
            f"{rough.total('self_upper_zero')} exceptions, up to relabelling",
        ),
    ]


def _on_theorem_4(masses: Counts, fuzzy: Counts, example: Mapping[str, Any]) -> list[Finding]:
    lower, upper = example["lower"], example["upper"]
    zero = masses.total("lower_zero_but_unlike")
    return [
        statement(
            "Theorem 4",
            "the upper expectation E(d^u) is a meta-metric",
            masses.total("wrong_upper") == 0 and masses.worst("triangle_upper") <= ZERO,
            f"{masses.total('wrong_upper')} wrong zeros in {masses.told}; triangle inequality missed by at "
            f"most {show(masses.worst('triangle_upper'))}",
        ),
        statement(
            "Theorem 4",
            "the lower expectation E(d^l) satisfies (M1b) and (M2): it is 0 for equal clusterings only",
            zero == 0 and lower["AB"] > ZERO,
            f"{zero} exceptions in {masses.told}; A = [{{0}}, {{0}}, {{0,1}}], B = [{{0}}, {{0}}, {{0}}]: "
            f"E(d^l) = {show(lower['AB'])}",
            unless="false as printed: what is compatible has lower distance 0, equal or not; with "
            f"C = [{{0}}, {{0}}, {{1}}] the triangle inequality fails too ({show(round(lower['BC'], 4))} > "
            f"{show(lower['AB'])} + {show(lower['AC'])})",
        ),
        statement(
            "Theorem 4",
            "if either is hard, 1 - E(d^l) is a consistency and E(d^u) a metric",
            max(masses.worst("self_lower_hard"), masses.worst("self_upper_hard")) <= ZERO,
            f"{masses.total('hard')} hard ones are at most {show(masses.worst('self_upper_hard'))} from "
            f"themselves; A, which is soft, {show(round(upper['AA'], 4))}",
        ),
        statement(
            "Theorem 4",
            "E(d_F) of fuzzy clusterings is a meta-metric, and both expectations are the same",
            fuzzy.total("wrong_upper") == 0
            and fuzzy.worst("triangle_upper") <= ZERO
            and fuzzy.worst("ends_apart") <= ZERO,
            f"{fuzzy.total('wrong_upper')} wrong zeros in {fuzzy.told}; triangle inequality missed by at "
            f"most {show(fuzzy.worst('triangle_upper'))}; "
            f"{fuzzy.total('several') - fuzzy.total('self_zero')} of {fuzzy.total('several')} soft ones are "
            "away from themselves",
        ),
    ]


def _on_proposition_2(mean: Mapping[str, Any]) -> list[Finding]:
    return [
        statement(
            "Proposition 2",
            "E(d_F) of one minus the Rand index can be computed in O(n^2)",
            mean["gap"] <= ZERO and mean["method"] == "exact",
            f"closed form and all completions differ by at most {_rounded(mean['gap'])}; it takes linear "
            f"time, here {mean['objects']:,} objects",
        ),
        statement(
            "Proof of Proposition 2",
            "E(d_F) = 1 - Rand_F, the fuzzy Rand index by product t-norm",
            mean["kin"] <= ZERO,
            "(n - 1)/n times the Rand distance of co-associations (rovetta2009), without pairs of an "
            f"object and itself: differs by at most {_rounded(mean['kin'])}",
        ),
    ]


def _rounded(value: float) -> str:
    return show(value if value > ZERO else 0.0)


def _on_proposition_3(ends: Mapping[str, Any]) -> list[Finding]:
    right_lower, right_upper = ends["right"]

    def within(frequency: float, chance: float) -> bool:
        error = math.sqrt(max(chance * (1 - chance), 0.0) / ends["repeats"])
        return abs(frequency - chance) <= ERRORS * error + ZERO

    told = f"{ends['draws']} draws, epsilon 1/6, {ends['repeats']:,} repeats"
    shares = ends["completions"] / ends["values"]
    return [
        statement(
            "Proposition 3, eq. (11)",
            "Pr(d^u - max of s draws >= eps) <= F(d^u - eps)^s",
            within(ends["upper_missed"], ends["eq11"]),
            f"happened in {ends['upper_missed']:.3f}, the formula {ends['eq11']:.3f} ({told})",
        ),
        statement(
            "Proposition 3, eq. (12)",
            "Pr(min of s draws - d^l >= eps) <= 1 - (1 - F(eps - d^l))^s",
            ends["lower_missed"] <= ends["eq12"] + 0.01,
            f"happened in {ends['lower_missed']:.3f}, the formula {ends['eq12']:.3f} ({told})",
            unless=f"(1 - F(d^l + eps))^s, F below that value, is right: {right_lower:.3f}"
            if within(ends["lower_missed"], right_lower) and within(ends["upper_missed"], right_upper)
            else "",
        ),
        statement(
            "Proposition 3",
            "p_R, completions of a value by the number of values, is a probability distribution",
            abs(shares - 1) <= ZERO,
            f"it sums to {show(round(shares, 4))} in the example",
            unless="it must be divided by the number of completions",
        ),
    ]


def _on_sampling(means: Mapping[str, Any], nested: Mapping[str, Any]) -> list[Finding]:
    kept = all(off <= bound for off, bound in zip(means["off"], means["bound"], strict=True))
    last = len(means["epsilons"]) - 1
    bound = math.sqrt(math.log(2 / 0.001) / (2 * nested["draws"]))
    gaps = {
        how: max(abs(a - b) for a, b in zip(nested[how], nested["exact"], strict=True))
        for how in ("sample", "nested")
    }
    inwards = nested["nested"][0] > nested["exact"][0] and nested["nested"][1] < nested["exact"][1]
    return [
        statement(
            "Proposition 4",
            "Pr(|mean of s draws - E(d_F)| >= eps) <= 2 exp(-2 s eps^2)",
            kept,
            f"kept at {len(means['epsilons'])} values of eps; at {means['epsilons'][last]} it happened in "
            f"{means['off'][last]:.3f}, the bound is {means['bound'][last]:.3f} ({means['draws']} draws, "
            f"{means['repeats']:,} repeats)",
        ),
        statement(
            "Proposition 5",
            "the same for both expectations of d_E, with exact ends of each draw",
            gaps["sample"] <= bound,
            f"off by {gaps['sample']:.4f} with {nested['draws']:,} draws; more than {bound:.4f} has a chance "
            "of 0.001 at most",
        ),
        statement(
            "Section 3.3",
            "with nested sampling one should expect a larger approximation error",
            gaps["nested"] > max(bound, gaps["sample"]) and inwards,
            f"{_both(nested['nested'])} in place of {_both(nested['exact'])}: off by {gaps['nested']:.4f}, "
            f"{'inwards at both ends' if inwards else 'not inwards at both ends'}",
        ),
    ]


THEOREMS = Study(
    "theorems", "theorems and propositions, as executed claims", plan_theorems, work_theorem, gather_theorems
)
