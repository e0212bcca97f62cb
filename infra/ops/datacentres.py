"""Writes `ingest/bots/datacentres.csv`, the address ranges of hosting companies:
`python -m infra.ops.datacentres FOLDER`.

FOLDER is the unpacked npm package `@ip-location-db/asn`, which lists the address ranges of every network by its number.
Run it by hand to renew the list; the product reads the written file only.

A network is listed here when it rents out servers. Networks that people browse through are left out: carriers, home
and office networks, content networks that also carry private relays (Cloudflare, Fastly, Akamai's 20940 and 36183) and
Google's own network.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final

from infra.kernel.config.paths import ROOT

Address = IPv4Address | IPv6Address

TARGET: Final = ROOT / "ingest" / "bots" / "datacentres.csv"
SMALLEST: Final = {4: 2**11, 6: 2**88}
"""Addresses of the smallest range that is kept (/21 and /40): smaller ones are 2 % of the addresses and most lines."""

HOSTERS: Final = {
    7203: "Leaseweb", 8100: "QuadraNet", 8560: "IONOS", 8987: "Amazon", 9009: "M247", 9123: "Timeweb",
    12876: "Scaleway", 13213: "UK2", 14061: "DigitalOcean", 14618: "Amazon", 16276: "OVH", 16509: "Amazon",
    19318: "Interserver", 19994: "Rackspace", 20454: "Secured Servers", 20473: "Vultr", 22612: "Namecheap",
    24940: "Hetzner", 25820: "IT7", 26347: "DreamHost", 26496: "GoDaddy", 27357: "Rackspace", 28753: "Leaseweb",
    29802: "Hivelocity", 30633: "Leaseweb", 31898: "Oracle Cloud", 32244: "Liquid Web", 33070: "Rackspace",
    35916: "Multacom", 36351: "IBM Cloud", 36352: "ColoCrossing", 37963: "Alibaba Cloud", 40021: "Contabo",
    45090: "Tencent Cloud", 45102: "Alibaba Cloud", 46606: "Unified Layer", 46844: "Sharktech", 47583: "Hostinger",
    49505: "Selectel", 49981: "WorldStream", 50340: "Selectel", 51167: "Contabo", 53667: "FranTech", 55286: "B2 Net",
    55990: "Huawei Cloud", 60068: "Datacamp", 60781: "Leaseweb", 62904: "Eonix", 63949: "Linode",
    132203: "Tencent Cloud", 136907: "Huawei Cloud", 141995: "Contabo", 197540: "netcup", 199524: "Gcore",
    200350: "Yandex Cloud", 212238: "Datacamp", 212317: "Hetzner", 213230: "Hetzner", 396982: "Google Cloud",
    398101: "GoDaddy", 8075: "Microsoft Azure",
}  # fmt: skip
"""Hosting companies by the number of their network."""


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)  # noqa: T201 - for the person who runs it
        return 2
    folder = Path(arguments[0])
    version = json.loads((folder / "package.json").read_text())["version"]
    stamp = version.rpartition(".")[2]
    lines = [
        f"# Address ranges of hosting companies as of {stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}.",
        f"# Made by infra/ops/datacentres.py from the npm package @ip-location-db/asn {version}:",
        "# data of Route Views (routeviews.org), the regional registries (nro.net) and DB-IP (https://db-ip.com),",
        "# licensed under CC BY 4.0; changed: hosting companies only, joined, small ranges left out.",
    ]
    for family in (4, 6):
        with (folder / f"asn-ipv{family}.csv").open(newline="") as file:
            ranges = sorted(
                (ip_address(first), ip_address(last))
                for first, last, number, *_ in csv.reader(file)
                if int(number) in HOSTERS
            )
        lines += [f"{first},{last}" for first, last in _joined(ranges) if _size(first, last) >= SMALLEST[family]]
    TARGET.write_text("\n".join(lines) + "\n")
    return 0


def _joined(ranges: Iterable[tuple[Address, Address]]) -> list[tuple[Address, Address]]:
    """Ranges that touch, as one. `ranges` are in order."""
    joined: list[tuple[Address, Address]] = []
    for first, last in ranges:
        if joined and int(first) <= int(joined[-1][1]) + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last, key=int)
        else:
            joined.append((first, last))
    return joined


def _size(first: Address, last: Address) -> int:
    return int(last) - int(first) + 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
