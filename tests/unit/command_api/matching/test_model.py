"""The program directory and what members keep: given a history, when a command, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.matching import members
from command_api.matching.application_links import program_page, tracked_link
from command_api.matching.profile import AnalyzedIdea
from command_api.matching.programs import files as program_files
from command_api.matching.programs import model as programs
from command_api.matching.rules import analyze
from infra.domain.program_matching.taxonomy import taxonomy
from schemas.base import Money
from schemas.events.matching import ApplicationMade, ApplicationMoved, ApplicationPageOpened, Program, ProgramListed
from schemas.identity import application_id, program_id
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ACCOUNT = uuid4()
ASKED = CommandContext(NOW, ACCOUNT)
ADMIN = CommandContext(NOW, uuid4(), is_admin=True)
GOOD = Program(
    company_name="Example Hosting",
    category="hosting",
    description="Web hosting for small sites.",
    url="https://hosting.example.com/affiliates",
    commission_type="percentage",
    commission_bp=2_000,
    cookie_days=60,
    approval="easy",
    payment="monthly",
    source="Its public page",
)
HEADER = (
    "company_name,category,description,url,commission_type,commission_percent,commission_amount,currency,cookie_days,"
    "approval,payment,source"
)
LINE = (
    "Example Hosting,hosting,Web hosting for small sites.,https://hosting.example.com/affiliates,percentage,20,,,60,"
    "easy,monthly,Its public page"
)


def listing(**changes: Any) -> programs.ListedProgram:
    program = GOOD.model_copy(update=changes)
    [event] = programs.add(None, program, origin="admin", recorded_on=NOW.date(), context=ADMIN)
    return programs.evolve(None, event)


def application(*moves: str) -> members.Application:
    [made] = members.apply(None, listing(), ACCOUNT, ASKED)
    found = members.evolve_application(None, made)
    for status in moves:
        [moved] = members.move(found, status, "", ACCOUNT, ASKED)  # type: ignore[arg-type]  # given by the parameters of the test
        found = members.evolve_application(found, moved)
    return found


def test_an_admin_who_adds_a_program_has_checked_it_and_a_file_has_not() -> None:
    [by_admin] = programs.add(None, GOOD, origin="admin", recorded_on=NOW.date(), context=ADMIN)
    [by_file] = programs.add(None, GOOD, origin="csv", recorded_on=NOW.date(), context=ADMIN)
    assert isinstance(by_admin, ProgramListed)
    assert isinstance(by_file, ProgramListed)
    assert (by_admin.checked_on, by_admin.review_on) == (NOW.date(), NOW.date() + programs.REVIEW_EVERY)
    assert (by_file.checked_on, by_file.review_on) == (None, NOW.date())


def test_a_company_is_in_the_directory_once_however_it_is_written() -> None:
    assert program_id("example  HOSTING ") == program_id("Example Hosting")
    given(listing()).when(programs.add, GOOD, origin="admin", recorded_on=NOW.date(), context=ADMIN).then(
        rejected("program_exists")
    )


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"category": "nonsense"}, "category"),
        ({"commission_bp": 0}, "commissionRate"),
        ({"commission_type": "flat"}, "commissionRate"),
        ({"commission_type": "flat", "commission_bp": 0}, "commissionAmount"),
        ({"commission_type": "hybrid"}, "commissionAmount"),
        ({"commission_amount": Money(amount=100, currency="USD")}, "commissionAmount"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"url": "http://127.0.0.1/"}, "url"),
        ({"description": " "}, "description"),
        ({"source": " "}, "source"),
        ({"company_name": "  "}, "companyName"),
    ],
)
def test_facts_that_cannot_be_true_are_refused(changes: dict[str, Any], field: str) -> None:
    given().when(programs.validated, GOOD.model_copy(update=changes)).then(rejected(field=field))


def test_a_change_that_changes_nothing_is_no_event() -> None:
    given(listing()).when(programs.change, GOOD, "admin", ADMIN).then()
    assert len(programs.change(listing(), GOOD.model_copy(update={"cookie_days": 30}), "admin", ADMIN)) == 1


def test_a_program_cannot_become_another_company() -> None:
    given(listing()).when(programs.change, GOOD.model_copy(update={"company_name": "Another"}), "admin", ADMIN).then(
        rejected("name_fixed")
    )


def test_a_review_dates_the_facts_and_names_the_next_one() -> None:
    [event] = programs.review(listing(), None, ADMIN)
    reviewed = programs.evolve(listing(), event)
    assert (reviewed.checked_on, reviewed.review_on) == (NOW.date(), NOW.date() + programs.REVIEW_EVERY)
    for wrong in (NOW.date(), NOW.date() + timedelta(days=1_000)):
        given(listing()).when(programs.review, wrong, ADMIN).then(rejected())


def test_retiring_and_restoring_happen_once_each() -> None:
    [event] = programs.retire(listing(), ADMIN)
    retired = programs.evolve(listing(), event)
    given(retired).when(programs.retire, ADMIN).then()
    [back] = programs.restore(retired, ADMIN)
    assert not programs.evolve(retired, back).retired


def test_the_starter_set_is_of_at_least_sixty_programs_in_all_industries() -> None:
    starter = program_files.starter_programs()
    assert len(starter) >= 60
    assert {program.category for program in starter} == set(taxonomy())
    assert all("the program's public page" in program.source for program in starter)
    for program in starter:
        [event] = programs.add(None, program, origin="starter", recorded_on=NOW.date(), context=ADMIN)
        assert isinstance(event, ProgramListed)
        assert (event.checked_on, event.review_on) == (None, NOW.date()), "to be checked from the first day on"


def test_a_file_tells_what_is_wrong_line_by_line() -> None:
    lines = [HEADER, LINE, LINE.replace("hosting,Web", "nonsense,Web"), LINE.replace(",60,", ",x,"), "too,few", LINE]
    read = program_files.parse("\n".join(lines))
    assert [entry.program.company_name for entry in read.entries] == ["Example Hosting"]
    assert [(fault.line, fault.column) for fault in read.faults] == [
        (3, "category"),
        (4, "cookie_days"),
        (5, None),
        (6, "company_name"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty_file"),
        ("company_name,category\nA,b", "bad_header"),
        (f"{HEADER},colour\n{LINE},red", "bad_header"),
        (f'{HEADER}\n"{LINE}', "bad_csv"),
        ("\n".join([HEADER, *[LINE] * (program_files.MAX_LINES + 1)]), "too_many_lines"),
    ],
)
def test_what_is_no_such_file_is_refused_as_a_whole(text: str, code: str) -> None:
    given().when(program_files.parse, text).then(rejected(code))


@pytest.mark.parametrize(
    ("column", "written"),
    [
        *(("cookie_days", text) for text in ("1e400000000", "9e999999", "NaN", "-1", "1.5", "\u221e", "0x10")),
        *(("commission_percent", text) for text in ("9e999999", "-Infinity", "100.01", "-5", "1e-7", "sNaN")),
    ],
)
def test_a_number_that_is_none_is_a_fault_of_its_line(column: str, written: str) -> None:
    given = ",60," if column == "cookie_days" else "percentage,20,"
    line = LINE.replace(given, given.replace("60", written).replace("20", written))
    [fault] = program_files.parse(f"{HEADER}\n{line}").faults
    assert (fault.line, fault.column) == (2, column)


def test_a_quoted_line_break_and_an_odd_name_stay_what_they_are() -> None:
    line = LINE.replace("Example Hosting", '"=HYPERLINK(""https://evil.example"")"').replace(
        "Web hosting for small sites.", '"Web hosting,\r\nfor ""small"" sites."'
    )
    [entry] = program_files.parse(f"\ufeff{HEADER}\r\n{line}\r\n").entries
    assert entry.program.company_name == '=HYPERLINK("https://evil.example")'
    assert entry.program.description == 'Web hosting,\r\nfor "small" sites.'


def test_amounts_of_a_file_are_read_by_the_currency_s_own_decimals() -> None:
    flat = LINE.replace("percentage,20,,", "flat,,1500,JPY")
    [entry] = program_files.parse(f"\ufeff{HEADER}\r\n{flat}\r\n").entries
    assert entry.program.commission_amount == Money(amount=1500, currency="JPY")
    dollars = program_files.parse(f"{HEADER}\n{LINE.replace('percentage,20,,', 'flat,,12.50,USD')}")
    assert dollars.entries[0].program.commission_amount == Money(amount=1250, currency="USD")


def test_an_idea_has_ten_characters_after_trimming_spec_5() -> None:
    assert members.idea_text("  ten chars!  ") == "ten chars!"
    with pytest.raises(CommandRejected) as refused:
        members.idea_text("  ten char  ")
    assert refused.value.message == "Please provide a more detailed business idea (at least 10 characters)"


def test_control_characters_of_an_idea_are_spaces() -> None:
    assert members.idea_text("\x01Food and\x02toys\nfor dogs\x9f") == "Food and toys\nfor dogs"
    given().when(members.idea_text, "\x01" * 4_000).then(rejected())


def test_a_second_analysis_follows_the_first() -> None:
    understood = AnalyzedIdea(analyze("A site about hosting and domain names"), "rules", "not_configured")
    first = members.record_analysis(None, ACCOUNT, "idea one", understood, ASKED)
    second = members.record_analysis(members.evolve_profile(None, first), ACCOUNT, "idea two", understood, ASKED)
    assert (first.originator_version, second.originator_version) == (1, 2)
    assert first.industry == "hosting"


def test_words_are_of_the_idea_that_was_analyzed_last() -> None:
    understood = AnalyzedIdea(analyze("A site about hosting and domain names"), "rules", "not_configured")
    first = members.evolve_profile(None, members.record_analysis(None, ACCOUNT, "idea one", understood, ASKED))
    silent = members.evolve_profile(first, members.record_wording(first, ACCOUNT, "{}", "budget", ASKED))
    assert not silent.is_worded
    worded = members.evolve_profile(silent, members.record_wording(silent, ACCOUNT, "{}", "", ASKED))
    assert (worded.is_worded, worded.version, worded.analyzed, worded.idea) == (True, 3, 1, "idea one")
    again = members.record_analysis(worded, ACCOUNT, "idea two", understood, ASKED)
    after = members.evolve_profile(worded, again)
    assert (after.is_worded, after.analyzed, after.idea) == (False, 4, "idea two")


def test_applying_records_the_application_once() -> None:
    [made] = members.apply(None, listing(), ACCOUNT, ASKED)
    assert isinstance(made, ApplicationMade)
    assert made.originator_id == application_id(ACCOUNT, listing().id)
    for applied in (application(), application("in_review"), application("approved")):
        given(applied).when(members.apply, listing(), ACCOUNT, ASKED).then()


def test_following_the_tracked_link_is_counted_and_never_refused() -> None:
    [opened] = members.follow(application(), ACCOUNT, ASKED)
    assert isinstance(opened, ApplicationPageOpened)
    full = replace(application(), version=members.MAX_FOLLOWED)
    given(full).when(members.follow, ACCOUNT, ASKED).then()
    assert members.move(full, "approved", "", ACCOUNT, ASKED), "the outcome can still be recorded"
    given(application()).when(members.follow, uuid4(), ASKED).then(rejected())


def test_who_was_rejected_may_apply_again() -> None:
    for ended in ("rejected", "withdrawn"):
        [again] = members.apply(application(ended), listing(), ACCOUNT, ASKED)
        assert isinstance(again, ApplicationMoved)
        assert (again.status, again.originator_version) == ("applied", 3)


def test_a_retired_program_takes_no_new_applications() -> None:
    [event] = programs.retire(listing(), ADMIN)
    retired = programs.evolve(listing(), event)
    given().when(members.apply, None, retired, ACCOUNT, ASKED).then(rejected("program_retired"))
    given(application()).when(members.apply, retired, ACCOUNT, ASKED).then()


@pytest.mark.parametrize(
    ("before", "status"),
    [((), "approved"), (("in_review",), "approved"), (("approved",), "withdrawn"), (("rejected",), "in_review")],
)
def test_an_application_moves(before: tuple[str, ...], status: Any) -> None:
    [moved] = members.move(application(*before), status, " told by mail ", ACCOUNT, ASKED)
    assert isinstance(moved, ApplicationMoved)
    assert (moved.status, moved.note) == (status, "told by mail")


@pytest.mark.parametrize(("before", "status"), [(("approved",), "applied"), (("withdrawn",), "approved")])
def test_some_moves_make_no_sense(before: tuple[str, ...], status: Any) -> None:
    given(application(*before)).when(members.move, status, "", ACCOUNT, ASKED).then(rejected("bad_step"))


def test_the_same_state_with_a_note_keeps_the_note_and_without_one_nothing() -> None:
    given(application()).when(members.move, "applied", "", ACCOUNT, ASKED).then()
    assert len(members.move(application(), "applied", "wrote to them", ACCOUNT, ASKED)) == 1


def test_another_account_s_application_does_not_exist() -> None:
    with pytest.raises(CommandRejected) as refused:
        members.move(application(), "approved", "", uuid4(), ASKED)
    assert refused.value.kind == "missing"


def test_a_lesson_is_done_once_and_can_be_opened_again() -> None:
    [done] = members.complete(None, "first-steps", "connect-a-website", ACCOUNT, ASKED)
    learning = members.evolve_learning(None, done)
    given(learning).when(members.complete, "first-steps", "connect-a-website", ACCOUNT, ASKED).then()
    [opened] = members.reopen(learning, "first-steps", "connect-a-website", ACCOUNT, ASKED)
    assert members.evolve_learning(learning, opened).done == frozenset()
    assert members.reopen(None, "first-steps", "connect-a-website", ACCOUNT, ASKED) == []
    given().when(members.complete, None, "../etc", "x", ACCOUNT, ASKED).then(rejected())
    given(members.Learning(members.MAX_LESSON_CHANGES, frozenset())).when(
        members.complete, "a", "b", ACCOUNT, ASKED
    ).then(rejected())


def test_the_tracked_address_keeps_what_the_program_s_own_has() -> None:
    number = application_id(ACCOUNT, program_id("Example Hosting"))
    assert program_page("https://a.example/apply?x=1&utm_source=own#form", number) == (
        f"https://a.example/apply?x=1&utm_source=own&utm_medium=program-directory&utm_content={number.hex[:12]}#form"
    )


def test_the_tracked_link_is_the_app_s_own_and_says_nothing_but_the_application() -> None:
    number = application_id(ACCOUNT, program_id("Example Hosting"))
    assert tracked_link(number) == f"/api/platform/affiliate/applications/{number}/go"


def test_dates_of_the_starter_set_are_not_in_the_future() -> None:
    from command_api.matching.programs.starter_set import RECORDED_ON

    assert date(2026, 11, 21) >= RECORDED_ON
