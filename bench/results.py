"""The results of a whole run as a page: targets, growth, memory, peers, and the machine they are from."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from figure import draw
from measuring import Growth, Memory, Peer, Target

PACKAGES = (
    *(
        "partita",
        "numpy",
        "scipy",
        "scikit-learn",
        "numba",
        "joblib",
        "pandas",
        "pyarrow",
        "dask",
        "distributed",
    ),
    *("genieclust", "scikit-fuzzy", "permetrics", "torchmetrics", "torch", "evclust", "cdlib"),
)

Found = dict[str, dict[str, Any]]
"""By the name of a bench file: its records, notes, failure and seconds."""


def write(folder: Path, found: Found, seconds: float, load: float) -> None:
    """RESULTS.md and results.svg, each whole or not at all."""
    replace(folder / "results.svg", draw(records(found, Target), records(found, Growth)))
    replace(folder / "RESULTS.md", page(found, seconds, load))


def replace(path: Path, text: str) -> None:
    """Write a text under another name first, then give it its name."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as out:
        out.write(text)
    Path(out.name).chmod(0o644)
    Path(out.name).replace(path)


def records(found: Found, kind: type[Any]) -> list[Any]:
    """All records of a kind, in the order of the files."""
    return [
        kind(**{name: value for name, value in record.items() if name != "record"})
        for part in found.values()
        for record in part["records"]
        if record["record"] == kind.__name__
    ]


def summary(found: Found, seconds: float) -> str:
    """How many targets hold, and which do not."""
    targets, growths = records(found, Target), records(found, Growth)
    missed = [f"{t.what}: {t.ratio:.3g}x, target {t.sign} {t.target:g}x" for t in targets if not t.holds]
    missed += [
        f"growth of {g.statistic}: n^{g.exponent:.2f}, limit {g.limit:g}" for g in growths if not g.holds
    ]
    failed = [f"{name}: {part['failure']}" for name, part in found.items() if part["failure"]]
    count = len(targets) + len(growths)
    lines = [f"{count - len(missed)} of {count} targets hold, in {seconds / 60:.1f} minutes"]
    lines += [f"MISSED {what}" for what in missed] + [f"FAILED {what}" for what in failed]
    return "\n".join(lines)


ABOUT = """\
Written by `make bench`; nothing here is typed in. Ratios are measured within this one run, on the same data
for both sides, and are the best of several repeats; times by the clock on the wall, or CPU seconds where it
says CPU. Another run on the same machine moves a ratio by some 10 to 20 %. What other issues budget for
`make reproduce` and `make test` is not measured here: they take longer than all of this."""


def page(found: Found, seconds: float, load: float) -> str:
    sections = (
        "# Results of `make bench`",
        ABOUT,
        f"**{summary(found, seconds).splitlines()[0]}.**",
        machine(load),
        "![Ratios against their targets](results.svg)",
        missed(found),
        targets(records(found, Target)),
        growths(records(found, Growth)),
        memories(records(found, Memory)),
        peers(records(found, Peer)),
        versions(),
        costs(found),
    )
    return "\n\n".join(filter(None, sections)) + "\n"


def machine(load: float) -> str:
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or "unknown",
    )
    total = next((int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {len(os.sched_getaffinity(0))} cores of {model}, "
        f"{total / 2**20:.0f} GiB of memory, {platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}. Load when it began: {load:.2f} (0 is an idle machine"
        + ("; with this much else running, read every ratio as provisional)." if load > 0.5 else ").")
    )


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def missed(found: Found) -> str:
    lines = summary(found, 0.0).splitlines()[1:]
    if not lines:
        return "## Missed\n\nNone."
    return "## Missed\n\n" + "\n".join(f"- {line}" for line in lines)


def targets(made: list[Target]) -> str:
    rows = [
        (
            t.issue or "",
            t.what,
            f"{t.ratio:.3g}x",
            f"{t.sign} {t.target:g}x" + "".join(f" ({n}: {value:g}x)" for n, value in t.earlier.items()),
            t.clock,
            "holds" if t.holds else "**missed**",
        )
        for t in sorted(made, key=lambda t: t.issue or 0)
    ]
    head = ("issue", "what", "measured", "target (older issue's)", "clock", "")
    return "## Targets\n\n" + table(head, rows, right={2})


def growths(made: list[Growth]) -> str:
    if not made:
        return ""
    rows = [
        (
            g.statistic,
            g.work,
            f"{g.sizes[0]:,} to {g.sizes[-1]:,}",
            f"{g.seconds[-1]:.2g} s",
            f"n^{g.exponent:.2f}",
            f"<= {g.limit:g}",
            "holds" if g.holds else "**missed**",
        )
        for g in made
    ]
    head = ("statistic", "measured by", "n", "CPU at the largest", "exponent", "limit", "")
    return "## Growth with the number of objects (CPU seconds)\n\n" + table(head, rows, right={2, 3, 4})


def memories(made: list[Memory]) -> str:
    if not made:
        return ""
    rows = [(m.work, f"{m.given / 1e6:.0f} MB", f"{m.extra / 1e6:.0f} MB", m.how) for m in made]
    return "## Peak memory beyond the input\n\n" + table(
        ("work", "input", "extra", "counted"), rows, right={1, 2}
    )


def peers(made: list[Peer]) -> str:
    if not made:
        return ""
    rows = [
        (
            p.peer,
            p.work,
            f"{p.theirs:.6g}",
            f"{p.ours:.6g}",
            "yes" if p.agree else "**no**",
            "" if p.ratio is None else f"{p.ratio:.3g}x",
            p.remark,
        )
        for p in made
    ]
    head = ("peer", "work", "theirs", "ours", "agree", "their time to ours", "remark")
    return "## Peers: the same work in the same run\n\n" + table(head, rows, right={2, 3, 5})


def versions() -> str:
    rows = []
    for name in PACKAGES:
        try:
            rows.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            rows.append((name, "**missing**: what needs it was not measured"))
    return "## Versions\n\n" + table(("package", "version"), rows)


def costs(found: Found) -> str:
    rows = [(name, f"{part['seconds']:.0f} s", part["failure"]) for name, part in found.items()]
    said = [f"- {name}: {note}" for name, part in found.items() for note in part["notes"]]
    return (
        "## What each part took, and noted\n\n"
        + table(("part", "time", ""), rows, right={1})
        + "\n\n"
        + "\n".join(said)
    )


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]], right: Iterable[int] = ()) -> str:
    """A Markdown table."""
    head = list(head)
    dashes = ["---:" if i in set(right) else "---" for i in range(len(head))]
    lines = [head, dashes, *([str(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
