"""The verdict table (``make answers``): the answer to every situation against what may be said of it.

``--only`` takes parts of names, ``--seeds`` several seeds, ``--procedures`` some of choose_k, stability,
structure. The exit code is 1 if an answer is not as expected.

``--table`` measures instead how good the answers are, beside plain rules on the same data; see
``answers_table.py`` for its options.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import answers_table
from expectations import Answer
from situations import ASKED, PROCEDURES, SITUATIONS, Situation

COLUMNS = "{:<42} {:<9} {:>4} {:>5} {:>5}  {:<12} {:<8} {:>7}  {}"


@dataclass(frozen=True)
class Row:
    """The answer of a procedure to a situation drawn with a seed, and what is wrong with it."""

    situation: Situation
    procedure: str
    seed: int
    answer: Answer | None
    wrong: tuple[str, ...]
    seconds: float


def rows(cases: Sequence[tuple[str, str]], seeds: Sequence[int]) -> Iterator[Row]:
    """The table row by row, as answers come; a refusal or a warning is an answer that is wrong."""
    for name, procedure in cases:
        situation = SITUATIONS[name]
        for seed in seeds:
            X = situation.sample(seed).X
            began = time.process_time()
            answer, wrong = None, []
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                try:
                    answer = situation.answer(procedure, X, seed)
                except Exception as error:
                    wrong = [f"raised {type(error).__name__}: {str(error).splitlines()[0]}"]
            seconds = time.process_time() - began
            wrong += [f"warned {w.category.__name__}: {w.message}" for w in warned]
            wrong += [] if answer is None else situation.wrong(procedure, answer, len(X))
            yield Row(situation, procedure, seed, answer, tuple(wrong), seconds)


def text(row: Row) -> str:
    """One row: the typed answer, then its first line, then what is wrong."""
    answer = row.answer or Answer(None, "-")
    head = COLUMNS.format(
        row.situation.name,
        row.procedure,
        row.seed,
        "/".join(map(str, row.situation.ks)),
        "-" if row.answer is None else str(answer.k),
        answer.strength,
        "VIOLATED" if row.wrong else "ok",
        f"{row.seconds:.2f}",
        " ".join(sorted(answer.kinds)),
    )
    return "\n".join([head, f"    {answer.statement}", *(f"    ! {wrong}" for wrong in row.wrong)])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", help="of the draws; 0, and of the table 0 to 4")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of names of situations")
    parser.add_argument("--procedures", nargs="+", default=list(PROCEDURES), choices=PROCEDURES)
    parser.add_argument("--table", action="store_true", help="measure, with the options that follow")
    answers_table.add_options(parser)
    asked = parser.parse_args(arguments)
    if asked.table:
        return answers_table.run(asked)
    cases = [
        (name, procedure)
        for name, procedure in ASKED
        if procedure in asked.procedures and any(part in name for part in asked.only)
    ]
    if not cases:
        parser.error(f"no situation has {' or '.join(map(repr, asked.only))} in its name")
    write = sys.stdout.write
    head = ("situation", "asked", "seed", "true", "k", "strength", "verdict", "seconds", "remarks")
    write(COLUMNS.format(*head) + "\n")
    total, seconds, wrong = 0, 0.0, []
    for row in rows(cases, asked.seeds or [0]):
        write(text(row) + "\n")
        sys.stdout.flush()
        total, seconds = total + 1, seconds + row.seconds
        wrong += [f"{row.situation.name} ({row.procedure}, seed {row.seed})"] * bool(row.wrong)
    write(f"\n{total} answers, {len(wrong)} not as expected, {seconds:.0f} CPU seconds\n")
    write("".join(f"  {name}\n" for name in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
