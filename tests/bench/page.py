"""`docs/benchmarks.md` and its pictures, made from `docs/benchmarks.json` alone: `python -m tests.bench page`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.bench import DOCS, KEPT, Figure, growth, history
from tests.bench.headlines import HEADLINES, LARGEST, Headline

PAGE: Final = DOCS / "benchmarks.md"

Kept = Mapping[str, Mapping[str, Any]]


def write() -> None:
    """Writes page and pictures."""
    kept: Kept = json.loads(KEPT.read_text())
    PAGE.write_text(text(kept))
    for path, picture in pictures(kept).items():
        (DOCS / path).write_text(picture)


def text(kept: Kept) -> str:
    """The page: the twenty figures on the first screen, growth, history, then every figure by subject."""
    parts = [*_first_screen(kept), *_limits(kept), *growth.section(kept), *history.section(), *_every_figure(kept)]
    return "\n\n".join(parts) + "\n"


def pictures(kept: Kept) -> dict[str, str]:
    """Content of each picture by its path below `docs`."""
    return growth.pictures(kept) | history.pictures()


def _first_screen(kept: Kept) -> Iterator[str]:
    rows = [(headline, headline.find(kept)) for headline in HEADLINES]
    met = sum(headline.is_met(figure["value"]) for headline, figure in rows)
    yield "# Benchmarks"
    yield (
        f"The {len(rows)} figures that matter; {met} of them meet their aim. Two cores run engines, services and load "
        "generator together: compare with the baseline, which the same run measured on the same machine, not with "
        "other machines. Below: [what limits](#what-limits-the-others) the figures that miss their aim, "
        "[growth](#from-one-million-to-ten-billion-events), [history](#history), [every figure](#every-figure). "
        "`make bench` measures and writes this page."
    )
    yield "| subject | figure | measured | baseline | aim | met |\n|---|---|---|---|---|---|\n" + "\n".join(
        _headline_row(headline, figure) for headline, figure in rows
    )


def _headline_row(headline: Headline, figure: Figure) -> str:
    title = headline.title
    if headline.figure.startswith(LARGEST):
        title = f"{title}, {figure['name'].partition(':')[0]}"
    met = "yes" if headline.is_met(figure["value"]) else "**no**"
    return (
        f"| [{headline.subject}](#{headline.subject}) | {title} | **{number(figure['value'])}** {figure['unit']} "
        f"| {_baseline(figure)} | {headline.aim} | {met} |"
    )


def _limits(kept: Kept) -> Iterator[str]:
    missed = [headline for headline in HEADLINES if not headline.is_met(headline.find(kept)["value"])]
    yield "## What limits the others"
    yield "\n".join(f"- **{headline.title}**: {headline.limit}" for headline in missed) or "Every aim is met."


def _every_figure(kept: Kept) -> Iterator[str]:
    yield "## Every figure"
    yield "`python -m tests.bench [subject …]` measures one subject; the others keep their figures."
    for subject in sorted(kept):
        entry = kept[subject]
        yield f"### {subject}"
        yield (
            f"Measured {entry['at']} in {entry['took_s']} s on {entry['machine']}; "
            f"other programs used {entry['busy_before']} of a core before the run."
        )
        yield "| figure | measured | baseline | aim | how |\n|---|---|---|---|---|\n" + "\n".join(
            table_row(figure) for figure in entry["figures"]
        )


def table_row(figure: Figure) -> str:
    """A figure as a row of its subject's table."""
    how = f"`{figure['command']}`" + (f" {figure['note']}" if figure.get("note") else "")
    measured = f"**{number(figure['value'])}** {figure['unit']}"
    return f"| {figure['name']} | {measured} | {_baseline(figure)} | {figure.get('aim', '')} | {how} |"


def _baseline(figure: Figure) -> str:
    if "baseline" not in figure:
        return ""
    return f"{number(figure['baseline'])} {figure['unit']} {figure.get('baseline_name', '')}".strip()


def number(value: float) -> str:
    """Three digits, or all of an integer part."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
