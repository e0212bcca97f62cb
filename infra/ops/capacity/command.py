"""`althing capacity`: prints the plan of `infra.ops.capacity.model` for a load."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from infra.ops.capacity.model import UTILISATION, CapacityPlan, Load, Prices, plan


def main(arguments: list[str]) -> int:
    """Exit code 0, or 2 for a load that is none."""
    parser = argparse.ArgumentParser(prog="althing capacity", description="What a load needs, from measured figures.")
    parser.add_argument("--events-per-day", type=float, required=True, help="events of all websites, such as 1e9")
    parser.add_argument("--peak", type=float, default=Load.peak, help="busiest second for each mean one (%(default)s)")
    parser.add_argument("--batch", type=int, default=Load.batch, help="events in a request (%(default)s)")
    parser.add_argument("--days", type=int, default=Load.days, help="how long events are kept (%(default)s)")
    parser.add_argument("--replicas", type=int, default=Load.replicas, help="copies in Kafka (%(default)s)")
    parser.add_argument("--core-hour", type=float, default=Prices.core_hour, help="price of a core (%(default)s)")
    parser.add_argument(
        "--gib-month", type=float, default=Prices.gib_month, help="price of a GiB of disk (%(default)s)"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    load = Load(options.events_per_day, options.peak, options.batch, options.days, options.replicas)
    try:
        result = plan(load, Prices(options.core_hour, options.gib_month))
    except ValueError as error:
        sys.stderr.write(f"althing capacity: {error}\n")
        return 2
    sys.stdout.write(
        json.dumps(asdict(result), indent=1) + "\n" if options.json else "\n".join(_text(load, result)) + "\n"
    )
    return 0


def _text(load: Load, found: CapacityPlan) -> Iterator[str]:
    rows = (
        ("events a second", f"{found.mean_per_s:,.0f} on average, {found.peak_per_s:,.0f} at the peak"),
        ("ingest", f"{found.ingest} processes of one core"),
        ("Kafka", f"{found.brokers} brokers, {load.replicas} copies, {_size(found.log_disk)} for {load.days} days"),
        ("partitions", f"{found.partitions} of topic clicks"),
        ("projectors", f"{found.projectors} processes of one core"),
        (
            "ClickHouse",
            f"{found.shards} shards with {found.clickhouse_replicas} replicas, {_size(found.clickhouse_disk)}",
        ),
        ("cores in all", f"{found.cores}"),
        ("cost of a month", f"{found.month:,.0f} at the given prices"),
    )
    for name, value in rows:
        yield f"{name:<18}{value}"
    for warning in found.warnings:
        yield f"Note: {warning}"
    share = f"{UTILISATION:.0%}".replace("%", " %")
    yield f"Sized for the peak at {share} of figures measured on one small machine (docs/scale.md): measure your own."


def _size(number: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:,.0f} {unit}"
        number /= 1024
    return f"{number:,.1f} TiB"
