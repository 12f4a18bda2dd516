"""The figure of a run: how far every target is held or missed, and the exponents of growth."""

from __future__ import annotations

import io
from typing import Any

from measuring import Growth, Target

HELD, MISSED, PLAIN = "#0072B2", "#D55E00", "#666666"
"""Okabe and Ito's blue and vermilion."""
ROW = 0.21


def draw(targets: list[Target], growths: list[Growth]) -> str:
    """An SVG of both, one above the other; an empty one where there is neither."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.fonttype": "none", "font.size": 8, "svg.hashsalt": "partita"}):
        rows = max(1, len(targets)), max(1, len(growths))
        figure, axes = plt.subplots(
            2, 1, figsize=(11, ROW * sum(rows) + 2.2), height_ratios=rows, layout="constrained"
        )
        _margins(axes[0], targets)
        _exponents(axes[1], growths)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
        plt.close(figure)
    return out.getvalue()


def _margins(axes: Any, targets: list[Target]) -> None:
    """How many times better than asked, so that all targets stand on one scale."""
    shown = sorted(targets, key=margin)
    places = range(len(shown))
    values = [margin(t) for t in shown]
    colours = [HELD if t.holds else MISSED for t in shown]
    axes.axvline(1, color=PLAIN, linewidth=1)
    axes.hlines(places, 1, values, color=colours, linewidth=1)
    axes.scatter(values, places, c=colours, s=14, zorder=3)
    axes.set_xscale("log")
    axes.set_yticks(
        places, [f"{t.what}  ({t.ratio:.3g}x, {t.sign} {t.target:g}x)" for t in shown], fontsize=6.5
    )
    axes.set_ylim(-1, len(shown))
    count = sum(t.holds for t in shown)
    axes.set_title(
        f"{count} of {len(shown)} ratios hold: times better than asked (right of 1 holds)", loc="left"
    )
    axes.grid(axis="x", alpha=0.3)


def margin(target: Target) -> float:
    """Above 1 where the target holds."""
    least = 1e-3
    ratio = max(target.ratio, least)
    return target.target / ratio if target.at_most else ratio / target.target


def _exponents(axes: Any, growths: list[Growth]) -> None:
    shown = sorted(growths, key=lambda g: (g.limit, g.exponent))
    places = range(len(shown))
    axes.scatter([g.exponent for g in shown], places, c=[HELD if g.holds else MISSED for g in shown], s=14)
    axes.scatter([g.limit for g in shown], places, marker="|", color=PLAIN, s=60)
    axes.set_yticks(places, [g.statistic for g in shown], fontsize=6.5)
    axes.set_ylim(-1, max(1, len(shown)))
    axes.set_title("Growth of each statistic with n: exponent (dot) and its limit (bar)", loc="left")
    axes.grid(axis="x", alpha=0.3)
