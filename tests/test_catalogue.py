"""The catalogue and the cards say what the entries say, whole in files and short in a terminal."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from partita.errors import UnknownNameError
from partita.partitions import FUZZY, HARD, Kind
from partita.registry import CLAIMS, find, indices
from partita.registry.curves import curves
from partita.results.catalogue import CLAIM_LETTERS, KIND_LETTERS, card, catalogue, range_text, reference

NAMES = [entry.name for entry in indices()]
LISTED = [*NAMES, *(curve.name for curve in curves())]


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def facts(name: str) -> dict[str, str]:
    return dict(card(name).facts)


def test_the_catalogue_has_every_index_once_in_every_format() -> None:
    listed = catalogue()
    assert [row["index"] for row in listed.records()] == LISTED
    assert [row["index"] for row in strict(listed.write("json"))["rows"]] == LISTED
    assert [row["index"] for row in csv.DictReader(io.StringIO(listed.write("csv")))] == LISTED
    assert listed.to_frame()["index"].tolist() == LISTED
    rows = [line for line in listed.write("markdown").splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[2:]] == LISTED


def test_a_row_says_what_its_entry_says() -> None:
    row = next(row for row in catalogue().records() if row["symbol"] == "ARI")
    assert row["index"] == "adjusted_rand"
    assert row["kinds"] == "hard, fuzzy, possibilistic"
    assert row["range"] == "hard: [-0.5, 1]; fuzzy, possibilistic: [not known, 1]"
    assert (row["best"], row["direction"]) == (1.0, "higher")
    assert "symmetric, relabelling_invariant, reflexive (hard)" in row["claims"]
    assert "hubert1985" in row["references"]
    for entry, record in zip(indices(), catalogue().records(), strict=False):
        for claim in CLAIMS:
            held = any(entry.status(claim, kind) == "claimed" for kind in entry.kinds)
            assert (claim in record["claims"]) == held, (entry.name, claim)


def test_the_terminal_shows_every_index_within_its_width() -> None:
    text = catalogue().write("table")
    assert text == str(catalogue())
    lines = text.splitlines()
    assert max(map(len, lines)) <= 110
    narrow = catalogue().text(80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert "6 of 7 columns" in narrow
    header = next(line for line in narrow.splitlines() if line.startswith("index"))
    assert header.split() == ["index", "symbol", "kinds", "range", "better", "claims"]
    assert [line.split()[0] for line in lines if line.split() and line.split()[0] in NAMES] == NAMES
    for words in ("kinds: H hard", "S symmetric", "- refuted", "partita indices NAME"):
        assert words in text


def test_letters_stand_for_one_thing_each() -> None:
    assert list(CLAIM_LETTERS) == list(CLAIMS)
    assert list(KIND_LETTERS) == list(Kind)
    for letters in (CLAIM_LETTERS, KIND_LETTERS):
        assert len(set(letters.values())) == len(letters)
    marks = {row[0]: (row[2], row[5]) for row in catalogue().brief().rows}
    for entry in indices():
        kinds, claims = marks[entry.name]
        assert kinds == "".join(KIND_LETTERS[kind] for kind in entry.kinds)
        assert len(claims) == len(CLAIMS)
        for mark, (claim, letter) in zip(claims, CLAIM_LETTERS.items(), strict=True):
            status = entry.status(claim, entry.kinds[0])
            assert mark == {"claimed": letter, "refuted": "-", "open": "."}[status]


@pytest.mark.parametrize("name", NAMES)
def test_every_card_is_whole(name: str) -> None:
    entry, shown = find(name), card(name)
    records = strict(shown.write("json"))["rows"]
    assert [row["fact"] for row in records[:2]] == ["index", "title"]
    assert records[0]["text"] == name
    assert all(row["fact"].strip() and row["text"].strip() for row in records)
    assert list(csv.DictReader(io.StringIO(shown.write("csv")))) == records
    found = [fact for fact, _ in shown.facts]
    assert {"symbol", "call", "what", "best", "range", "relabelling_invariant", "pitfalls"} <= set(found)
    assert {"formula", "letter", "how to read", "example"} <= set(found)
    assert found.count("reference") == len(entry.references)
    assert found.count("limit") == len({(str(limit.value), limit.reason) for limit in entry.limits})
    assert max(map(len, str(shown).splitlines())) <= 110


def test_a_card_says_what_the_entry_says() -> None:
    ari = facts("ari")
    assert ari["symbol"] == "ARI"
    assert ari["also named"] == "adjusted_rand_index"
    assert ari["best"] == "1 (higher is better)"
    assert ari["range"] == "hard: [-0.5, 1]; fuzzy, possibilistic: [not known, 1]"
    assert ari["reflexive"].startswith("hard: yes; fuzzy, possibilistic: no (")
    assert ari["metric class"].startswith("hard: semi-metric")
    assert "options" not in facts("purity")
    assert facts("rand")["options"] == "pairs='distinct' (or 'ordered', 'coassociation')"
    assert facts("rand:pairs=ordered")["options"] == "pairs='ordered' (or 'distinct', 'coassociation')"
    entropy = facts("entropy")
    assert entropy["best"] == "none (it describes)"
    assert "symmetric" not in entropy
    assert "metric class" not in entropy


def test_ranges_in_words() -> None:
    assert range_text(find("RI"), HARD) == "[0, 1]"
    assert range_text(find("VI"), HARD) == "[0, min(log n, 2 log max(k, k'))]"
    assert range_text(find("AMI"), FUZZY) == "not defined"


def test_unknown_names_come_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="adjusted_rand"):
        card("adjusted_randd")
    with pytest.raises(UnknownNameError, match="hubert1985"):
        reference("hubert1986")


@pytest.mark.parametrize("key", sorted({key for entry in indices() for key in entry.references}))
def test_every_reference_is_written_out(key: str) -> None:
    text = reference(key)
    year = key[-4:]
    assert f"({year})" in text
    assert not set("{}\\") & set(text)
    author, title = text.split(f" ({year}). ")
    assert author
    assert len(title.split(". ")) >= 2
