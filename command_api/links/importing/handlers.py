"""Command handlers of imports of links: every line is decided, and all are stored in one transaction or none is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandRejected, conflict
from command_api.kernel.event_store import MAX_EVENTS_PER_APPEND
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links import model as links
from command_api.links.importing import commands
from command_api.links.importing.decision import DecidedLine, ImportCase, Named, decide
from command_api.links.importing.files import LinkFile, LinkLineFault
from command_api.links.importing.schemas import ImportedLinks, LinkImportPlan, PlannedImportLine
from command_api.links.lookups import existing_streams, partners_named, require_link_limit, websites_of
from command_api.links.model import LinkAggregate
from command_api.partners import model as partners
from command_api.partners import slug_reservation
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.kernel.http.problems import FieldError, Problem
from schemas.identity import slug_id
from schemas.uuid7 import uuid7

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.PlanLinkImport, senders="accounts")
def plan_link_import(command: commands.PlanLinkImport, uow: UnitOfWork) -> LinkImportPlan:
    decided = _decided(command, uow)
    refused = [_refused(fault) for fault in decided.faults]
    planned = [
        PlannedImportLine(
            line=line,
            slug=slug,
            outcome=one.outcome,
            destination=one.destination,
            columns=list(one.columns),
            message=None,
        )
        for (line, slug), one in decided.lines.items()
    ]
    return LinkImportPlan(**decided.counts, refused=decided.refused, lines=[*refused, *planned])


@HANDLERS.on(commands.ImportLinkFile, senders="accounts")
def import_link_file(command: commands.ImportLinkFile, uow: UnitOfWork) -> ImportedLinks:
    decided = _decided(command, uow)
    if decided.faults:
        count = len(command.file.lines) + len({fault.line for fault in command.file.faults})
        message = f"{decided.refused:,} of {count:,} lines can't be imported; nothing was imported."
        errors = [
            FieldError(f"lines.{fault.line}" + (f".{fault.column}" if fault.column else ""), fault.message)
            for fault in decided.faults
        ]
        raise Problem(400, "bad_lines", message, errors=errors)
    events = [event for one in decided.lines.values() for event in one.events]
    if len(events) > MAX_EVENTS_PER_APPEND:
        message = "These are too many changes for one import. Split the file, for example into files of 500 lines."
        raise conflict("too_many_changes", message, "csv")
    require_link_limit(uow.append(*events), decided.website_ids)
    return ImportedLinks(**decided.counts)


@dataclass(frozen=True, slots=True)
class _Decided:
    """`lines`: by number and slug."""

    lines: Mapping[tuple[int, str], DecidedLine]
    faults: list[LinkLineFault]
    website_ids: set[UUID]

    @property
    def refused(self) -> int:
        return len({fault.line for fault in self.faults})

    @property
    def counts(self) -> dict[str, int]:
        outcomes = [one.outcome for one in self.lines.values()]
        named = {"created": "new", "changed": "changed", "unchanged": "unchanged"}
        return {name: sum(outcome == of for outcome in outcomes) for name, of in named.items()}


def _decided(command: commands.PlanLinkImport | commands.ImportLinkFile, uow: UnitOfWork) -> _Decided:
    """Decides every line. Raises `CommandRejected` for a website of another account."""
    default = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    loaded, lines, faults = _FileFacts(uow, command.file, default), dict[tuple[int, str], DecidedLine](), []
    for line in command.file.lines:
        case = loaded.case(line.slug, line.website)
        try:
            decided = decide(
                line,
                case,
                link_id=uuid7(),
                code=links.random_code(),
                updates_existing=command.updates_existing,
                context=uow.context,
            )
        except CommandRejected as rejected:
            faults.append(LinkLineFault(line.line, line.slug, rejected.field, rejected.message))
        else:
            lines[line.line, line.slug] = decided
    every = sorted([*command.file.faults, *faults], key=lambda fault: fault.line)
    return _Decided(lines, every, loaded.website_ids)


class _FileFacts:
    """Websites, partners and links of a file, each loaded once; slugs that nobody ever had are not loaded at all."""

    def __init__(self, uow: UnitOfWork, file: LinkFile, default: Website) -> None:
        self._uow, self._default = uow, default
        self._reserved = existing_streams(uow, [slug_id("link", line.slug) for line in file.lines])
        self._website_ids = websites_of(uow, default.account_id)
        self._websites: dict[UUID, Website | None] = {default.id: default}
        self._named: Named = partners_named(uow, default.account_id, set(_partner_texts(file)))
        ids = {id for found in self._named.values() for id in found}
        self._partners = {id: uow.load(id, partners.evolve) for id in ids}

    @property
    def website_ids(self) -> set[UUID]:
        return set(self._websites)

    def case(self, slug: str, domain: str) -> ImportCase:
        """The slug's line with what its decision needs; `domain`: empty: of the default website."""
        website = self._website(domain)
        id = slug_id("link", slug)
        reservation = self._uow.load(id, slug_reservation.evolve) if id in self._reserved else None
        owner = reservation.owner_id if reservation is not None else None
        link = self._uow.load(owner, links.evolve) if owner is not None else None
        if link is not None:
            self._load_partners({link.partner_id, *link.routing.partner_ids})
        return ImportCase(website, reservation, link, self._elsewhere(link, website), self._named, self._partners)

    def _website(self, domain: str) -> Website | None:
        id = self._website_ids.get(domain) if domain else self._default.id
        if id is None:
            return None
        if id not in self._websites:
            self._websites[id] = self._uow.load(id, websites.evolve)
        return self._websites[id]

    def _elsewhere(self, link: LinkAggregate | None, website: Website | None) -> str:
        if link is None or link.deleted or website is None or link.website_id == website.id:
            return ""
        return next((domain for domain, id in self._website_ids.items() if id == link.website_id), "")

    def _load_partners(self, ids: Iterable[UUID]) -> None:
        for id in ids:
            if id not in self._partners:
                self._partners[id] = self._uow.load(id, partners.evolve)


def _partner_texts(file: LinkFile) -> Iterable[str]:
    for line in file.lines:
        yield line.partner.lower()
        yield from (variant.partner.lower() for variant in line.variants or ())


def _refused(fault: LinkLineFault) -> PlannedImportLine:
    return PlannedImportLine(
        line=fault.line,
        slug=fault.slug,
        outcome="refused",
        destination=None,
        columns=[fault.column] if fault.column else [],
        message=fault.message,
    )
