"""The report of a soak: what was sent, which faults there were, what the audit found, and what grew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from tests.bench.charts import Panel, svg
from tests.soak.samples import (
    ALLOWANCES,
    MAX_DISK_GROWTH,
    WARM_UP_S,
    DiskSample,
    Growth,
    Sample,
    judge,
    judge_disk,
)

SHOWN: Final = ("clickhouse", "kafka", "projectors", "ingest", "command", "query", "postgres", "web")
TITLES: Final = {"memory_mib": "Memory, MiB", "handles": "File handles", "threads": "Threads"}
PER_PANEL: Final = 4


@dataclass(frozen=True)
class Inflicted:
    """A fault: when, and how many seconds until every process ran and traffic was acknowledged again."""

    at: float
    kind: str
    name: str
    recovered_s: float


@dataclass(frozen=True)
class Soak:
    """All that a run found. `found`: the audit's three numbers. `reads`: milliseconds of the dashboard's calls."""

    at: str
    commit: str
    minutes: float
    fault_every_s: float
    seed: int
    requests: int
    events: int
    retries: int
    commands: int
    stream_messages: int
    reads: Sequence[float]
    faults: Sequence[Inflicted]
    found: Mapping[str, int]
    checked: Mapping[str, int]
    examples: Sequence[str]
    samples: Sequence[Sample]
    disk: Sequence[DiskSample]

    @property
    def problems(self) -> list[str]:
        """What must not be: findings of the audit, and what is not flat. Empty if all is well."""
        wrong = [f"{count} {kind}" for kind, count in self.found.items() if count]
        grown = [
            f"{each.name}: {TITLES[each.figure]} {_grows(each)}"
            for each in judge(self.samples)
            if each.is_flat is False
        ]
        before, after, is_flat = judge_disk(self.disk)
        disk = [f"disk: {after:,.0f} bytes a request, before {before:,.0f}"] if is_flat is False else []
        return wrong + grown + disk


def write(soak: Soak, folder: Path) -> None:
    """Writes `soak.md`, `soak.json` and `images/soak.svg`."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    (folder / "soak.json").write_text(json.dumps(_as_json(soak), separators=(",", ":")) + "\n")
    (folder / "soak.md").write_text(text(soak))
    (folder / "images" / "soak.svg").write_text(picture(soak))


def text(soak: Soak) -> str:
    """The page."""
    return "\n\n".join(_parts(soak)) + "\n"


def picture(soak: Soak) -> str:
    """Memory, handles and threads of the processes, and the data directory, over the minutes of the run."""
    end = max(sample.at for sample in soak.disk) / 60
    ticks = {round(end * share, 2): f"{end * share:.0f} min" for share in (0.0, 0.5, 1.0)}
    panels = []
    for figure, title in TITLES.items():
        for first in range(0, len(SHOWN), PER_PANEL):
            series = {name: _line(soak.samples, name, figure) for name in SHOWN[first : first + PER_PANEL]}
            panels.append(Panel(title, {name: line for name, line in series.items() if line}, ticks))
    disk = [(sample.at / 60, sample.data_mib) for sample in soak.disk]
    panels.append(Panel("Data directory, MiB", {"all files": disk}, ticks))
    return svg([panel for panel in panels if panel.series])


