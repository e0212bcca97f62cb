"""Analyzes a website: reads its history, finds changes and narrates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final
from uuid import UUID

from command_api.insights.completeness import wait_until_counted
from command_api.insights.finder import find
from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.history import YOUNG_DAYS, History
from command_api.insights.history_reader import HistoryIncomplete, HistoryUnavailable, read_cells, read_history
from command_api.insights.narration import narrate
from command_api.insights.wording import Narrative
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext
from command_api.links import model as links
from command_api.partners import model as partners
from command_api.websites.model import Website
from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.llm import LanguageModel
from infra.kernel.log import Log, LogUnavailable
from infra.kernel.net.geoip import country_names
from schemas.days import day_start
from schemas.filters import NONE
from schemas.zones import ZoneInfo

CLIENTS: Final = 2
MAX_NAME_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class AnalysisRun:
    """The result of one analysis, not yet stored."""

    last_day: date
    found: Sequence[tuple[InsightFinding, Narrative]]
    names: Mapping[InsightSubject, str]
    silence: str | None
    is_young: bool
    """Too few days to compare anything but bot traffic."""


class InsightService:
    """Thread-safe."""

    def __init__(self, container: Container, clients: ClientPool, language_model: LanguageModel, log: Log) -> None:
        self.container, self._clients, self._model, self._log = container, clients, language_model, log

    @classmethod
    def of(cls, container: Container, log: Log) -> InsightService:
        """Opens a service with connections to ClickHouse of its own; `close` it."""
        clients = ClientPool(container.settings, CLIENTS, read_timeout_s=15)
        return cls(container, clients, LanguageModel(container.settings, container.pool), log)

    def close(self) -> None:
        self._clients.close()

    def analyze(self, website: Website, context: CommandContext) -> AnalysisRun:
        """Blocks for ClickHouse and the language model. Raises `HistoryUnavailable`, also while the last day is
        incomplete."""
        self._wait_for_counts(website, context)
        history = read_history(self._clients, website, context.at)
        cells = partial(read_cells, self._clients, website, history.last)
        findings = [finding for finding in find(history, cells) if not self._is_switched_off(finding, history)]
        subjects = [finding.subject for finding in findings if finding.subject is not None]
        names = {subject: shown_name(self._name(subject, website)) for subject in subjects}
        narration = narrate(self._model, website.account_id, findings, names, website.currency)
        return AnalysisRun(history.last, narration.found, names, narration.silence, len(history.total) < YOUNG_DAYS)

    def _wait_for_counts(self, website: Website, context: CommandContext) -> None:
        zone = ZoneInfo(website.timezone)
        midnight = day_start(zone, context.at.astimezone(zone).date())
        try:
            counted = wait_until_counted(self._log, self.container.pool, midnight)
        except LogUnavailable as error:
            raise HistoryUnavailable("the position of the log is unknown") from error
        if not counted:
            raise HistoryIncomplete("its last day is still being counted")

    def _is_switched_off(self, finding: InsightFinding, history: History) -> bool:
        """Returns whether the finding reports the silence of a link or partner that was switched off."""
        subject = finding.subject
        if subject is None or not (finding.topic == "silence" or (finding.topic, finding.type) == ("share", "decline")):
            return False
        if subject.dimension == "link":
            return self._link_ended(subject.value) or self._partner_ended(history.partner_of.get(subject.value))
        if subject.dimension != "partner":
            return False
        links = [link for link, partner in history.partner_of.items() if partner == subject.value]
        return self._partner_ended(subject.value) or (bool(links) and all(self._link_ended(link) for link in links))

    def _link_ended(self, link_id: str) -> bool:
        link = self.container.store.load(UUID(link_id), links.evolve)
        return link is not None and (link.deleted or not link.is_active)

    def _partner_ended(self, partner_id: str | None) -> bool:
        partner = self.container.store.load(UUID(partner_id), partners.evolve) if partner_id is not None else None
        return partner is not None and (partner.removed or not partner.is_active)

    def _name(self, subject: InsightSubject, website: Website) -> str:
        match subject.dimension:
            case "partner":
                partner = self.container.store.load(UUID(subject.value), partners.evolve)
                if partner is None or not partner.is_for(website.account_id):
                    return "an unknown partner"
                return partner.name
            case "link":
                link = self.container.store.load(UUID(subject.value), links.evolve)
                return f"/{link.slug}" if link is not None else "an unknown link"
            case "country":
                return country_names().get(subject.value, "an unknown country")
            case "device":
                return subject.value.capitalize() if subject.value != NONE else "an unknown device"
            case "page":
                return subject.value
            case "source":
                return subject.value if subject.value != NONE else "direct visits"


def shown_name(text: str) -> str:
    """Returns one line of at most sixty characters, without control characters."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return plain if len(plain) <= MAX_NAME_LENGTH else f"{plain[: MAX_NAME_LENGTH - 1].rstrip()}…"
