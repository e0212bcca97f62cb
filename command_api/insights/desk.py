"""A look at a website: read its history, find, name, tell; and keep what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from command_api.core import Core
from command_api.decision import Asked
from command_api.insights import model
from command_api.insights.counted import Counted
from command_api.insights.finder import find
from command_api.insights.finding import Finding, Subject
from command_api.insights.history import History
from command_api.insights.reading import HistoryUnavailable, StillCounted, read_history
from command_api.insights.telling import tell
from command_api.insights.words import Told
from command_api.links import model as links
from command_api.partners import model as partners
from command_api.store import Also, Conflict
from command_api.websites.model import Website
from infra.clickhouse import ClientPool
from infra.countries import country_names
from infra.llm import LanguageModel
from infra.log import Log, LogUnavailable, open_log
from schemas.days import day_start
from schemas.events.insights import InsightsGenerated
from schemas.filters import NONE
from schemas.insights import insights_id
from schemas.zones import ZoneInfo

ATTEMPTS: Final = 8
CLIENTS: Final = 2
LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Look:
    """What a look came to; nothing of it is kept yet."""

    last_day: date
    found: Sequence[tuple[Finding, Told]]
    names: Mapping[Subject, str]
    silence: str | None


class InsightsDesk:
    """Thread-safe."""

    def __init__(self, core: Core, clients: ClientPool, language_model: LanguageModel, log: Log) -> None:
        self.core, self._clients, self._model = core, clients, language_model
        self._counted = Counted(log, core.pool)

    @classmethod
    def of(cls, core: Core) -> InsightsDesk:
        """With connections of its own; `close` it."""
        clients = ClientPool(core.settings, CLIENTS, read_timeout_s=15)
        return cls(core, clients, LanguageModel(core.settings, core.pool), open_log(core.settings))

    def close(self) -> None:
        self._clients.close()
        self._counted.close()

    def look(self, website: Website, asked: Asked) -> Look:
        """Blocks: for ClickHouse, and for a model if there is one. Raises `HistoryUnavailable`, also while its days are
        still being counted."""
        self._wait_for_figures(website, asked)
        history = read_history(self._clients, website, asked.at)
        findings = [finding for finding in find(history) if not self._was_ended(finding, history)]
        names = self._names(finding.subject for finding in findings if finding.subject is not None)
        telling = tell(self._model, website.account_id, findings, names, website.currency)
        return Look(history.last, telling.found, names, telling.silence)

    def decided(self, website: Website, look: Look, asked: Asked) -> InsightsGenerated | None:
        """The event that a look comes to; none when there was nothing to tell and is nothing now."""
        before = self.core.store.load(insights_id(website.id), model.evolve)
        if not look.found and (before is None or not before.open):
            return None
        return model.generate(before, website, look.last_day, look.found, look.names, look.silence, asked)

    def keep(self, website: Website, look: Look, asked: Asked, also: Also | None = None) -> bool:
        """Stores what came of a look, and `also` with it; decides anew when another look was kept first. False, and
        nothing is stored, if it comes to nothing. Raises `Conflict`."""
        for attempt in range(1, ATTEMPTS + 1):
            event = self.decided(website, look, asked)
            if event is None:
                return False
            try:
                self.core.store.write([event], also)
            except Conflict:
                if attempt == ATTEMPTS:
                    raise
            else:
                break
        return True

    def _wait_for_figures(self, website: Website, asked: Asked) -> None:
        zone = ZoneInfo(website.timezone)
        try:
            counted = self._counted.until(day_start(zone, asked.at.astimezone(zone).date()))
        except LogUnavailable as error:
            raise HistoryUnavailable("it is not known how far the log is counted") from error
        if not counted:
            raise StillCounted("its last day is still being counted")

    def _was_ended(self, finding: Finding, history: History) -> bool:
        """Whether it tells people that what they switched off is silent."""
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
        link = self.core.store.load(UUID(link_id), links.evolve)
        return link is not None and (link.deleted or not link.is_active)

    def _partner_ended(self, partner_id: str | None) -> bool:
        partner = self.core.store.load(UUID(partner_id), partners.evolve) if partner_id is not None else None
        return partner is not None and (partner.removed or not partner.is_active)

    def _names(self, subjects: Iterable[Subject]) -> dict[Subject, str]:
        return {subject: shown_name(self._name(subject)) for subject in subjects}

    def _name(self, subject: Subject) -> str:
        match subject.dimension:
            case "partner":
                partner = self.core.store.load(UUID(subject.value), partners.evolve)
                return partner.name if partner is not None else "an unknown partner"
            case "link":
                link = self.core.store.load(UUID(subject.value), links.evolve)
                return f"/{link.slug}" if link is not None else "an unknown link"
            case "country":
                return country_names().get(subject.value, "an unknown country")
            case "device":
                return subject.value.capitalize() if subject.value != NONE else "an unknown device"
            case "source":
                return subject.value if subject.value != NONE else "direct visits"


def shown_name(text: str) -> str:
    """One line of at most sixty characters, without what would turn or hide the text around it."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 1].rstrip()}…"
