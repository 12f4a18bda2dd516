"""Errors: what they say in Python, what the command line makes of it, which parameter they are about."""

from __future__ import annotations

import copy
import inspect
import pickle

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

import partita as pt
from partita.cli import commands, main
from partita.cli.options import PARAMETERS, options_of, spelled
from partita.errors import ParameterError, PartitaError, Phrase, Setting, near_names

X = np.random.default_rng(0).normal(size=(12, 2))
LABELS = np.arange(12) % 2
FUZZY = pt.FuzzyPartition(np.random.default_rng(1).dirichlet([1.0, 1.0], 12))


class Odd:
    """No value that any parameter can have."""

    def __repr__(self) -> str:
        return "Odd()"


PROCEDURES = {
    "compare": (pt.compare, (LABELS, LABELS)),
    "validate": (pt.validate, (X, LABELS)),
    "distribution": (pt.distribution, (LABELS, FUZZY)),
    "choose_k": (pt.choose_k, (X, None, [2])),
    "choose_value": (pt.choose_value, (X, KMeans(), {"n_clusters": [2]})),
    "choose": (pt.choose, (X, {"two": LABELS, "three": np.arange(12) % 3})),
    "stability": (pt.stability, (X, None, [2])),
    "consensus_index": (pt.consensus_index, ([LABELS, LABELS],)),
    "consensus": (pt.consensus, ([LABELS, LABELS],)),
    "align": (pt.align, (LABELS, LABELS)),
    "structure": (pt.selection.structure, (X,)),
    "hopkins": (pt.selection.hopkins, (X,)),
}
DATA = {"X", "truth", "noise_label"}
"""Keywords that take data, which has errors of its own, or any label."""

ELSEWHERE = {"parameter", "values"}
"""Keywords of a sweep over another parameter, which has no numbers of clusters."""

KEYWORDS = [
    (name, parameter.name)
    for name, (call, _) in PROCEDURES.items()
    for parameter in inspect.signature(call).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in DATA | ELSEWHERE
]


@pytest.mark.parametrize(("procedure", "name"), KEYWORDS)
def test_an_error_carries_the_parameter_it_is_about(procedure, name):
    call, inputs = PROCEDURES[procedure]
    with pytest.raises(PartitaError) as caught:
        call(*inputs, **{name: Odd()})
    assert caught.value.parameter == name
    assert caught.value.got


@pytest.mark.parametrize(
    ("sweep", "about"),
    [
        ({"parameter": Odd()}, "parameter"),
        ({"values": Odd()}, "values"),
        ({"parameter": Odd(), "values": [1, 2]}, "parameter"),
        ({"parameter": "tol", "values": Odd()}, "values"),
        ({"parameter": "tol", "values": [0.1], "ks": [2]}, "ks"),
    ],
)
@pytest.mark.filterwarnings("ignore:choose_k.parameter=:FutureWarning")
def test_an_error_about_a_sweep_of_another_parameter_carries_what_was_given(sweep, about):
    with pytest.raises(PartitaError) as caught:
        pt.choose_k(X, KMeans(), **sweep)
    assert caught.value.parameter == about
    assert caught.value.got


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: pt.as_partition(LABELS, "fuzy"), "kind"),
        (lambda: pt.as_partition({"mass": [[1.0]], "F": [[1]]}, "rough"), "kind"),
        (lambda: pt.choose_k(X, ks=[0]), "ks"),
        (lambda: pt.choose_k(X, ks=[2], indices=["ARI"]), "truth"),
        (lambda: pt.choose_k(X, ks=[2], rules={"CH": "worst"}, indices=["CH"]), "rules"),
        (lambda: pt.distribution(LABELS, FUZZY, "randd"), "index"),
        (lambda: pt.compare(LABELS, LABELS, indices=["ARI", "randd"]), "indices"),
        (lambda: pt.choose_k(X, ks=[2], consensus="randd"), "consensus"),
    ],
)
def test_so_does_a_value_that_is_nearly_right(call, parameter):
    with pytest.raises(PartitaError) as caught:
        call()
    assert caught.value.parameter == parameter


# --- words --------------------------------------------------------------------------------------------


names = st.sampled_from(["kind", "noise", "n_samples", "normalize"])
settings = st.builds(Setting, names, st.sampled_from([..., "ignore", True, 3]), st.sampled_from(["", "f(x)"]))
pieces = st.lists(st.text(max_size=5) | settings, max_size=5)


def as_python(setting: Setting) -> str:
    value = f'"{setting.value}"' if isinstance(setting.value, str) else str(setting.value)
    return setting.words or (setting.name if setting.value is ... else f"{setting.name}={value}")


