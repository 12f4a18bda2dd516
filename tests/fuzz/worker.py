"""One process that draws documents of one area until its time is over, and tells what breaks the law."""

from __future__ import annotations

import argparse
import faulthandler
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.areas import AREAS
from fuzz.law import PATIENCE, SECONDS, signature

SHRINK_SECONDS = 45
MEMORY = 6 * 2**30
"""Of addresses; an example that takes more fails here, not the machine."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("seed", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("current", type=Path, help="where the document that is run is kept")
    parser.add_argument("found", type=Path, help="where findings are written, a line each")
    parser.add_argument("known", nargs="*", help="signatures that were found before")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    search = Search(asked.area, asked.current, set(asked.known), time.monotonic() + asked.seconds)
    turn = 0
    while time.monotonic() < search.end:
        finding = search.turn(asked.seed + turn)
        turn += 1
        if finding is not None:
            with asked.found.open("a") as out:
                out.write(json.dumps(finding) + "\n")
    sys.stdout.write(json.dumps({"examples": search.examples, "known": search.known_again}))


class Search:
    """Turns of a few hundred examples, each with its own seed."""

    def __init__(self, area: str, current: Path, known: set[str], end: float) -> None:
        self.area, self.current, self.known, self.end = area, current, known, end
        self.examples, self.known_again = 0, 0

    def turn(self, number: int) -> dict[str, Any] | None:
        """A finding with the smallest document that shows it, or None."""
        broken: dict[str, str] = {}
        """What broke the law in this turn, document and signature; the last is the smallest."""
        shrink_until = [float("inf")]

        @seed(number)
        @settings(
            max_examples=300,
            database=None,
            deadline=None,
            derandomize=False,
            report_multiple_bugs=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(AREAS[self.area].documents)
        def look(document: Any) -> None:
            text = json.dumps(document)
            if text not in broken and time.monotonic() > min(self.end, shrink_until[0]):
                return
            self.examples += 1
            self.current.write_text(text)
            faulthandler.dump_traceback_later(1.2 * PATIENCE * SECONDS, exit=True)
            try:
                AREAS[self.area].run(json.loads(text))
            except Exception as error:
                name = signature(error)
                if name in self.known:
                    self.known_again += 1
                    return
                if broken and name != next(iter(broken.values())):
                    return  # another fault, for another turn
                if not broken:
                    shrink_until[0] = time.monotonic() + SHRINK_SECONDS
                broken.pop(text, None)
                broken[text] = name
                raise
            finally:
                faulthandler.cancel_dump_traceback_later()

        try:
            look()
        except Exception as error:
            if not broken:
                raise
            smallest = next(reversed(broken))  # which is run once more in the end
            self.known.add(broken[smallest])
            return {
                "area": self.area,
                "signature": broken[smallest],
                "error": f"{type(error).__name__}: {error}"[:600],
                "document": json.loads(smallest),
            }
        return None


if __name__ == "__main__":
    main()
