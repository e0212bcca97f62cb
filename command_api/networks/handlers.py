"""Command handlers of imports of networks' reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, invalid, not_found
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.networks import commands, model, staging
from command_api.networks.lookups import NAME
from command_api.networks.model import NetworkImportAggregate
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events import networks
from schemas.events.conversions import ConversionForgotten
from schemas.events.networks import ReportMapping
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.money import Amount
from schemas.http.networks import NetworkImport
from schemas.http.report_imports import ImportQuestion, RejectedImportLine
from schemas.networks import NETWORKS
from schemas.report_imports import ImportState

HANDLERS: Final = CommandHandlers()
MAX_STORED_BYTES: Final = 512 * 1024 * 1024
"""Of the compressed files of a website's imports."""
MAX_OPEN_IMPORTS: Final = 20
"""Imports of a website that have neither ended nor count."""


@HANDLERS.on(commands.UploadNetworkReport, senders="accounts")
def upload_network_report(command: commands.UploadNetworkReport, uow: UnitOfWork) -> NetworkImport:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    if command.partner_id is not None and not _is_open(command.partner_id, website, uow):
        raise not_found("partner")
    _check_partners(command.mapping, website, uow)
    uploaded = model.upload(
        command.import_id,
        website,
        command.network,
        command.file,
        command.mapping,
        partner_id=command.partner_id,
        as_of=command.as_of,
        applies=command.applies,
        context=uow.context,
    )
    [(open_imports,)] = uow.select(_OPEN, website.id)
    if open_imports >= MAX_OPEN_IMPORTS:
        raise conflict("too_many_imports", f"{MAX_OPEN_IMPORTS} imports wait for you. Apply or cancel some first.")
    [(stored,)] = uow.select(_STORED, website.id)
    if stored + sum(map(len, command.parts)) > MAX_STORED_BYTES:
        raise conflict("too_much_stored", "The files of this website's imports need too much space. Undo old ones.")
    held = uow.advance(model.evolve, None, [uploaded])
    uow.cursor.execute(_ADD_JOB, (command.import_id, website.id))
    for part, sealed in enumerate(command.parts):
        uow.cursor.execute(_ADD_PART, (command.import_id, part, website.id, sealed))
    return state_of(held)


@HANDLERS.on(commands.RemapNetworkImport, senders="accounts")
def remap_network_import(command: commands.RemapNetworkImport, uow: UnitOfWork) -> NetworkImport:
    held = _owned(command.import_id, uow)
    _check_partners(command.mapping, uow.load(held.website_id, websites.evolve), uow)
    return _append(held, model.remap(held, command.mapping, uow.context), uow)


@HANDLERS.on(commands.ApplyNetworkImport, senders="accounts")
def apply_network_import(command: commands.ApplyNetworkImport, uow: UnitOfWork) -> NetworkImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.apply(held, uow.context), uow)


@HANDLERS.on(commands.CancelNetworkImport, senders="accounts")
def cancel_network_import(command: commands.CancelNetworkImport, uow: UnitOfWork) -> NetworkImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.cancel(held, uow.context), uow)


@HANDLERS.on(commands.UndoNetworkImport, senders="accounts")
def undo_network_import(command: commands.UndoNetworkImport, uow: UnitOfWork) -> NetworkImport:
    held = _owned(command.import_id, uow)
    return _append(held, model.undo(held, uow.context), uow)


@HANDLERS.on(commands.AskAboutNetworkImport, senders="system")
def ask_about_network_import(command: commands.AskAboutNetworkImport, uow: UnitOfWork) -> None:
    if (held := _current(command, uow)) is not None:
        uow.append(*model.ask(held, command.questions, uow.context))


@HANDLERS.on(commands.FinishReading, senders="system")
def finish_reading(command: commands.FinishReading, uow: UnitOfWork) -> None:
    if (held := _current(command, uow)) is not None:
        uow.append(*model.finish_reading(held, command.counts, command.delta, uow.context))
        return
    changed = uow.load(command.import_id, model.evolve)
    if changed is not None and changed.state is ImportState.CANCELLED:  # its rows were staged after that
        for statement in staging.DELETE_ENDED:
            uow.cursor.execute(statement, (changed.id,))


@HANDLERS.on(commands.FailNetworkImport, senders="system")
def fail_network_import(command: commands.FailNetworkImport, uow: UnitOfWork) -> None:
    if (held := _current(command, uow)) is not None:
        uow.append(*model.fail(held, command.code, command.message, uow.context))


@HANDLERS.on(commands.FinishApplying, senders="system")
def finish_applying(command: commands.FinishApplying, uow: UnitOfWork) -> None:
    if (held := uow.load(command.import_id, model.evolve)) is not None:
        uow.append(*model.finish_applying(held, uow.context))


@HANDLERS.on(commands.FinishUndoing, senders="system")
def finish_undoing(command: commands.FinishUndoing, uow: UnitOfWork) -> None:
    if (held := uow.load(command.import_id, model.evolve)) is not None:
        uow.append(*model.finish_undoing(held, uow.context))


@HANDLERS.after(
    networks.NetworkImportUploaded,
    networks.NetworkImportRemapped,
    networks.NetworkImportStarted,
    networks.NetworkImportUndoStarted,
)
def set_next_step(event: DomainEvent, uow: Appended) -> None:
    """The work begins at once."""
    uow.set_timeout(NAME, event.originator_id, event.timestamp)


