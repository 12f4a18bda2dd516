"""`choose_k`: fits over numbers of clusters and seeds, judged, and turned into choices and votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from partita.errors import ParameterError, Phrase, Setting, near_names
from partita.fits.checkpoints import root_seed
from partita.fits.models import is_random, k_parameter
from partita.fits.tasks import check_count, numbers_of_clusters, refuse_many, task_seed
from partita.inputs import prepare
from partita.partitions import DataMatrix, Partition, complete_data
from partita.partitions.models import check_space, last_step, preparing_steps, space_note
from partita.registry import Index, find
from partita.registry.curves import Curve, find_entry
from partita.registry.lookup import listed
from partita.registry.rules import RULES
from partita.selection.choices import ChoiceOfK, one_of
from partita.selection.deciding import decide
from partita.selection.strategies import BRUTE_FORCE, method_for, search_fits
from partita.selection.sweep import ON_DATA, Judges, Sweep

USUAL = ("silhouette", "calinski_harabasz", "davies_bouldin", "wb_index")
"""Judges of a clustering when none are named."""

USUAL_OF_MIXTURES = ("bic", "icl", "partition_negentropy", "silhouette")
USUAL_AGAINST_TRUTH = ("adjusted_rand", "nmi_sum")


def choose_k(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] = range(1, 11),
    *,
    n_runs: int = 10,
    indices: Iterable[str | Index] | str | None = None,
    truth: Any = None,
    consensus: Iterable[str | Index] | str | None = None,
    rules: Mapping[str, str] | None = None,
    pool: str = "objective",
    n_null: int = 20,
    search: str = "brute force",
    k_param: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
) -> ChoiceOfK:
    """How many clusters are there: cluster for every k, judge by every index, and let them vote.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator : clusterer, optional
        Anything like scikit-learn's, ours or theirs, or a pipeline; `partita.cluster.RandomSwap` by default.
    ks : iterable of int
        The numbers of clusters to try. k = 1 is a candidate for every index that can judge it.
    n_runs : int
        Fits for each k, each with a seed of its own; one if the method is not random.
    indices : list of names, optional
        Indices and curves (``"gap"``, ``"jump"``). By default four that suit the method.
    truth : clustering, optional
        The true one: external indices are then reported too. They choose, but have no vote.
    consensus : list of names, optional
        External indices by which the runs of a k are compared with each other (lei2014, eq. 6): the k whose
        runs agree most is one more choice. See `consensus_index`.
    rules : dict, optional
        Other rules than an index's own: ``{"BIC": "first_max", "ball_hall": "knee"}``. One of
        `partita.registry.rules.RULES`.
    pool : {"objective", "index"}
        Which run of a k an index looks at: the one with the best objective (``objective_``, ``inertia_`` or
        minus ``lower_bound_``; its own best where there is none), or its own best (lagofernandez2009).
    n_null : int
        Data sets without structure that the gap statistic compares with.
    search : {"brute force", "stepwise", "guided", "hierarchical"}
        How numbers of clusters follow each other (franti2017, part V): each anew, n_runs times; each from the
        one before, by random swap, until k is well beyond the best; as part of the search, which takes a move
        that changes k if the first index gets better, from several k and from the stepwise answer; or as cuts
        of one Ward tree (the model of a k is then a `HardPartition`). All but the first make one clustering
        for each k that they come to, whatever n_runs and n_jobs, and say which; they know no gap, no
        consensus and no checkpoint.
    k_param : str, optional
        The parameter that sets the number of clusters, if it is neither n_clusters nor n_components.
    n_jobs : int, optional
        Workers; the result is the same for any number.
    random_state : None, int or Generator
        The seed from which all others come.
    checkpoint : path, optional
        A folder that keeps what is computed: a sweep that was killed goes on there, to the same result.
    missing : {"raise", "drop", "median"}
        What to do about missing values of X: refuse, leave these objects out, or fill them in with the median
        of their column.
    space : {"clustered", "input"}
        Where a pipeline is judged: in the space in which its last step clusters, or in that of X.

    Returns
    -------
    ChoiceOfK
        ``.k``, ``.votes``, ``.choices``, ``.statement``, ``.model`` (the chosen fit), ``to_frame()`` (every
        value of every run).

    Notes
    -----
    An index chooses only if it has a value at half of the numbers of clusters tried or more, and at two of
    them at least. Of the indices that are used by default, one that cannot judge the data is left out, and
    the notes say why.

    Cost
    ----
    One fit for each k and run; for the gap statistic one more for each k and null data set. An index that
    would look at more than 10^9 pairs of objects, over all fits, judges only the runs that speak for their k.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> choice = choose_k(X, ks=range(1, 6), n_runs=2, random_state=0)
    >>> choice.k, choice.votes
    (3, {3: 4})
    """
    check_space(space)
    data, against, notes = _data_and_truth(X, truth, missing)
    method = method_for(search, estimator)
    parameter = k_parameter(method, k_param)
    numbers = numbers_of_clusters(ks, data.n_objects)
    if not isinstance(pool, str) or pool not in ("objective", "index"):
        raise ParameterError("no such pool.", got=repr(pool), need='"objective" or "index"', parameter="pool")
    check_count("n_runs", n_runs)
    check_count("n_null", n_null)
    refuse_many("fits", len(numbers) * n_runs)
    judges = _judges(indices, consensus, method, truth is not None)
    judges = judges if rules is None else _with_rules(judges, rules)
    if any(curve.needs_null for curve in judges.curves):
        refuse_many("fits of data without structure", len(numbers) * n_null)
    n_runs = n_runs if is_random(method) else 1
    sweep = Sweep(data.values, against, method, parameter, numbers, n_runs, judges, space)
    if search != BRUTE_FORCE:
        found = _searched(search, sweep, random_state, checkpoint, pool, frame=data.frame or "pandas")
        return replace(found, notes=(*notes, *found.notes))
    store, root = sweep.checkpoint(checkpoint, random_state, n_null)
    fits, agreement = sweep.fits(root, store, n_jobs, pool)
    null = sweep.null(root, store, n_jobs, n_null) if any(c.needs_null for c in judges.curves) else None
    facts = {"seed": root, "space": space if preparing_steps(method) else None}
    choice = decide(sweep, fits, agreement, null, pool, frame=data.frame or "pandas", **facts)
    said = space_note(method, space)
    return replace(choice, notes=(*[said] * bool(said), *notes, *choice.notes))


def _data_and_truth(X: Any, truth: Any, missing: str) -> tuple[DataMatrix, Partition | None, tuple[str, ...]]:
    """The objects that have what is needed, their true clustering, and what is said of the others."""
    if truth is None:
        data = complete_data(X, missing)
        return data, None, (data.note,) * bool(data.note)
    inputs = prepare({"X": X, "truth": truth}, missing=missing)
    assert inputs.X is not None
    return inputs.X, inputs.partitions["truth"], tuple(n for n in inputs.notes if not n.startswith("noise:"))


def _searched(
    search: str, sweep: Sweep, random_state: Any, checkpoint: Any, pool: str, *, frame: str
) -> ChoiceOfK:
    """The choice of a search that goes from one number of clusters to the next."""
    if checkpoint is not None:
        raise ParameterError(
            f"a {search} search is one piece of work and keeps no checkpoint.",
            got=Phrase(Setting("checkpoint", words="checkpoint=...")),
            fix=Phrase(Setting("search", BRUTE_FORCE)),
            parameter="checkpoint",
        )
    root = root_seed(random_state)
    found = search_fits(search, sweep, task_seed(root, ON_DATA))
    facts = {"seed": root, "search": search, "trail": found.trail}
    choice = decide(found.sweep, found.fits, {}, None, pool, frame=frame, **facts)
    return replace(choice, notes=(*found.notes, *choice.notes), refit=found.refit)


def _judges(indices: Any, consensus: Any, method: Any, has_truth: bool) -> Judges:
    """Indices and curves by name; external ones need a truth."""
    if indices is None:
        usual = USUAL_OF_MIXTURES if is_gaussian(method) else USUAL
        asked: list[Any] = [*usual, *(USUAL_AGAINST_TRUTH if has_truth else ())]
    else:
        asked = listed(indices)
    named = [find_entry(name, parameter="indices") for name in asked]
    found = {entry.label: entry for entry in named if isinstance(entry, Index)}
    read = [curve.among([*found.values()]) for curve in named if isinstance(curve, Curve)]
    whole = {curve.label: curve for curve in read}
    agreeing = [] if consensus is None else listed(consensus)
    for entry in found.values():
        if "truth" in entry.inputs and not has_truth:
            raise ParameterError(
                f"{entry.name} compares with a truth.",
                got="no truth",
                need=Phrase(Setting("truth", words="truth=...")),
                parameter="truth",
            )
    for name in agreeing:
        _check_external(find(name, parameter="consensus"))
    if not found and not whole and not agreeing:
        raise ParameterError("there is nothing to choose by.", got="no index", need="at least one")
    return Judges(
        tuple(found.values()),
        tuple(whole.values()),
        tuple(find(name) for name in agreeing),
        leaves_out=indices is None,
    )


def _with_rules(judges: Judges, rules: Any) -> Judges:
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


def is_gaussian(method: Any) -> bool:
    """Whether this method will give a mixture of Gaussians, by the parameters that it has."""
    return "covariance_type" in last_step(method).get_params(deep=False)
