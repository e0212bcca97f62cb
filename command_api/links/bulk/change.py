"""Decides one link of a change of many: move to another partner, replace in destinations, organize, undo. Pure.

Each link is decided alone (`command_api.links.model`): every destination stays on the domain of its partner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from command_api.kernel.decision import CommandContext, conflict, not_found
from command_api.links import model
from command_api.links.destinations import is_of_partner
from command_api.links.model import LinkAggregate
from command_api.partners.model import Partner
from command_api.websites.model import Website
from schemas.click_id_links import MACROS
from schemas.events.links import BulkChange, BulkKind, LinkUpdated, Routing

Map = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class UndoneChange:
    """The event of an earlier change, and the link as it was until then."""

    event: LinkUpdated
    original: LinkAggregate


@dataclass(frozen=True, slots=True)
class LinkCase:
    """A link with what its decision needs. `partner`: the present one; `target`: the one to which it moves;
    `of_variants`: the partners that variants name."""

    link: LinkAggregate | None
    website: Website | None
    partner: Partner | None
    target: Partner | None = None
    undone: UndoneChange | None = None
    of_variants: Mapping[UUID, Partner | None] = field(default_factory=dict)


def decide(change: BulkChange, case: LinkCase, context: CommandContext) -> list[LinkUpdated]:
    """The events of one link; none if it is as wished already. Raises `CommandRejected`."""
    link = model.require_active(case.link, case.website, context)
    match change.kind:
        case BulkKind.MOVE:
            return _moved(change, link, case, context)
        case BulkKind.REPLACE:
            return _mapped(lambda text: text.replace(change.find, change.replacement), link, case, context)
        case BulkKind.UNDO:
            return _undone(link, case, context)
        case BulkKind.ORGANIZE:
            return model.organize(
                link,
                case.website,
                add_tags=change.add_tags,
                remove_tags=change.remove_tags,
                folder=change.folder,
                is_archived=change.is_archived,
                context=context,
            )


def _moved(change: BulkChange, link: LinkAggregate, case: LinkCase, context: CommandContext) -> list[LinkUpdated]:
    target = case.target
    if target is None or case.website is None:
        raise not_found("partner")
    target = model.require_open(target, case.website)
    if change.keeps_path:
        return _mapped(lambda text: same_page(text, target), link, case, context, target)
    leads_astray = [text for text in routed(link.routing) if not is_of_partner(text, target)]
    if leads_astray:
        raise conflict(
            "has_routing",
            f"Its rules or split lead to {leads_astray[0]}. Keep the page, or edit the link alone.",
        )
    destination = change.destination or target.base_url
    return model.update(
        link, case.website, target, destination=destination, of_variants=case.of_variants, context=context
    )


def _mapped(
    change: Map, link: LinkAggregate, case: LinkCase, context: CommandContext, target: Partner | None = None
) -> list[LinkUpdated]:
    """Every destination of the link as `change` gives it; its fallback on the website itself stays, and where the link
    moves to `target`, variants that lead to other partners."""
    held, own = link.routing, case.website.domain if case.website is not None else ""
    fallback = held.fallback if held.fallback is None or _is_on(held.fallback, own) else change(held.fallback)
    routing = held.model_copy(
        update={
            "rules": tuple(one.model_copy(update={"destination": change(one.destination)}) for one in held.rules),
            "variants": tuple(
                one
                if target is not None and one.partner_id is not None
                else one.model_copy(update={"destination": change(one.destination)})
                for one in held.variants
            ),
            "fallback": fallback,
        }
    )
    return model.update(
        link,
        case.website,
        target or case.partner,
        destination=change(link.destination),
        routing=routing if routing != held else None,
        of_variants=case.of_variants,
        context=context,
    )


def _undone(link: LinkAggregate, case: LinkCase, context: CommandContext) -> list[LinkUpdated]:
    """The link as it was before, in all that the change set; refused where something of that has changed since."""
    undone = case.undone
    if undone is None:
        raise not_found("link")
    names = [name for name in _UNDONE if getattr(undone.event, name) is not None]
    if any(_value(link, name) != getattr(undone.event, name) for name in names):
        raise conflict("changed_since", "The link has changed since.")
    restored: dict[str, Any] = {name: _value(undone.original, name) for name in names if name != "partner_id"}
    partner = case.target or case.partner
    return model.update(link, case.website, partner, **restored, of_variants=case.of_variants, context=context)


def same_page(text: str, target: Partner) -> str:
    """The same page on the target's site: path and query as they are, with the parameters of the target's base URL.
    The click ID goes if the target's network has a parameter of its own. An address on that site stays."""
    if is_of_partner(text, target):
        return text
    base = urlsplit(target.base_url)
    address, hash_sign, fragment = text.partition("#")
    rest, _, query = address.partition("?")
    path = rest.partition("://")[2].partition("/")[2]
    own = [pair for pair in base.query.split("&") if pair]
    names = {pair.partition("=")[0] for pair in own}
    kept = [pair for pair in query.split("&") if pair and pair.partition("=")[0] not in names]
    if target.passed_parameter:
        kept = [pair for pair in kept if not any(macro in pair for macro in MACROS)]
    pairs = "&".join([*kept, *own])
    return f"{base.scheme}://{base.netloc}/{path}{'?' if pairs else ''}{pairs}{hash_sign}{fragment}"


def routed(routing: Routing) -> list[str]:
    """Where the rules lead, and the variants that are of the link's own partner."""
    own = (one.destination for one in routing.variants if one.partner_id is None)
    return [*(one.destination for one in routing.rules), *own]


def _is_on(text: str, domain: str) -> bool:
    host = urlsplit(text).hostname or ""
    return host == domain or host.endswith(f".{domain}")


def _value(link: LinkAggregate, name: str) -> Any:
    value = getattr(link, name)
    return "" if value is None and name == "folder" else value


_UNDONE: Final = ("partner_id", "destination", "routing", "tags", "folder", "is_archived")
