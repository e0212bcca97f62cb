"""How what visitors ask for is done: decided, written with its address and its mails in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import invites, limits, open_invites
from command_api.core import Core
from command_api.decision import Asked, by_system, missing
from command_api.leads import early_access, newsletter
from command_api.leads.contacts import Contacts
from command_api.leads.mails import Letterhead
from command_api.store import Also, Conflict
from infra.mail import Mail, queue
from infra.problems import Problem
from schemas.base import DomainEvent
from schemas.events.leads import EarlyAccessJoined, EarlyAccessPromoted
from schemas.identity import early_access_places_id

ATTEMPTS: Final = 40
"""While places are free, each round of a race gives one away; when none is, nobody writes to them any more."""

_VERSION: Final = (
    "SELECT coalesce(max(originator_version), 0) AS version FROM events.stored_events WHERE originator_id = %s"
)

Decision = tuple[Sequence[DomainEvent], Also | None]


@dataclass(frozen=True, slots=True)
class LeadsDesk:
    """Thread-safe."""

    core: Core
    contacts: Contacts
    letterhead: Letterhead

    @classmethod
    def of(cls, core: Core) -> LeadsDesk:
        return cls(core, Contacts(core.settings, core.pool), Letterhead(core.settings))

    def subscribe(self, email: str, name: str | None, source: str) -> None:
        """Asks the owner of the address to confirm; in silence for one who did already."""
        contact = self.contacts.id_of("newsletter", email)
        asked = now()
        may_mail = limits.may_mail(self.core.pool, f"newsletter:{self.contacts.mailbox_of(email)}")

        def decide() -> Decision:
            found = self.core.store.load(contact, newsletter.evolve)
            events = newsletter.request(found, subscription_id=contact, source=source, asked=asked)
            is_confirmed = found is not None and found.state == "confirmed"

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                if is_confirmed or not may_mail:
                    return
                self.contacts.keep(cursor, "newsletter", contact, email, name, asked.at)
                code = self.contacts.new_link(cursor, contact)
                queue(cursor, self.core.settings, self.letterhead.confirm_subscription(email, code, contact))

            return events if may_mail else [], also

        self.write(decide)

    def confirm(self, code: str) -> None:
        """Raises `Refused` for a link that is used, too old or unknown."""
        contact = self.contacts.linked("newsletter", code)
        if contact is None:
            raise newsletter.link_invalid()

        def decide() -> Decision:
            found = self.core.store.load(contact, newsletter.evolve)
            events, kept = newsletter.confirm(found, now()), self.contacts.find(contact)

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                self.contacts.confirmed(cursor, contact)
                if events and kept is not None:
                    queue(cursor, self.core.settings, self.letterhead.subscribed(kept.email, contact))

            return events, also

        self.write(decide)

    def stop(self, contact: UUID, way: Literal["page", "one_click", "admin"], asked: Asked | None = None) -> None:
        """Ends a subscription and forgets the address. Raises `Problem` 404 where there never was one."""

        def decide() -> Decision:
            found = self.core.store.load(contact, newsletter.evolve)
            if found is None:
                raise missing("subscription")
            return newsletter.end(found, way, asked or now()), lambda cursor, _: self.contacts.forget(cursor, contact)

        self.write(decide)

    def join_early_access(self, email: str) -> None:
        """A place, or a place in line, held for an hour, and a mail that says which and asks to confirm the address.
        Asked again before that, it sends the link again. Nothing happens when the mailbox has had enough such mails."""
        contact = self.contacts.id_of("early_access", email)
        tries = [(limit, str(contact)) for limit in (limits.EARLY_ACCESS_MAILS, limits.EARLY_ACCESS_MAILS_A_DAY)]

        def decide() -> Decision:
            asked = now()
            found, places = self.core.store.load(contact, early_access.evolve), self.places()
            waits = self.contacts.first_in_line() is not None
            events = early_access.join(places, found, signup_id=contact, somebody_waits=waits, asked=asked)
            joined = next((event for event in events if isinstance(event, EarlyAccessJoined)), None)
            minutes = found.minutes_left(asked.at) if found is not None and joined is None else 0
            # The address that the place is held for: another spelling may be somebody else's mailbox.
            kept = self.contacts.find(contact) if minutes else None

            def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
                mail = None
                if joined is not None:
                    mail = self._joined(cursor, joined, email, places)
                elif kept is not None and self.contacts.is_held(cursor, contact):
                    code = self.contacts.new_link(cursor, contact)
                    mail = self.letterhead.early_access_again(kept.email, minutes, contact, code)
                if mail is not None:
                    if not limits.taken_within(cursor, *tries):
                        raise _EnoughMails
                    queue(cursor, self.core.settings, mail)

            return events, also

        with suppress(_EnoughMails):
            self.write(decide)

    def _joined(
        self, cursor: Cursor[dict[str, Any]], joined: EarlyAccessJoined, email: str, places: early_access.Places
    ) -> Mail:
        contact = joined.originator_id
        self.contacts.keep(cursor, "early_access", contact, email, None, joined.timestamp)
        self.contacts.hold(cursor, contact, joined.held_until)
        code = self.contacts.new_link(cursor, contact)
        if joined.place is not None:
            self.contacts.place(cursor, contact, joined.place)
            return self.place_mail(email, joined.place, contact, code)
        self._stand_as_decided(cursor, places)
        return self.letterhead.early_access_waiting(email, self.contacts.line(cursor), contact, code)

    def confirm_early_access(self, code: str) -> None:
        """Keeps the place, or the place in line. Raises `Refused` for a link that is used, too late or unknown."""
        contact = self.contacts.linked("early_access", code)
        if contact is None:
            raise early_access.link_invalid()

        def decide() -> Decision:
            found = self.core.store.load(contact, early_access.evolve)
            return early_access.confirm(found, now()), lambda cursor, _: self.contacts.confirmed(cursor, contact)

        self.write(decide)

    def end_unconfirmed(self, at: datetime, most: int) -> int:
        """Gives up what was held for an hour and not confirmed, to whoever is next; how many. One after the other, so
        each place goes to one person."""
        found = self.contacts.held_too_long(at, most)
        for contact in found:
            self.write(lambda contact=contact: self._lapsed(contact, Asked(at)))  # type: ignore[misc]  # a default binds the loop's value
        return len(found)

    def _lapsed(self, contact: UUID, asked: Asked) -> Decision:
        signup = self.core.store.load(contact, early_access.evolve)
        if early_access.lapse(self.places(), signup, asked):
            return self.left(signup, asked)
        is_kept = signup is not None and not signup.left
        until = signup.held_until if signup is not None else None

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            if is_kept:
                self.contacts.hold(cursor, contact, until)
            else:
                self.contacts.forget(cursor, contact)

        return [], also

    def leave_early_access(self, contact: UUID) -> None:
        """Frees the place, or the place in line, and forgets the address. Harmless when that was done."""

        def decide() -> Decision:
            found = self.core.store.load(contact, early_access.evolve)
            return self.left(found, now()) if found is not None and not found.left else ([], None)

        self.write(decide)

    def left(self, signup: early_access.Signup | None, asked: Asked) -> Decision:
        """What becomes of a place that is given up: it is of who waits longest, who is told, and an invite that nobody
        used ends with it, so that no more register than there are places."""
        signup = early_access.there(signup)
        invite = self.invite_of(signup)
        heir = self._heir() if signup.place is not None else None
        events = early_access.leave(self.places(), signup, asked, heir)
        unused = invite if invite is not None and invite.uses == 0 else None
        if unused is not None:
            events += invites.revoke(unused, by_system(asked.at))

        give = self.giving(events)

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            if signup.place is not None and not self.contacts.still_first(cursor, heir.id if heir else None):
                raise Conflict("early_access_line")
            self.contacts.forget(cursor, signup.id)
            if unused is not None:
                open_invites.close(cursor, unused.id)
            give(cursor, position)

        return events, also

    def giving(self, events: Sequence[DomainEvent]) -> Also:
        """Notes and tells who gets a place that was free, in the transaction of the events."""
        promoted = [event for event in events if isinstance(event, EarlyAccessPromoted)]
        addresses = {event.originator_id: self.contacts.find(event.originator_id) for event in promoted}

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            for event in promoted:
                self.contacts.place(cursor, event.originator_id, event.place)
                contact = addresses[event.originator_id]
                if contact is not None:
                    code = None
                    if event.held_until is not None:
                        self.contacts.hold(cursor, event.originator_id, event.held_until)
                        code = self.contacts.new_link(cursor, event.originator_id)
                    mail = self.place_mail(contact.email, event.place, event.originator_id, code)
                    queue(cursor, self.core.settings, mail)

        return also

    def invite_of(self, signup: early_access.Signup) -> invites.Invite | None:
        return self.core.store.load(signup.invite_id, invites.evolve) if signup.invite_id is not None else None

    def _heir(self) -> early_access.Signup | None:
        """Who is first in line. None also for one who has just got a place or left: the write finds that out."""
        first = self.contacts.first_in_line()
        heir = self.core.store.load(first, early_access.evolve) if first is not None else None
        return heir if heir is not None and not heir.left and heir.place is None else None

    def _stand_as_decided(self, cursor: Cursor[dict[str, Any]], places: early_access.Places) -> None:
        """Raises `Conflict` when a place was taken or freed since: nobody waits beside one that has just become free.
        Transactions with events run one after the other, so what is seen here stays so until this one ends."""
        row = cursor.execute(_VERSION, (early_access_places_id(),)).fetchone()
        if row is None or row["version"] != places.version:
            raise Conflict("early_access_places")

    def place_mail(self, email: str, place: int, contact: UUID, code: str | None) -> Mail:
        return self.letterhead.early_access_place(email, place, early_access.PLACES, contact, code)

    def places(self) -> early_access.Places:
        found = self.core.store.load(early_access_places_id(), early_access.evolve_places)
        return found or early_access.Places()

    def write(self, decide: Callable[[], Decision]) -> int | None:
        """Stores what `decide` comes to; decides anew when another was first. Raises `Problem` 409."""
        for _ in range(ATTEMPTS):
            events, also = decide()
            try:
                return self.core.store.write(events, also)
            except Conflict:
                continue
        raise Problem(409, "busy", "Many people are asking at the same moment. Please try again.")


class _EnoughMails(Exception):
    """The mailbox has had as many as it may: nothing is stored."""


def now() -> Asked:
    """Whoever fills in a form on a public page is nobody that we know."""
    return by_system(datetime.now(UTC))
