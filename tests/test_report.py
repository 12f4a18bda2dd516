"""The report: what it says, that nothing in it is alive, how large it is, and how it is written."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.errors import FileError, ParameterError
from partita.plots.names import plain_name
from partita.reports import _report, analyse
from partita.reports.drawings import slim
from report_pages import (
    COMMAND,
    EVIL,
    QUICK,
    SCRIPT,
    TITLE,
    Page,
    hostile_data,
    hostile_page,
    hostile_results,
)

FIXED, AT_TEN_THOUSAND = 400_000, 1_500_000
"""The most bytes of a report of few objects, and of ten thousand or more."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def text(folder):
    return hostile_page(folder).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def blobs(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 9 * np.column_stack([labels, labels % 2]), labels


# --- what it says -----------------------------------------------------------------------------------------


def test_the_verdict_comes_first_and_each_sentence_leads_to_its_evidence(text, page):
    places = [
        text.index(f'id="{name}"')
        for name in ("verdict", "figures", "tables", "clusters", "left-out", "made")
    ]
    assert places == sorted(places)
    verdict = text[places[0] : places[1]]
    sentences = re.findall(r"<li>(.*?)</li>", verdict, flags=re.S)
    assert len(sentences) > 8
    for one in sentences:
        assert re.search(
            r'<a class="evidence" href="#[\w-]+">(Figure|Table) \d+</a>|href="#[\w-]+">[^<]+</a>', one
        ), one


def test_the_verdict_says_what_the_results_say(text):
    choice = hostile_results()[0]
    verdict = text[text.index('<section id="verdict"') : text.index('<section id="figures"')]
    said = Page(verdict).all_text
    assert said.split("Figure")[0].split(maxsplit=2)[2].strip() == f"{choice.answer.headline}."
    for reason in choice.because:
        assert plain_name(reason.sentence) in said, reason
    for words in ("Duplicates:", "are noise in", "compared with"):
        assert words in said, words
    assert "Units:" not in said  # a reason names the column already


def test_every_anchor_resolves_and_no_two_are_the_same(page):
    ids = page.having("id")
    assert len(ids) == len(set(ids))
    links = [link[1:] for link in page.having("href") if link.startswith("#")]
    named = [name for names in page.having("aria-labelledby") for name in names.split()]
    clips = re.findall(r"url\(#([\w-]+)\)", " ".join(page.having("clip-path") + page.having("fill")))
    assert len(links) > 40
    assert len(clips) > 5
    assert {*links, *named, *clips, *page.having("popovertarget")} <= set(ids)


def test_every_figure_has_a_title_a_description_and_its_data(text):
    figures = re.findall(r"<figure .*?</figure>", text, flags=re.S)
    assert len(figures) > 8
    for one in figures:
        title = re.search(r"<title id=[^>]*>(.+?)</title>", one, flags=re.S)
        desc = re.search(r"<desc id=[^>]*>(.+?)</desc>", one, flags=re.S)
        assert title
        assert desc
        assert len(desc[1]) > len(title[1])
        assert 'role="img"' in one
        assert re.search(r"<details>.*<table.*<tbody>\s*<tr><td", one, flags=re.S), title[1]


def test_every_index_has_its_meaning_formula_range_direction_and_reference(text):
    opened = dict(re.findall(r'<th scope="row"><button popovertarget="(\w+)">([\w]+)</button>', text))
    assert {"adjusted_rand", "silhouette", "calinski_harabasz"} <= set(opened.values())
    for anchor, name in opened.items():
        card = re.search(rf'<div popover id="{anchor}">(.*?)</div>', text, flags=re.S)[1]
        facts = re.findall(r"<dt>([^<]+)<dd>", card)
        need = {"meaning", "formula", "how to read it", "reference"}
        need |= {"rule"} if "rule" in facts else {"range"}
        assert need <= set(facts), name


def test_clusters_are_told_in_the_units_of_the_data():
    X, labels = blobs(60)
    data = pd.DataFrame(X, columns=["weight", "height"]) * [1.0, 1000.0]
    for scale in (None, "standard"):
        found = pt.validate(data, np.array(list("abc"))[labels], scale=scale)
        section = pt.reports.contents.contents([_report.Part(found, "v")], title="t").sections[2]
        assert section.heading == "The clusters, one by one"
        for name, cluster in zip("abc", section.sections, strict=True):
            assert cluster.heading == f"Cluster {name}"
            rows = {row[0]: row for row in cluster.blocks[1].table.rows}
            inside = labels == "abc".index(name)
            for feature in data.columns:
                assert rows[feature][1] == pytest.approx(data.loc[inside, feature].mean())
                assert rows[feature][2] == pytest.approx(data.loc[~inside, feature].mean())
        colours = [cluster.colour for cluster in section.sections]
        assert len(set(colours)) == 3


def test_provenance_seeds_versions_and_the_command_are_there(text, page):
    made = text[text.index('id="made"') :]
    assert plain_name(COMMAND) in page.texts["code"][0]
    for words in (
        pt.__version__,
        np.__version__,
        "<dt>seed</dt><dd>0</dd>",
        "<dt>n_shuffles</dt><dd>39</dd>",
    ):
        assert words in made, words
    left_out = text[text.index('id="left-out"') : text.index('id="made"')]
    assert "is no feature" in left_out
    assert "needs a curve" in left_out


# --- nothing in it is alive -------------------------------------------------------------------------------

TAGS = frozenset(
    [
        *(
            "html",
            "head",
            "meta",
            "link",
            "title",
            "style",
            "script",
            "body",
            "nav",
            "main",
            "header",
            "footer",
        ),
        *(
            "section",
            "h1",
            "h2",
            "h3",
            "h4",
            "p",
            "div",
            "span",
            "a",
            "b",
            "ol",
            "ul",
            "li",
            "dl",
            "dt",
            "dd",
        ),
        *("figure", "figcaption", "details", "summary", "button", "pre", "code"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td"),
        *("svg", "desc", "defs", "g", "path", "circle", "use", "text", "tspan", "rect", "clippath", "image"),
        "pattern",
    ]
)
"""What our own pages consist of."""


def test_names_are_shown_and_never_run(text, page):
    shown = plain_name(EVIL)
    assert shown in page.all_text  # so that what follows can fail
    assert SCRIPT in page.all_text
    assert TITLE in page.texts["h1"][0]
    assert {tag for tag, _ in page.elements} <= TAGS
    counts = {tag: sum(one == tag for one, _ in page.elements) for tag in ("script", "style", "image", "img")}
    assert counts["script"] == counts["style"] == 1
    assert counts["img"] == 0
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", text)
    assert "\\u202e" in page.all_text


def test_no_element_has_style_or_handlers_and_nothing_is_loaded(page):
    for tag, attributes in page.elements:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("href", "src", "xlink:href", "action", "srcset"):
            assert str(attributes.get(name, "#")).startswith(("#", "data:")), (tag, attributes)


def test_the_policy_allows_the_own_style_and_script_only(page):
    policy = next(
        str(a["content"]) for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for kind in ("style", "script"):
        mark = base64.b64encode(hashlib.sha256(page.texts[kind][0].encode()).digest()).decode()
        assert rules.pop(f"{kind}-src") == f"'sha256-{mark}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    first = [tag for tag, attributes in page.elements if tag == "style" or "http-equiv" in attributes]
    assert first == ["meta", "style"]


# --- size, and the same every time ------------------------------------------------------------------------


def test_a_report_of_few_objects_is_small(text):
    assert len(text.encode()) <= FIXED


def test_a_report_does_not_grow_with_the_number_of_objects(tmp_path):
    sizes = []
    for n in (10_000, 20_000):
        X, labels = blobs(n, 4)
        rng = np.random.default_rng(1)
        other = np.where(rng.random(n) < 0.2, rng.integers(0, 4, n), labels)
        results = [pt.validate(X, labels), {"other": pt.compare(other, labels)}]
        sizes.append(pt.report(*results, to=tmp_path / f"{n}.html").stat().st_size)
    assert max(sizes) <= AT_TEN_THOUSAND
    assert sizes[1] <= 1.1 * sizes[0]


def test_the_same_results_give_the_same_bytes(tmp_path, text):
    again = pt.report(*hostile_results(), to=tmp_path / "again.html", title=TITLE, command=COMMAND)
    assert again.read_text(encoding="utf-8") == text


# --- how it is written ------------------------------------------------------------------------------------


@pytest.fixture
def agreement():
    return pt.compare(list("aabbc"), [0, 0, 1, 1, 1])


def test_a_file_that_is_there_is_kept_unless_told(tmp_path, agreement, monkeypatch):
    path = tmp_path / "x.html"
    path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(_report, "page", lambda document: pytest.fail("asked for before anything is made"))
        with pytest.raises(FileError, match="there already"):
            pt.report(agreement, to=path)
    assert path.read_text() == "old"
    assert pt.report(agreement, to=path, overwrite=True) == path
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [p.name for p in tmp_path.iterdir()] == ["x.html"]


def test_a_full_disk_leaves_the_old_report(tmp_path, agreement):
    resource = pytest.importorskip("resource", reason="limits of files are those of POSIX")
    path = tmp_path / "x.html"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(FileError, match="cannot be written"):
            pt.report(agreement, to=path, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.html"]


@pytest.mark.parametrize("to", ["x.txt", "x", "", 3, None])
def test_a_report_is_an_html_file(agreement, to):
    with pytest.raises(ParameterError, match="HTML file") as caught:
        pt.report(agreement, to=to)
    assert caught.value.parameter == "to"


@pytest.mark.parametrize("given", [(), ([0, 1],), ({"a": 3},)])
def test_only_results_are_told(tmp_path, given):
    with pytest.raises(ParameterError, match=r"result|nothing to report"):
        pt.report(*given, to=tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


# --- any result, any data ---------------------------------------------------------------------------------


def results_of_all_kinds():
    X, labels = blobs(30)
    other = np.where(np.arange(30) % 7 == 0, 0, labels)
    rough = pt.as_partition([[1, 1, 0]] * 10 + [[0, 1, 0]] * 10 + [[0, 0, 1]] * 10, kind="rough")
    yield "soft compare", pt.compare(labels, rough)
    yield "side by side", pt.compare(labels, {"a": other, "b<b>": labels})
    yield "validated side by side", pt.validate(X, {"a": other, "b": labels})
    yield "structure", pt.structure(X, n_null=19, random_state=0)
    yield "align", pt.align(labels, other)
    yield "distribution", pt.distribution(labels, rough, index="ARI", random_state=0)
    yield "one object", pt.compare([0], [0])
    yield "one cluster", pt.validate(X, np.zeros(30, int))
    yield "differences", pt.compare(labels, other).differences("cluster")
    yield "read from a file", type(c := pt.compare(labels, other)).from_dict(c.to_dict())


def test_any_result_makes_a_report(tmp_path):
    for name, result in results_of_all_kinds():
        path = pt.report({name: result}, to=tmp_path / "x.html", overwrite=True)
        page = Page(path.read_text(encoding="utf-8"))
        links = {link[1:] for link in page.having("href") if link.startswith("#")}
        assert links <= set(page.having("id")), name


def test_a_mixture_says_where_its_components_overlap(tmp_path):
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal([4.0, 0.0], size=(60, 2))])
    found = analyse(X, GaussianMixture(), range(1, 4), **QUICK)
    path = pt.report(*found, to=tmp_path / "x.html")
    assert found[0].k == 2
    shares = found[0].partitions[2].memberships()
    unsure = int((shares.max(axis=1) < 0.8).sum())
    assert unsure
    assert f"{unsure} of 120 objects belong to no single cluster by 80% or more" in path.read_text(
        encoding="utf-8"
    )


def test_objects_that_are_left_out_are_so_everywhere():
    X, labels = blobs(60)
    data = pd.DataFrame(X, columns=["a", "b"])
    data.loc[3, "a"] = math.nan
    truth = pd.Series(labels).astype(str)
    found = analyse(data, ks=range(1, 5), truth=truth, labels=labels, missing="drop", **QUICK)
    assert found[0].given.n_objects == 59
    assert all(one.inputs.n_objects == 59 for entry in found[3:] for one in entry.values())
    assert found[3]["the truth"]["ARI"].value == 1.0
    assert any("1" in note for note in found[0].notes)


def test_the_clustering_with_as_many_clusters_as_the_truth_is_compared_too():
    X, labels = blobs(60)
    halves = labels == 0
    found = analyse(X, ks=range(1, 5), truth=halves, truth_name="halves", **QUICK)
    compared = [one["halves"] for one in found if isinstance(one, dict)]
    assert [one.inputs.partitions["found"].n_clusters for one in compared] == [found[0].k, 2] == [3, 2]
    assert found[0].provenance["true_k"] == 2


@pytest.mark.parametrize("n", [2, 5, 9])
def test_few_objects_make_a_report(tmp_path, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    path = pt.report(*analyse(X, truth=np.arange(n) % 2, **QUICK), to=tmp_path / "x.html")
    assert 'id="verdict"' in path.read_text(encoding="utf-8")


def test_data_without_clusters_have_no_pages_of_clusters(tmp_path):
    X = np.random.default_rng(3).normal(size=(400, 2))
    found = analyse(X, **QUICK)
    assert found[0].k is None
    text = pt.report(*found, to=tmp_path / "x.html").read_text(encoding="utf-8")
    assert 'id="clusters"' not in text
    assert "no clustering was validated" in text


# --- drawings in fewer bytes ------------------------------------------------------------------------------


def test_a_slim_drawing_has_the_same_points():
    d = "M 1.001 2.5  L 11.25 2.5  L 11.25 40.126  L 3 -7.1  z  M 5 5  C 6 6 7 7 8.5 9  L 1 1"
    made = slim(f'<svg xmlns="http://www.w3.org/2000/svg"><g><path d="{d}" fill="red"/></g></svg>')
    path = ET.fromstring(made)[0].get("d")
    assert ends_of(path) == [
        (1.0, 2.5),
        (11.25, 2.5),
        (11.25, 40.13),
        (3.0, -7.1),
        (1.0, 2.5),
        (5.0, 5.0),
        (8.5, 9.0),
        (1.0, 1.0),
    ]


def ends_of(path):
    """The end of each step of a path with M, l, h, v, c and z."""
    x = y = 0.0
    start, ends = (0.0, 0.0), []
    for command, rest in re.findall(r"([Mlhvcz])([^Mlhvcz]*)", path):
        n = [float(word) for word in re.findall(r"-?\d*\.?\d+", rest)]
        if command == "M":
            x, y = start = (n[0], n[1])
        elif command == "z":
            x, y = start
        else:
            x += n[0] if command == "h" else 0.0 if command == "v" else n[-2]
            y += n[0] if command == "v" else 0.0 if command == "h" else n[-1]
        ends.append((round(x, 2), round(y, 2)))
    return ends


def test_a_slim_drawing_looks_the_same():
    """Every mark of a real figure keeps its look, though groups say it for many."""
    from partita.plots.pictures import inline_svg

    X, labels = blobs(40)
    for result, kind in (
        (pt.validate(X, labels), "silhouette"),
        (pt.compare(labels, labels // 2), "contingency"),
    ):
        svg = inline_svg(pt.plots.figure_data(result, kind), "p-")
        made = slim(svg)
        assert len(made) < 0.8 * len(svg)
        assert looks(made) == looks(svg)


def looks(svg):
    """Text and look of each mark that is seen, in their order."""
    found = []

    def walk(one, inherited):
        look = inherited | {
            k: v for k, v in one.attrib.items() if k in ("fill", "stroke", "font-size", "text-anchor")
        }
        tag = one.tag.rpartition("}")[2]
        if tag in ("path", "circle", "text") and (look.get("fill") != "none" or "stroke" in look):
            found.append((tag.replace("circle", "path"), one.text, *sorted(look.items())))
        for child in one:
            if child.tag.rpartition("}")[2] not in ("defs", "clipPath"):
                walk(child, look)

    walk(ET.fromstring(svg), {})
    return found


def test_the_templates_are_part_of_the_package():
    home = Path(_report.__file__).parent / "templates"
    assert {p.name for p in home.iterdir()} == {
        "parts.html.jinja",
        "report.css",
        "report.html.jinja",
        "report.js",
    }
    assert len((home / "report.js").read_bytes()) < 4096


def test_hostile_data_are_what_they_are_meant_to_be():
    data, truth, _ = hostile_data()
    assert EVIL in data.columns
    assert EVIL in set(truth)


def test_a_title_of_control_characters_is_shown_as_their_codes(tmp_path):
    result = pt.compare([0, 0, 1], [0, 1, 1])
    path = pt.report(result, to=tmp_path / "x.html", title="a\x00b\x1b[31m\ud800 c\nd", command="x\x07y")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text)
    assert "<title>a\\u0000b\\u001b[31m\\ud800 c d</title>" in text
    assert "x\\u0007y" in text


def test_a_report_without_a_name_or_a_result_says_so(tmp_path):
    with pytest.raises(ParameterError, match="a report tells results") as told:
        pt.report(np.zeros((3, 2)))
    assert "ndarray" in str(told.value)
    with pytest.raises(ParameterError, match=r'to="report.html"'):
        pt.report(pt.compare([0, 0, 1], [0, 1, 1]))
    with pytest.raises(ParameterError, match="nothing to report"):
        pt.report()
