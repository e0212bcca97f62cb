"""Given a website, when a note is put on its charts, changed or removed, then these events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.analytics import model
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from schemas.events.analytics import MAX_ANNOTATION, AnnotationAdded, AnnotationChanged, AnnotationRemoved
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
DAY = NOW - timedelta(days=3)


def added(text: str = "New page") -> AnnotationAdded:
    return model.add(uuid4(), SITE, at=DAY, text=text, context=CONTEXT)


def test_a_note_is_about_a_moment_of_an_own_website() -> None:
    event = added("  New   page\n")
    assert (event.website_id, event.at, event.text, event.originator_version) == (SITE.id, DAY, "New page", 1)
    given().when(model.add, uuid4(), SITE, at=DAY, text="x", context=STRANGER).then(rejected())
    given().when(model.add, uuid4(), None, at=DAY, text="x", context=CONTEXT).then(rejected())


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_ANNOTATION + 1)])
def test_a_text_is_neither_empty_nor_too_long(text: str) -> None:
    given().when(added, text).then(rejected(says=r"Enter a text|at most"))


def test_what_is_named_changes_and_nothing_when_all_is_the_same() -> None:
    note = model.evolve(None, added())
    [changed] = model.change(note, SITE, at=None, text="Other", context=CONTEXT)
    assert isinstance(changed, AnnotationChanged)
    assert (changed.at, changed.text, changed.originator_version) == (DAY, "Other", 2)
    given(note).when(model.change, SITE, at=DAY, text="New page", context=CONTEXT).then()
    given(note).when(model.change, SITE, at=None, text="Other", context=STRANGER).then(rejected())


def test_a_removed_note_is_gone() -> None:
    note = model.evolve(None, added())
    removed = model.remove(note, SITE, CONTEXT)
    assert isinstance(removed, AnnotationRemoved)
    gone = model.evolve(note, removed)
    given(gone).when(model.remove, SITE, CONTEXT).then(rejected())
    given(gone).when(model.change, SITE, at=None, text="x", context=CONTEXT).then(rejected())