def _parts(soak: Soak) -> Iterator[str]:
    found = ", ".join(f"{count} {kind}" for kind, count in soak.found.items())
    yield "# Soak test"
    yield (
        f"`make soak`: {soak.minutes:g} minutes of steady load with a fault every {soak.fault_every_s:g} s; "
        f"{soak.at} UTC, commit {soak.commit}, seed {soak.seed}. Result: **{found}; {_growth(soak)}**."
    )
    yield "\n".join([
        "| load | |", "|---|---|",
        f"| requests to the tracking API, answered | {soak.requests:,} |",
        f"| events and reports acknowledged | {soak.events:,} |",
        f"| requests sent again with the same ids, because there was no clear answer | {soak.retries:,} |",
        f"| commands done | {soak.commands:,} |",
        f"| messages of the live stream | {soak.stream_messages:,} |",
        f"| reads of the dashboard, median and 95th percentile between faults | {_times(soak.reads)} |",
        f"| compared by the audit | {sum(soak.checked.values()):,} records, rows and cells |",
    ])  # fmt: skip
    if soak.examples:
        yield "\n".join(f"- {example}" for example in soak.examples)
    yield "## Faults"
    yield (
        "Killed: SIGKILL. Frozen: SIGSTOP for eight seconds, with every process of its own. Restarted: all in order, "
        "as an update does. Recovered: every process runs and traffic is acknowledged, counted from the fault on."
    )
    rows = "\n".join(
        f"| {each.at / 60:.1f} | {each.name} | {each.kind} | {each.recovered_s:.1f} s |" for each in soak.faults
    )
    yield f"| minute | process | fault | recovered after |\n|---|---|---|---|\n{rows}"
    yield "## Growth"
    yield (
        "Every ten seconds. Processes that are killed begin again, so growth is measured within the life of each "
        f"process, after {WARM_UP_S:.0f} s of warm-up: the median slope of all pairs of samples that are a minute or "
        "more apart. "
        + "; ".join(
            f"{TITLES[figure].partition(',')[0].lower()} may grow by {allowance.share:.0%} of the median in an hour, "
            f"or {allowance.least:g} {allowance.unit}"
            for figure, allowance in ALLOWANCES.items()
        )
        + ". Memory is a process's own and its share of shared memory, without pages of mapped files, which are the"
        " kernel's cache. What engines and pools keep fills up to sizes that are set and has a bound instead: memory,"
        " files of Postgres and ClickHouse, connections of services."
    )
    yield "![Memory, file handles, threads and disk](images/soak.svg)"
    rows = "\n".join(_row(each) for each in judge(soak.samples))
    head = "| process | figure | median | largest | growth an hour | allowed | flat |\n|---|---|---|---|---|---|---|"
    yield f"{head}\n{rows}"
    before, after, is_flat = judge_disk(soak.disk)
    yield (
        f"Disk: the log and its tables grow with every request, by {before:,.0f} bytes from the first to the second "
        f"third of the run and by {after:,.0f} from there to the last (medians; at most {MAX_DISK_GROWTH:g} times as "
        f"many): {_flat(is_flat)}. Log files "
        f"of the processes: {soak.disk[-1].logs_mib:.1f} MiB."
    )


def _growth(soak: Soak) -> str:
    """What grew, in a few words. A short run cannot say."""
    if soak.problems:
        return "; ".join(soak.problems)
    is_judged = any(each.is_flat is not None for each in judge(soak.samples))
    return "all flat" if is_judged else "too short to say what grows"


def _row(each: Growth) -> str:
    growth = f"{each.per_hour:+.1f}" if each.is_flat is not None else ""
    title = TITLES[each.figure]
    allowed = f"{each.allowed:.0f} in all" if each.is_bounded else f"{each.allowed:+.0f}"
    return (
        f"| {each.name} | {title} | {each.median:.0f} | {each.largest:.0f} | {growth} | {allowed} |"
        f" {_flat(each.is_flat)} |"
    )


def _grows(each: Growth) -> str:
    return f"reaches {each.largest:.0f}" if each.is_bounded else f"grows by {each.per_hour:.1f} an hour"


def _flat(is_flat: bool | None) -> str:
    return {True: "yes", False: "**no**", None: "too few samples"}[is_flat]


def _times(milliseconds: Sequence[float]) -> str:
    if not milliseconds:
        return "none"
    ordered = sorted(milliseconds)
    return f"{len(ordered):,}: {ordered[len(ordered) // 2]:.0f} and {ordered[int(len(ordered) * 0.95)]:.0f} ms"


def _line(samples: Sequence[Sample], name: str, figure: str) -> list[tuple[float, float]]:
    return [(sample.at / 60, float(getattr(sample, figure))) for sample in samples if sample.name == name]


def _as_json(soak: Soak) -> dict[str, Any]:
    """Samples as rows under one list of columns: there are thousands."""
    tables = {name: _table(getattr(soak, name)) for name in ("samples", "disk")}
    return {**asdict(soak), "reads": len(soak.reads), "problems": soak.problems, **tables}


def _table(rows: Sequence[Sample] | Sequence[DiskSample]) -> dict[str, Any]:
    columns = [field.name for field in fields(rows[0])] if rows else []
    return {"columns": columns, "rows": [[getattr(row, name) for name in columns] for row in rows]}
