"""Measures how long an honest client waits while each hostile request is sent in a loop from eight connections.

`python -m tests.bench hostile` (5 s an attack), `python -m tests.bench.bench_hostile --seconds 20` for the long run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.bench import Figure
from tests.support.hostile_requests import ATTACKS, Honest, hammering, percentile, requests_of
from tests.support.ingest_service import running_ingest

COMMAND = "python -m tests.bench.bench_hostile --seconds"


def run(seconds: float = 5.0, names: Sequence[str] = ()) -> list[Figure]:
    """One figure per attack: the slowest hundredth of the honest requests, of the endpoint that suffers most."""
    figures: list[Figure] = []
    with running_ingest(ALTHING_ADDRESS_REFUSALS="50") as ingest_service:
        site = ingest_service.add_site()
        slug = ingest_service.add_link(site, ingest_service.add_partner("acme"), "https://shop.example/")
        address = ("127.0.0.1", ingest_service.port)
        honest = Honest(address, site.site_key, slug)
        honest.measure(1)
        quiet = {name: percentile(took, 0.99) for name, took in honest.measure(max(seconds, 5)).items()}
        attacked = ingest_service.add_site("attacked.example")
        for number, name in enumerate(names or ATTACKS, 1):
            requests = requests_of([name], attacked.site_key)
            with hammering(address, requests, seconds, source=f"127.0.1.{number}") as answers:
                took = honest.measure(seconds)
            beside = {call: percentile(times, 0.99) for call, times in took.items()}
            worst = max(beside, key=lambda call: beside[call] / quiet[call])
            shown = ", ".join(f"{status} {count:,}×" for status, count in sorted(answers.items()))
            figures.append(
                Figure(
                    name=f"{name}: {worst} p99",
                    value=beside[worst] * 1000,
                    unit="ms",
                    baseline=quiet[worst] * 1000,
                    baseline_name="quiet",
                    aim="≤ 5 × quiet",
                    command=f"{COMMAND} {seconds:g}",
                    note=f"{beside[worst] / quiet[worst]:.1f} × quiet; attackers were answered {shown}",
                )
            )
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("names", nargs="*", help="attacks; all by default")
    options = parser.parse_args(argv)
    for figure in run(options.seconds, options.names):
        print(f"{figure['name']:60} {figure['value']:8.1f} ms  quiet {figure['baseline']:6.1f} ms  {figure['note']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
