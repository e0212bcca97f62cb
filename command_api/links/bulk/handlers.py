"""Command handlers of changes of many links, and the process manager that decides them batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandRejected, Evolve, invalid
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.links import model as links
from command_api.links.bulk import commands, model
from command_api.links.bulk.change import LinkCase, UndoneChange, decide, routed
from command_api.links.bulk.schemas import MAX_SHOWN, LinkBulkState, LinkChangePlan, PlannedLinkChange
from command_api.links.bulk.selection import selected_ids, selected_links
from command_api.links.model import LinkAggregate
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.click_id_links import with_click_id
from schemas.events.links import (
    BulkChange,
    BulkKind,
    ChangedLink,
    LinkBulkAdvanced,
    LinkBulkCancelled,
    LinkBulkStarted,
    LinkFailure,
    LinkUpdated,
)
from schemas.http.links import LinkBulkProgress

HANDLERS: Final = CommandHandlers()
NAME: Final = "link-bulks"
LINK_BULKS: Final = ProcessManager(NAME, issuing(commands.AdvanceLinkBulk), ids="SELECT bulk_id FROM lookup.link_bulk")


@HANDLERS.on(commands.PlanLinkBulk, senders="accounts")
def plan_link_bulk(command: commands.PlanLinkBulk, uow: UnitOfWork) -> LinkChangePlan:
    """Decides every link as it is projected, and appends nothing."""
    body = command.body
    websites.require_owned(uow.load(body.website_id, websites.evolve), uow.context)
    loaded, change = _Loaded(uow), _checked(body.change)
    found = selected_links(uow, body)[: model.MAX_LINKS]
    changed = refused = 0
    planned, problems = list[PlannedLinkChange](), list[PlannedLinkChange]()
    for link in found:
        case = loaded.case(change, link)
        try:
            events = decide(change, case, uow.context)
        except CommandRejected as rejected:
            refused += 1
            if len(problems) < MAX_SHOWN:
                problems.append(_planned(link, link, case, rejected))
        else:
            changed += bool(events)
            if events and len(planned) < MAX_SHOWN:
                planned.append(_planned(link, links.evolve(link, events[0]), case))
    return LinkChangePlan(links=len(found), changed=changed, refused=refused, shown=[*problems, *planned][:MAX_SHOWN])


@HANDLERS.on(commands.StartLinkBulk, senders="accounts")
def start_link_bulk(command: commands.StartLinkBulk, uow: UnitOfWork) -> LinkBulkState:
    body = command.body
    website = websites.require_owned(uow.load(body.website_id, websites.evolve), uow.context)
    change = _checked(body.change)
    if change.partner_id is not None:
        links.require_open(uow.load(change.partner_id, partners.evolve), website)
    return _begun(model.start(command.bulk_id, website, change, selected_ids(uow, body), uow.context), uow)


@HANDLERS.on(commands.UndoLinkBulk, senders="accounts")
def undo_link_bulk(command: commands.UndoLinkBulk, uow: UnitOfWork) -> LinkBulkState:
    loaded = uow.load(command.undone_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    undone = model.require_owned(loaded, website, uow.context)
    website = websites.require_owned(website, uow.context)
    return _begun(model.undo(command.bulk_id, undone, website, uow.context), uow)


@HANDLERS.on(commands.CancelLinkBulk, senders="accounts")
def cancel_link_bulk(command: commands.CancelLinkBulk, uow: UnitOfWork) -> LinkBulkState:
    loaded = uow.load(command.bulk_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    bulk = model.require_owned(loaded, website, uow.context)
    return _state(uow.advance(model.evolve, bulk, model.cancel(bulk, uow.context)))


@HANDLERS.on(commands.AdvanceLinkBulk, senders="system")
def advance_link_bulk(command: commands.AdvanceLinkBulk, uow: UnitOfWork) -> None:
    """Decides a batch, each link on its own as it is now."""
    bulk = uow.load(command.bulk_id, model.evolve)
    if bulk is None or bulk.state is not LinkBulkProgress.RUNNING:
        return
    context, loaded = bulk.as_its_author(uow.context), _Loaded(uow)
    undone = uow.load(bulk.change.undoes, model.evolve) if bulk.change.undoes is not None else None
    versions = {one.link_id: one.version for one in undone.changed} if undone is not None else {}
    events, changed, failures = list[DomainEvent](), list[ChangedLink](), list[LinkFailure]()
    for link_id in bulk.batch:
        try:
            link = uow.load(link_id, links.evolve)
            decided = decide(bulk.change, loaded.case(bulk.change, link, versions.get(link_id)), context)
        except CommandRejected as rejected:
            failures.append(LinkFailure(link_id=link_id, code=rejected.code, message=rejected.message[:500]))
            continue
        for event in decided:
            events.append(event.model_copy(update={"bulk_id": bulk.id}))
            changed.append(ChangedLink(link_id=link_id, version=event.originator_version))
    uow.append(*events, model.advance(bulk, changed, failures, context))


@HANDLERS.after(LinkBulkStarted, LinkBulkAdvanced, LinkBulkCancelled)
def set_next_batch(event: DomainEvent, uow: Appended) -> None:
    """Sets when the next batch is due: at once, until the change ends."""
    has_ended = isinstance(event, LinkBulkCancelled) or (isinstance(event, LinkBulkAdvanced) and event.is_finished)
    uow.set_timeout(NAME, event.originator_id, None if has_ended else event.timestamp)


@dataclass
class _Loaded:
    """Websites and partners of a batch, each loaded once."""

    uow: UnitOfWork
    _states: dict[tuple[UUID, Evolve[Any]], Any] = field(default_factory=dict)

    def case(self, change: BulkChange, link: LinkAggregate | None, undone: int | None = None) -> LinkCase:
        """The link with what its decision needs; `undone`: the version of the event that is undone."""
        if link is None:
            return LinkCase(None, None, None)
        event = self.uow.event(link.id, undone) if undone is not None else None
        earlier = _undone(self.uow, event) if isinstance(event, LinkUpdated) else None
        target = change.partner_id or (earlier.original.partner_id if earlier is not None else None)
        routings = [link.routing, *([earlier.original.routing] if earlier is not None else [])]
        named = frozenset[UUID]().union(*(routing.partner_ids for routing in routings))
        return LinkCase(
            link,
            self._load(link.website_id, websites.evolve),
            self._load(link.partner_id, partners.evolve),
            self._load(target, partners.evolve) if target is not None else None,
            earlier,
            {partner_id: self._load(partner_id, partners.evolve) for partner_id in named},
        )

    def _load(self, id: UUID, evolve: Evolve[Any]) -> Any:
        if (id, evolve) not in self._states:
            self._states[id, evolve] = self.uow.load(id, evolve)
        return self._states[id, evolve]


def _undone(uow: UnitOfWork, event: LinkUpdated) -> UndoneChange | None:
    """The event with the link as it was until then."""
    state: LinkAggregate | None = None
    for version in range(1, event.originator_version):
        earlier = uow.event(event.originator_id, version)
        state = links.evolve(state, earlier) if earlier is not None else state
    return UndoneChange(event, state) if state is not None else None


def _begun(event: LinkBulkStarted, uow: UnitOfWork) -> LinkBulkState:
    return _state(uow.advance(model.evolve, None, [event]))


def _state(bulk: model.BulkAggregate | None) -> LinkBulkState:
    if bulk is None:
        raise TypeError("no change has begun")
    return LinkBulkState(id=bulk.id, links=len(bulk.link_ids), done=bulk.done, state=bulk.state)


def _checked(change: BulkChange) -> BulkChange:
    """Raises `CommandRejected` for a change that would change nothing."""
    if change.kind is BulkKind.ORGANIZE:
        links.checked_tags(change.add_tags)
        wanted = (change.add_tags, change.remove_tags, change.folder is not None, change.is_archived is not None)
        if not any(wanted):
            raise invalid("no_change", "Choose what to change.", "arrange")
    if change.kind is BulkKind.REPLACE and change.find == change.replacement:
        raise invalid("no_change", "Enter another text to replace it with.", "replace.replacement")
    return change


def _planned(
    before: LinkAggregate, after: LinkAggregate, case: LinkCase, rejected: CommandRejected | None = None
) -> PlannedLinkChange:
    partner = case.target if after.partner_id != before.partner_id else case.partner
    parameter = partner.passed_parameter if partner is not None else ""
    pairs = zip(_others(before), _others(after), strict=True)
    return PlannedLinkChange(
        id=before.id,
        slug=before.slug,
        before=before.destination,
        after=with_click_id(after.destination, parameter) if rejected is None else before.destination,
        others=sum(old != new for old, new in pairs),
        passes_click_id=links.passes_click_id(after, partner),
        code=rejected.code if rejected else None,
        message=rejected.message if rejected else None,
    )


def _others(link: LinkAggregate) -> list[str | None]:
    return [*routed(link.routing), link.routing.fallback]
