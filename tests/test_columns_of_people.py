"""Files and frames as people have them: amounts with signs, words, dates, and numbers that name something."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.mixture import GaussianMixture

import partita as pt
from command_runs import runner
from partita.cluster_profiles import cluster_profiles
from partita.errors import FileError, ParameterError
from partita.files import read_data, text_scans
from partita.files.reading import ClusteringFile, read_features, read_judged
from partita.files.text import Writing
from partita.inputs import prepare
from partita.partitions.amounts import Amounts, Way
from partita.partitions.roles import possible_identifiers

N = 120


@pytest.fixture
def run(capsys):
    return runner(capsys)


# --- amounts ----------------------------------------------------------------------------------------------

READ = {
    "euro before": (["€ 326.62", "€ 1.5", "€7"], [326.62, 1.5, 7.0]),
    "euro behind": (["326,62 €", "1,5€"], [326.62, 1.5]),
    "dots between thousands": (["1.095,74", "12,5", "-3"], [1095.74, 12.5, -3.0]),
    "dots between thousands twice": (["1.095.000", "12"], [1095000.0, 12.0]),
    "commas between thousands": (["$1,095.74", "$12"], [1095.74, 12.0]),
    "commas settled by another cell": (["1,500", "1,234,567"], [1500.0, 1234567.0]),
    "a sign, and commas settled by another cell": (["£1,500", "£2,50"], [1.5, 2.5]),
    "apostrophes": (["1'095.5", "7", "2'000"], [1095.5, 7.0, 2000.0]),
    "blanks": (["1 095", "2\u202f000"], [1095.0, 2000.0]),
    "percent": (["12.5%", "30 %"], [12.5, 30.0]),
    "minus before and behind the sign": (["-$5", "$-6", "+$7"], [-5.0, -6.0, 7.0]),
    "powers": (["1.5e3 €", "2 €"], [1500.0, 2.0]),
    "no digit before the point": ([".5%", "1%"], [0.5, 1.0]),
}


@pytest.mark.parametrize("case", READ)
def test_amounts_are_read_where_all_cells_agree(case):
    texts, numbers = READ[case]
    (way,) = Amounts.of(texts).found()
    assert [way.number(text) for text in texts] == numbers
    halves = Amounts.of(texts[:1]) + Amounts.of(texts[1:])
    assert halves.found() == [way]


@pytest.mark.parametrize("texts", [["1,500"], ["€ 1.500", "€ 2.250"], ["$1,500", "$12"]])
def test_marks_of_two_meanings_have_two_ways(texts):
    ways = Amounts.of(texts).found()
    assert len(ways) == 2
    assert {way.number(texts[0]) for way in ways} == {1500.0, 1.5}
    assert [way.number(texts[0]) for way in Amounts.of(texts).found("," if "," in texts[0] else ".")] == [1.5]


@pytest.mark.parametrize(
    "texts",
    [
        ["12", "13.5"],  # plain numbers are none
        ["$5", "5"],
        ["$5", "€5"],
        ["$5%"],
        ["1,5", "2.5"],
        ["1,50", "1,234,567"],
        ["12,34,567"],
        ["192.168.1.1"],
        ["01.02.2024"],
        ["0,123,456"],
        ["5 kg"],
        ["--5 €"],
        ["€"],
        ["1__000 €"],
        ["²5 €"],
    ],
)
def test_what_is_no_column_of_amounts(texts):
    assert Amounts.of(texts).found() == []


MONEY = (
    'customer,income,share,other,label\n1,"€ 1,326.62",12.5%,3,a\n2,"€ 2,000",30%,5,b\n'
    "3,NA,7%,4,a\n4,€ 5.5,1%,9,b\n"
)


@pytest.mark.parametrize("in_chunks", [False, True])
def test_a_file_with_amounts(tmp_path, monkeypatch, in_chunks):
    """They were words among numbers: an error that asked to write the numbers without signs."""
    monkeypatch.setattr(text_scans, "PART_BYTES", 64)
    path = tmp_path / "a.csv"
    path.write_text(MONEY.replace("NA", '"€ 4"'), encoding="utf-8")
    X = read_data(path, leave_out=["label", "customer"], in_chunks=in_chunks)
    values = np.concatenate([c.read() for c in X.values.chunks]) if in_chunks else X.to_numpy()
    assert values.tolist() == [[1326.62, 12.5, 3], [2000, 30, 5], [4, 7, 4], [5.5, 1, 9]]


def test_that_amounts_were_read_is_said(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_text(MONEY, encoding="utf-8")
    frame = read_data(path, leave_out=["label", "customer"], missing="median")
    assert frame.income.tolist() == [1326.62, 2000, 1326.62, 5.5]
    told = "read as numbers: income (in €, ',' between thousands), share (in %)"
    assert told in frame.attrs["notes"]
    for how in ("--in-memory", "--in-chunks"):
        outcome = run(f"validate {path} --labels label --missing drop {how}")
        assert outcome.code == 0, outcome.err
        assert told in outcome.out


def test_amounts_that_first_occur_far_below_are_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(text_scans, "PART_BYTES", 64)
    lines = [f"{i}.25;{i % 7}.5" for i in range(60)]
    lines[50] = "1'234.5;3.5"
    (tmp_path / "a.csv").write_text("x;y\n" + "\n".join(lines) + "\n")
    whole, parts = (read_data(tmp_path / "a.csv", in_chunks=how) for how in (False, True))
    np.testing.assert_array_equal(np.concatenate([c.read() for c in parts.values.chunks]), whole.to_numpy())
    assert whole.x[50] == 1234.5
    lines[55] = "oops;1"
    (tmp_path / "a.csv").write_text("x;y\n" + "\n".join(lines) + "\n")
    for how in (False, True):
        with pytest.raises(FileError, match=r"without thousands|texts that are none"):
            read_data(tmp_path / "a.csv", in_chunks=how)


@pytest.mark.parametrize("in_chunks", [False, True])
@pytest.mark.parametrize(("cells", "mark"), [("€ 1.500;€ 2.250", "dots"), ("1,500;2,250", "commas")])
def test_marks_that_may_mean_two_things_are_asked_about(tmp_path, cells, mark, in_chunks):
    path = tmp_path / "a.csv"
    path.write_text(
        "x;y\n" + "".join(f"{cell};{i}\n" for i, cell in enumerate(cells.split(";") * 3)), encoding="utf-8"
    )
    with pytest.raises(FileError, match=f"holds {mark} that may be decimal marks") as caught:
        read_data(path, in_chunks=in_chunks)
    assert 'decimal=","' in str(caught.value.fix)
    assert 'decimal="."' in str(caught.value.fix)
    for decimal, first in ((",", 1500 if mark == "dots" else 1.5), (".", 1.5 if mark == "dots" else 1500)):
        X = read_data(path, decimal=decimal, in_chunks=in_chunks)
        values = np.concatenate([c.read() for c in X.values.chunks]) if in_chunks else X.to_numpy()
        assert values[0, 0] == first


def test_a_decimal_comma_elsewhere_in_the_file_decides(tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n€ 1.500;1,25\n€ 2.250;3,5\n", encoding="utf-8")
    assert read_data(tmp_path / "a.csv").x.tolist() == [1500, 2250]


def test_dots_between_thousands_are_read_where_the_decimal_mark_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n1.304;2\n12;3\n13;4\n")
    with pytest.raises(FileError, match="decimal marks or thousands") as caught:
        read_data(tmp_path / "a.csv")
    assert 'decimal=","' in str(caught.value.fix)
    assert read_data(tmp_path / "a.csv", decimal=",").x.tolist() == [1304, 12, 13]
    assert read_data(tmp_path / "a.csv", decimal=".").x.tolist() == [1.304, 12, 13]


def test_words_of_a_way():
    assert Way("€", " ", ",").told == "in €, blanks between thousands"


# --- words and dates --------------------------------------------------------------------------------------


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    k = np.arange(N) % 2
    return pd.DataFrame(
        {
            "x": rng.normal(size=N) + 4 * k,
            "y": rng.normal(size=N),
            "city": np.where(rng.random(N) < 0.9, np.array(["Rome", "Oslo"])[k], "Bonn"),
            "since": pd.Timestamp("2001-01-01")
            + pd.to_timedelta(rng.integers(0, 300, N) + 3000 * k, unit="D"),
            "k": k,
        }
    )


NOTE = "no features: city: words; since: dates"


def test_words_and_dates_are_left_out_of_a_frame_with_a_note(frame):
    """They were refused: some columns of X are not numbers."""
    X, labels = frame.drop(columns="k"), frame.k
    result = pt.validate(X, labels)
    assert any(NOTE in note for note in result.notes)
    assert result["silhouette"].value == pt.validate(frame[["x", "y"]], labels)["silhouette"].value
    for other in (pl.from_pandas(X), X.astype({"city": "category"}), X.astype({"since": str})):
        again = pt.validate(other, labels.to_numpy())
        assert any(NOTE in note for note in again.notes), again.notes
        assert again["silhouette"].value == result["silhouette"].value
    choice = pt.choose(X, {"a": labels, "b": 1 - (frame.y > 0)})
    assert any(NOTE in note for note in choice.notes)
    assert pt.indices.silhouette(X, labels) == result["silhouette"].value


def test_a_mixture_that_was_fitted_without_the_words(frame):
    X = frame[["x", "y"]]
    model = GaussianMixture(2, random_state=0).fit(X)
    value = pt.validate(frame.drop(columns="k"), model, indices=["BIC"])["BIC"].value
    assert value == pt.validate(X, model, indices=["BIC"])["BIC"].value


def test_the_rule_is_that_of_the_command_line(frame, tmp_path, run):
    frame.to_csv(tmp_path / "a.csv", index=False)
    outcome = run(f"validate {tmp_path / 'a.csv'} --labels k --format csv --indices silhouette")
    assert outcome.code == 0
    assert "city: words; since: dates" in outcome.err
    value = pt.validate(frame.drop(columns="k"), frame.k)["silhouette"].value
    assert float(outcome.out.splitlines()[1].split(",")[2]) == pytest.approx(value, rel=1e-12)


def test_amounts_in_a_frame(frame):
    X = frame[["x", "y"]].assign(y=[f"€ {y:,.2f}" for y in frame.y * 1e4])
    plain = frame[["x"]].assign(y=(frame.y * 1e4).round(2))
    for made in (X, pl.from_pandas(X)):
        result = pt.validate(made, frame.k.to_numpy())
        assert result["CH"].value == pt.validate(plain, frame.k)["CH"].value
        assert any("read as numbers: y (in €, ',' between thousands)" in note for note in result.notes)
    with pytest.raises(ParameterError, match="'y' of X holds marks that may be"):
        pt.validate(X.assign(y="€ 1,500"), frame.k)


@pytest.mark.parametrize(
    ("column", "message"),
    [(["1.5", "2"] * 60, "written as texts"), (["1.5", "2", "oops"] * 40, "texts that are none")],
)
def test_numbers_and_words_in_one_column_are_asked_about(frame, column, message):
    with pytest.raises(ParameterError, match=message) as caught:
        pt.validate(frame[["x", "y"]].assign(z=column), frame.k)
    assert "to_numeric" in str(caught.value.fix)


def test_a_frame_of_words_only_is_refused(frame):
    with pytest.raises(ParameterError, match="not numbers"):
        pt.validate(frame[["city", "since"]], frame.k)


def test_missing_values_are_told_beside_what_is_left_out(frame):
    X = frame.drop(columns="k").assign(x=frame.x.where(frame.index > 2))
    notes = " ".join(pt.validate(X, frame.k, missing="drop").notes)
    assert NOTE in notes
    assert "missing values: 3 in column 'x'" in notes


# --- profiles ---------------------------------------------------------------------------------------------


def profile_of(X, labels, missing="raise"):
    """The features of the cluster 1, by name."""
    inputs = prepare({"X": X, "found": labels}, missing=missing)
    profiles = cluster_profiles(inputs.X, inputs.partitions["found"]).profiles
    (one,) = [profile for profile in profiles if profile.cluster == 1]
    return {feature.feature: feature for feature in one.features}


def test_words_and_dates_profile_clusters(frame):
    X = frame.drop(columns="k")
    features = profile_of(X, frame.k)
    inside, outside = frame[frame.k == 1], frame[frame.k == 0]
    for city in ("Rome", "Oslo", "Bonn"):
        one = features[f"city = {city}"]
        assert one.mean == pytest.approx((inside.city == city).mean(), abs=1e-12)
        assert one.elsewhere == pytest.approx((outside.city == city).mean(), abs=1e-12)
    year = features["since (year)"]
    assert year.mean - year.elsewhere == pytest.approx(
        (inside.since.mean() - outside.since.mean()).total_seconds() / 86400 / 365.2425, rel=1e-9
    )
    assert {"x", "y"} < features.keys()
    # those of the objects that are left
    gaps = profile_of(X.assign(x=frame.x.where(frame.index > 40)), frame.k, "drop")
    left = inside[inside.index > 40]
    assert gaps["city = Oslo"].mean == pytest.approx((left.city == "Oslo").mean(), abs=1e-12)


def test_words_of_a_file_profile_clusters(frame, tmp_path):
    frame.drop(columns="k").assign(id=range(1000, 1000 + N)).to_csv(tmp_path / "a.csv", index=False)
    labels = frame[["k"]].assign(id=range(1000, 1000 + N)).sample(frac=0.5, random_state=1)
    labels.to_csv(tmp_path / "b.csv", index=False)
    read = read_judged(
        tmp_path / "a.csv",
        ClusteringFile(tmp_path / "b.csv", ["k"]),
        columns=None,
        leave_out=[],
        id_column=None,
        writing=Writing(),
        missing="raise",
    )
    features = profile_of(read.first, read.second)
    inside = frame.loc[labels.index][labels.k == 1]
    assert features["city = Oslo"].mean == pytest.approx((inside.city == "Oslo").mean(), abs=1e-12)
    assert features["since (year)"].mean == pytest.approx(
        2001 + inside.since.sub(pd.Timestamp("2001-01-01")).mean().days / 365.2425, abs=0.01
    )


def test_a_report_tells_words_that_set_clusters_apart(frame, tmp_path):
    page = tmp_path / "a.html"
    pt.report(pt.validate(frame.drop(columns="k"), frame.k), to=page)
    assert "city = Oslo" in page.read_text()
    frame.to_csv(tmp_path / "a.csv", index=False)
    read = read_features(
        tmp_path / "a.csv", columns=None, leave_out=["k"], id_column=None, writing=Writing(), missing="raise"
    )
    pt.report(pt.validate(read.first, frame.k.to_numpy()), to=tmp_path / "b.html")
    assert "city = Oslo" in (tmp_path / "b.html").read_text()


# --- possible identifiers ---------------------------------------------------------------------------------


@pytest.fixture
def customers():
    rng = np.random.default_rng(8)
    n = 400
    age = rng.uniform(20, 70, n)
    return pd.DataFrame(
        {
            "postcode": rng.integers(10_000, 99_999, n),
            "income": (age * 900 + rng.normal(size=n) * 4000).round(),
            "age": age,
            "visits": rng.poisson(5, n),
            "ratio": rng.normal(size=n),
        }
    )


def test_numbers_that_correlate_with_nothing_are_named(customers, tmp_path, run):
    """A postcode weighed like a measurement, without a word."""
    assert possible_identifiers(list(customers), [customers[c].to_numpy() for c in customers]) == ["postcode"]
    labels = (customers.age > 45).astype(int)
    told = "possible identifiers among the features: postcode (whole numbers, nearly all different"
    assert any(told in note for note in pt.validate(customers, labels).notes)
    assert not any(told in note for note in pt.validate(customers.drop(columns="postcode"), labels).notes)
    assert any(told in note for note in pt.validate(customers, labels).notes)
    customers.assign(group=labels).to_csv(tmp_path / "a.csv", index=False)
    for how in ("--in-memory", "--in-chunks"):
        outcome = run(f"validate {tmp_path / 'a.csv'} --labels group {how}")
        assert told in outcome.out, outcome.err


def test_random_numbers_are_seldom_missed_and_measurements_seldom_named():
    rng = np.random.default_rng(9)
    named = missed = 0
    for _ in range(200):
        x = rng.normal(size=100)
        price = np.round(1e5 * (x + 0.7 * rng.normal(size=100)))
        number = rng.permutation(10**6)[:100]
        found = possible_identifiers(["x", "price", "number"], [x, price, number])
        named += "price" in found
        missed += "number" not in found
    assert named == 0
    assert missed <= 6


@pytest.mark.parametrize(
    "columns",
    [
        [],
        [np.arange(50) * 7],  # nothing to correlate with
        [np.random.default_rng(0).integers(0, 20, 50), np.arange(50) / 3],
        [np.random.default_rng(0).integers(0, 10**6, 10), np.arange(10) / 3],
        [np.full(50, np.nan), np.arange(50) / 3],
        [np.arange(50) % 2 == 0, np.arange(50) / 3],
    ],
)
def test_columns_that_are_no_possible_identifiers(columns):
    assert possible_identifiers([f"c{i}" for i, _ in enumerate(columns)], columns) == []


def test_gaps_do_not_hide_a_correlation():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    whole = np.round(x * 1e5)
    gaps = np.where(rng.random(300) < 0.2, np.nan, whole)
    assert possible_identifiers(["x", "gaps"], [x, gaps]) == []
    assert possible_identifiers(["x", "gaps"], [rng.normal(size=300), gaps]) == ["gaps"]
