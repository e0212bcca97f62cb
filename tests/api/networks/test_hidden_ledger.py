"""One hidden ledger, as files of seven networks and as postbacks, in random order: each sale counts once, to the cent.

The files come as exported on several days, in random encodings and forms, repeated, undone and imported again.
`LEDGER_SEEDS` (1) says how many ledgers are played, `LEDGER_SEED` (7) which is the first. A failure names its seed.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import pytest

from command_api.conversions.model import Conversion
from infra.kernel.config.settings import Settings
from schemas.identity import conversion_id
from tests.api.networks.test_imports import Importer
from tests.oracle.network_files import NETWORKS, Network, NetworkSale, lines_of, random_ledger, random_writing, write
from tests.support.policies import Policies, policies

COUNT = int(os.environ.get("LEDGER_SEEDS", "1"))
FIRST = int(os.environ.get("LEDGER_SEED", "7"))
SALES = 10
EXPORTS = (110, 60, 25, 0)
"""Days before today on which each network's report was exported."""


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


@pytest.mark.parametrize("is_dated", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_files_and_postbacks_in_any_order_make_the_ledger(led: Policies, seed: int, is_dated: bool) -> None:
    print(f"LEDGER_SEED={seed}")
    rng, today = random.Random(seed), datetime.now(UTC).date() - timedelta(days=1)
    led.world.postgres.execute("DELETE FROM kernel.rate_limit")
    wrong: list[str] = []
    for network in NETWORKS:
        sales = [sale for sale in random_ledger(seed, today, SALES) if sale.network == network]
        wrong += NetworkOfLedger(led, network, sales, rng, today, is_dated=is_dated).play()
    assert wrong == []


class NetworkOfLedger:
    """A website that earns at one network, with its sales of the ledger."""

    def __init__(
        self,
        led: Policies,
        network: Network,
        sales: list[NetworkSale],
        rng: random.Random,
        today: date,
        *,
        is_dated: bool,
    ) -> None:
        self.network, self.rng, self.today, self.is_dated = network, rng, today, is_dated
        self.currency = "EUR" if network == "awin" else "USD"
        self.led, self.importer = led, Importer(led, network=network, currency=self.currency)
        self.clicks: dict[str, str] = {}
        self.sales = [self._with_click(sale) for sale in sales if sale.currency == self.currency]
        self.writing = replace(random_writing(rng, network), zone="UTC")

    def play(self) -> list[str]:
        """What differs from the ledger."""
        steps = [("export", day) for day in EXPORTS] * 2 + [("postbacks", 0), ("undo", 0)]
        self.rng.shuffle(steps)
        applied: list[str] = []
        for step, days in steps:
            if step == "postbacks":
                self._postbacks()
            elif step == "export":
                applied.append(self._import(self.today - timedelta(days=days)))
            elif applied:
                self._undo(applied.pop(self.rng.randrange(len(applied))))
        applied.append(self._import(self.today))
        self._undo(applied.pop(0))
        self._import(self.today)
        self.led.caught_up()
        return self._differences()

    def _with_click(self, sale: NetworkSale) -> NetworkSale:
        if not sale.click_ref or self.network == "amazon":
            return replace(sale, click_ref="")
        ago = datetime.now(UTC) - sale.clicked_at
        click = self.led.click(self.importer.shop, ago)
        self.clicks[self._txid(sale)] = click
        return replace(sale, click_ref=click)

    def _txid(self, sale: NetworkSale) -> str:
        return sale.order if self.network == "rakuten" else sale.txid

    def _import(self, day: date) -> str:
        writing = replace(random_writing(self.rng, self.network), zone=self.writing.zone)
        content = write(self.network, lines_of(self.sales, self.network, day, writing.zone), writing, day.toordinal())
        mapping = {"dateOrder": writing.order, "decimalMark": writing.decimal_mark, "timezone": writing.zone}
        fields: dict[str, Any] = {"mapping": json.dumps({**mapping, "currency": self.currency})}
        if self.is_dated:
            fields["asOf"] = datetime.combine(day, time(23, 59, 59), UTC).isoformat()
        found = self.importer.upload_file(content, apply=True, network=self.network, **fields)
        return str(found["importId"])

    def _undo(self, import_id: str) -> None:
        self.importer.call(import_id, "undo")
        self.importer.until(import_id, "undone")

    def _postbacks(self) -> None:
        """What the network sent while the sales happened: pending, of the first amounts."""
        for sale in self.sales:
            if self.rng.random() < 0.5 and self.network not in ("amazon", "shareasale"):
                commission = sum(item.commission for item in sale.items)
                self.led.report(
                    self.importer.shop, txid=self._txid(sale), reported_by="postback", key_kind="postback",
                    click_id=sale.click_ref, amount=None, partner_id=self.importer.partner["id"],
                    payout={"amount": commission, "currency": sale.currency},
                    occurred_at=sale.at.strftime("%Y-%m-%d %H:%M:%S.000"), time_named=True,
                )  # fmt: skip

    def _differences(self) -> list[str]:
        if self.network == "amazon":
            expected = sum(self._earned(sale) for sale in self.sales)
            found = self.importer.earned()
            return [] if found == expected else [f"amazon: {found} instead of {expected}"]
        wrong = []
        for sale in self.sales:
            state, expected = self._state(sale), self._earned(sale)
            found = 0 if state is None else state.net_commission
            if found != expected:
                wrong.append(f"{self.network} {self._txid(sale)}: {found} instead of {expected} ({sale.changes})")
            click = self.clicks.get(self._txid(sale), "")
            attribution = state.facts.attribution if state is not None else None
            if click and state is not None and (attribution is None or attribution.click_id != click):
                wrong.append(f"{self.network} {self._txid(sale)}: not of its click")
        total = sum(self._earned(sale) for sale in self.sales)
        if self.importer.earned() != total:
            wrong.append(f"{self.network}: {self.importer.earned()} in all instead of {total}")
        return wrong

    def _earned(self, sale: NetworkSale) -> int:
        """By the ledger's own arithmetic. Two networks do not report what is not approved yet; a postback may have."""
        earned = sale.earned(self.today)[1]
        if self.network in ("rakuten", "amazon") and sale.decided_at(self.today, "approved") is None:
            state = None if self.network == "amazon" else self._state(sale)
            return 0 if state is None else state.net_commission
        return earned

    def _state(self, sale: NetworkSale) -> Conversion | None:
        txid = self._txid(sale)
        state = self.led.state(conversion_id(UUID(self.importer.shop.site["id"]), "sale", txid))
        if state is None and self.network == "rakuten":
            txid = f"{sale.partner[0]}-{txid}"
            state = self.led.state(conversion_id(UUID(self.importer.shop.site["id"]), "sale", txid))
        return state