@HANDLERS.after(networks.NetworkImportStarted, networks.NetworkImportUndoStarted)
def begin_to_count(event: DomainEvent, uow: Appended) -> None:
    """Its progress begins again."""
    uow.cursor.execute(_RESET, (event.originator_id,))


@HANDLERS.after(networks.NetworkImportUndone, networks.NetworkImportCancelled)
def delete_ended(event: DomainEvent, uow: Appended) -> None:
    """Deletes the file and the rows of an import that counts no more; its events remain."""
    for statement in staging.DELETE_ENDED:
        uow.cursor.execute(statement, (event.originator_id,))


@HANDLERS.before(ConversionForgotten)
def forget_clicks(event: ConversionForgotten, uow: UnitOfWork) -> None:
    """Takes the click ids of an erased person out of the rows of reports, and deletes the files that have them."""
    names = [name for (name,) in uow.select(_NAMES, event.originator_id)]
    values = {"website": event.website_id, "networks": list(NETWORKS), "names": names}
    for statement in _FORGET:
        uow.cursor.execute(statement, values)


@HANDLERS.before(WebsiteDisconnected)
def delete_reports(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes what is stored of the reports of a website that is gone; conversions are its owner's history."""
    for statement in _DELETE:
        uow.cursor.execute(statement, (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def delete_report_files(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Deletes the seller's files: they may have more than this website. The rows are figures of the website."""
    uow.cursor.execute(_DELETE[0], (event.originator_id,))


def state_of(held: NetworkImportAggregate, rejected: Sequence[RejectedImportLine] = ()) -> NetworkImport:
    """Returns the response of both APIs."""
    counts = held.counts
    return NetworkImport(
        import_id=held.id,
        state=held.state,
        rows=counts.rows,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        unmatched=counts.unmatched,
        tests=counts.tests,
        rejected=list(rejected),
        rejected_count=counts.rejected,
        delta=[Amount(amount=one.amount, currency=one.currency) for one in held.delta],
        questions=[ImportQuestion.of(one) for one in held.questions] if held.state is ImportState.ASKING else [],
        code=held.code,
        message=held.message,
    )


def _owned(import_id: UUID, uow: UnitOfWork) -> NetworkImportAggregate:
    loaded = uow.load(import_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    return model.require_owned(loaded, website, uow.context)


def _is_open(partner_id: UUID, website: websites.Website, uow: UnitOfWork) -> bool:
    """Returns whether the partner may pay sales of the website."""
    partner = uow.load(partner_id, partners.evolve)
    return partner is not None and partner.is_for(website.account_id)


def _check_partners(mapping: ReportMapping, website: websites.Website | None, uow: UnitOfWork) -> None:
    """Raises `CommandRejected` (unknown_partner) for an advertiser that is mapped to no partner of the website."""
    advertisers = {partner_id: advertiser for advertiser, partner_id in (mapping.partners or {}).items()}
    for partner_id, advertiser in advertisers.items():
        if website is None or not _is_open(partner_id, website, uow):
            message = f"The partner of advertiser “{advertiser[:80]}” does not exist, or is not open to this website."
            raise invalid("unknown_partner", message, "mapping.partners")


def _append(held: NetworkImportAggregate, events: list[DomainEvent], uow: UnitOfWork) -> NetworkImport:
    return state_of(uow.advance(model.evolve, held, events))


def _current(command: Any, uow: UnitOfWork) -> NetworkImportAggregate | None:
    """The import, unless it changed since the work began."""
    held = uow.load(command.import_id, model.evolve)
    return held if held is not None and held.version == command.version else None


_OPEN: Final = (
    "SELECT count(*) FROM read.network_imports WHERE website_id = %s AND state IN ('reading', 'asking', 'ready')"
)
_NAMES: Final[LiteralString] = "SELECT name FROM lookup.transaction_name WHERE conversion_id = %s"
_FORGET: Final = (
    "DELETE FROM networks.import_file WHERE import_id IN (SELECT import_id FROM networks.import_row"
    " WHERE website_id = %(website)s AND network = ANY(%(networks)s) AND txid = ANY(%(names)s))",
    'UPDATE networks.import_row SET detail = detail || \'{"clickId": "", "clickRef": ""}\'::jsonb'
    " WHERE website_id = %(website)s AND network = ANY(%(networks)s) AND txid = ANY(%(names)s)",
    'UPDATE networks.stated_sale SET report = report || \'{"click_id": ""}\'::jsonb'
    " WHERE website_id = %(website)s AND network = ANY(%(networks)s) AND txid = ANY(%(names)s)",
)
_STORED: Final = "SELECT coalesce(sum(octet_length(sealed)), 0) FROM networks.import_file WHERE website_id = %s"
_ADD_JOB: Final = "INSERT INTO networks.import_job (import_id, website_id) VALUES (%s, %s)"
_ADD_PART: Final = "INSERT INTO networks.import_file (import_id, part, website_id, sealed) VALUES (%s, %s, %s, %s)"
_RESET: Final = "UPDATE networks.import_job SET done = 0, awaited = NULL, done_until = '' WHERE import_id = %s"
_DELETE: Final = (
    "DELETE FROM networks.import_file WHERE website_id = %s",
    "DELETE FROM networks.import_row WHERE website_id = %s",
    "DELETE FROM networks.stated_sale WHERE website_id = %s",
    "DELETE FROM networks.import_job WHERE website_id = %s",
)
