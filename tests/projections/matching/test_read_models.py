"""The program directory and what members keep of matching: given decided events, then these rows; erased texts go."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

from command_api.matching.programs.files import starter_programs
from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from schemas.base import ERASED, DomainEvent, personal_fields
from schemas.events import accounts, matching
from tests.support.projection_bench import ProjectionBench, moment


class History:
    """Decided events of several aggregates, texts of `person` sealed as the store has them."""

    def __init__(self, bench: ProjectionBench, keyring: Keyring, person: UUID) -> None:
        self.bench, self.keyring, self.person = bench, keyring, person
        self.versions: dict[UUID, int] = {}

    def decide(self, aggregate: UUID, event_class: type[DomainEvent], **values: Any) -> None:
        version = self.versions[aggregate] = self.versions.get(aggregate, 0) + 1
        for name in personal_fields(event_class) & values.keys():
            values[name] = self.keyring.encrypt(self.person, name, values[name])
        at = moment() + timedelta(minutes=version)
        self.bench.decide(event_class(originator_id=aggregate, originator_version=version, timestamp=at, **values))


def test_programs_ideas_applications_and_lessons(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    ada, program, profile, application, learning, board = (uuid4() for _ in range(6))
    history = History(projecting, Keyring(keys, projecting.settings), ada)
    facts = starter_programs()[0]
    day = date(2026, 11, 21)
    history.decide(
        program, matching.ProgramListed, program=facts, origin="starter", recorded_on=day, checked_on=None,
        review_on=day,
    )  # fmt: skip
    history.decide(program, matching.ProgramChanged, program=facts.model_copy(update={"cookie_days": 7}), origin="csv")
    history.decide(program, matching.ProgramReviewed, checked_on=day, review_on=day + timedelta(days=180))
    history.decide(program, matching.ProgramRetired)
    for idea in ("the first idea", "the second idea"):
        history.decide(
            profile, matching.BusinessAnalyzed, account_id=ada, business_idea=idea, industry="pets", difficulty="easy",
            monetization="medium", wording="{}", method="rules", silent="",
        )  # fmt: skip
        history.decide(profile, matching.RecommendationsWorded, account_id=ada, words=f"of {idea}", silent="")
    history.decide(profile, matching.RecommendationsWorded, account_id=ada, words="{}", silent="budget")
    history.decide(application, matching.ApplicationMade, account_id=ada, program_id=program)
    history.decide(application, matching.ApplicationPageOpened, account_id=ada)
    history.decide(application, matching.ApplicationMoved, account_id=ada, status="approved", note="by mail")
    history.decide(learning, matching.LessonCompleted, account_id=ada, course="first", lesson="one")
    history.decide(learning, matching.LessonCompleted, account_id=ada, course="first", lesson="two")
    history.decide(learning, matching.LessonReopened, account_id=ada, course="first", lesson="one")
    history.decide(board, matching.IdeasRequested, account_id=ada, answers="dogs")
    history.decide(board, matching.IdeasWorded, account_id=ada, words="of dogs", silent="")
    history.decide(board, matching.IdeaSaved, account_id=ada, idea="pets.city-dogs")
    history.decide(
        board, matching.IdeaDismissed, account_id=ada, idea="pets.indoor-cats", reason="other", note="allergic"
    )
    history.decide(board, matching.IdeasRequested, account_id=ada, answers="cats")
    history.decide(board, matching.IdeaReleased, account_id=ada, idea="pets.city-dogs")
    names = (
        "programs", "matching_profiles", "idea_rounds", "idea_choices", "applications", "application_steps",
        "lessons_done",
    )  # fmt: skip
    with projecting.running(
        "programs",
        "idea_rounds",
        "idea_choices",
        "applications",
        "application_steps",
        "lessons_done",
        "matching_profiles",
    ):
        for name in names:
            projecting.wait(name)
        found = "select company_name, cookie_days, checked_on, review_on, retired from read.programs where id = %s"
        assert projecting.sql(found, program) == [(facts.company_name, 7, day, day + timedelta(days=180), True)]
        ideas = "select business_idea, industry, words, words_silent from read.matching_profiles where account_id = %s"
        assert projecting.sql(ideas, ada) == [("the second idea", "pets", "{}", "budget")]
        assert projecting.sql("select status, visits from read.applications where id = %s", application) == [
            ("approved", 1)
        ]
        steps = "select status, note from read.application_steps where application_id = %s order by number"
        assert projecting.sql(steps, application) == [("applied", ""), ("approved", "by mail")]
        lessons = "select lesson, done from read.lessons_done where account_id = %s order by lesson"
        assert projecting.sql(lessons, ada) == [("one", False), ("two", True)]
        rounds = "select answers, number, words from read.idea_rounds where account_id = %s"
        assert projecting.sql(rounds, ada) == [("cats", 5, "")]
        choices = "select idea, choice, reason, note, number from read.idea_choices where account_id = %s order by 1"
        assert projecting.sql(choices, ada) == [
            ("pets.city-dogs", "released", None, "", 6),
            ("pets.indoor-cats", "dismissed", "other", "allergic", 4),
        ]
        history.keyring.erase(ada)
        history.decide(ada, accounts.AccountErased)
        for name in names:
            projecting.wait(name)
        assert projecting.sql(ideas, ada) == [(ERASED, "pets", ERASED, "budget")]
        assert {note for _, note in projecting.sql(steps, application)} == {ERASED}
        assert projecting.sql(rounds, ada) == [(ERASED, 5, ERASED)]
        assert {row[3] for row in projecting.sql(choices, ada)} == {ERASED}
    keys.close()