@given(pieces, pieces)
def test_a_phrase_reads_as_python_and_is_told_with_only_its_settings_spelled_otherwise(first, second):
    phrase = Phrase(Phrase(*first), *second)
    both = [*first, *second]
    assert phrase == "".join(as_python(p) if isinstance(p, Setting) else p for p in both)
    assert phrase.told(lambda s: f"<{s.name}>") == "".join(
        f"<{p.name}>" if isinstance(p, Setting) else p for p in both
    )
    problem = ParameterError(phrase, got="g", fix=phrase, parameter="kind")
    for same in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem)):
        assert type(same) is ParameterError
        assert (str(same), same.parameter) == (str(problem), "kind")
        assert same.told(lambda s: s.name.upper()) == problem.told(lambda s: s.name.upper())
        assert same.settings == {p.name for p in both if isinstance(p, Setting)}


def test_what_is_wrong_names_the_parameter_where_nobody_else_does():
    assert ParameterError(Phrase(Setting("n_runs"), " is no count.")).parameter == "n_runs"
    assert ParameterError(Phrase(Setting("n_runs"), "."), parameter="ks").parameter == "ks"
    assert ParameterError("nothing.").parameter is None
    assert near_names("x", ["y"], noun="index", parameter="indices").parameter == "indices"


# --- the command line ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_options_are_named_after_the_parameters_that_they_set(name):
    known = options_of(commands.commands[name])
    given = [p for p in commands.commands[name].params if isinstance(p, click.Option)]
    assert sorted(o.opts for options in known.values() for o in options) == sorted(o.opts for o in given)
    assert not set(known) & set(PARAMETERS)


@pytest.mark.parametrize(
    ("command", "setting", "text"),
    [
        ("compare", Setting("kind", "rough"), "--truth-kind or --found-kind rough"),
        ("validate", Setting("kind", "rough"), "--kind rough"),
        ("compare", Setting("normalize", True), "--normalize"),
        ("choose", Setting("normalize", True), "normalize=True"),
        ("compare", Setting("noise", "ignore"), '--noise "ignore"'),
        ("distribution", Setting("n_samples"), "--samples"),
        ("distribution", Setting("budget_seconds", 3), "--budget 3"),
        ("compare", Setting("method", "auto"), 'method="auto"'),
        ("choose", Setting("search", "brute force"), '--search "brute force"'),
        ("choose", Setting("ks"), "--k"),
    ],
)
def test_a_setting_is_spelled_with_the_options_of_the_command_that_ran(command, setting, text):
    assert spelled(setting, options_of(commands.commands[command])) == text


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """What a command says about these files and arguments."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.csv").write_text("label\na\nb\n")
    (tmp_path / "n.csv").write_text("label\n0\n1\n")
    (tmp_path / "off.csv").write_text("p,q\n.5,.6\n.5,.5\n")

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        return capsys.readouterr().err

    return run


def test_advice_fits_the_command(told):
    both = "--truth-kind or --found-kind possibilistic if these are typicalities, or --normalize"
    assert both in told("compare", "l.csv", "off.csv")
    alone = "fix:   --kind possibilistic if these are typicalities, or --normalize"
    assert alone in told("validate", "off.csv", "--memberships", "off.csv")
    for command, option in (("choose", "--runs"), ("stability", "--repeats")):
        assert f"ParameterError: {option} is no count." in told(command, "off.csv", "--k", "2", option, "0")
    assert "ParameterError: --k are no numbers of clusters." in told("choose", "off.csv", "--k", "9")
    assert "Error: --indices: there is no index named" in told("compare", "l.csv", "l.csv", "--indices", "x")
    odd_metric = ("--labels", "label", "--columns", "label", "--metric", "x")
    assert "an (n, n) matrix with --metric precomputed" in told("validate", "n.csv", *odd_metric)


LIKE_ADVICE = ['kind="rough".csv', 'noise="ignore".csv', "n_samples.csv", "normalize=True.csv"]


@pytest.mark.parametrize("name", LIKE_ADVICE)
def test_what_a_user_wrote_is_never_taken_for_advice(told, name):
    assert f"got:   {name}\n" in told("compare", name, "l.csv")
    assert f"'{name[:-4]}'" in told("compare", "l.csv", "l.csv", "--column", name[:-4])


def test_validate_divides_memberships_by_their_sums_where_it_advises_so(told, capsys):
    del told  # the files
    main(
        [
            "validate",
            "off.csv",
            "--memberships",
            "off.csv",
            "--normalize",
            "--indices",
            "PC",
            "--format",
            "csv",
        ]
    )
    value = float(capsys.readouterr().out.splitlines()[1].split(",")[2])
    assert value == pytest.approx(((25 + 36) / 121 + 0.5) / 2)
