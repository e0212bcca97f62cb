"""`read.applications` and `read.application_steps`: an account's applications and the steps of their status."""

from __future__ import annotations

from typing import Final
from uuid import uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.matching import ApplicationMade, ApplicationMoved, ApplicationPageOpened

APPLICATIONS: Final = ReadModel(
    name="applications",
    version=2,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "program_id uuid not null",
        "status text not null",
        "visits int not null",
        "applied_at timestamptz not null",
        "updated_at timestamptz not null",
    ),
    key=("id",),
    fixed=("account_id",),
    readers=own_account("account_id"),
    indexes=("account_id, applied_at",),
)

APPLICATION_STEPS: Final = ReadModel(
    name="application_steps",
    version=1,
    columns=(
        "id uuid",
        "application_id uuid not null",
        "account_id uuid not null",
        "number int not null",
        "status text not null",
        "note text not null",
        "at timestamptz not null",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("application_id, number", "account_id"),
    personal=("note",),
)


APPLICATIONS.begins(ApplicationMade, at=("applied_at", "updated_at"), status="applied", visits=0)
APPLICATIONS.adds(ApplicationPageOpened, visits=1)
APPLICATIONS.follows(ApplicationMoved, at="updated_at")


@APPLICATION_STEPS.on(ApplicationMade)
def begun(rows: Rows, event: ApplicationMade) -> None:
    _step(rows, event, "applied", "")


@APPLICATION_STEPS.on(ApplicationMoved)
def stepped(rows: Rows, event: ApplicationMoved) -> None:
    _step(rows, event, event.status, event.note)


APPLICATION_STEPS.follows(AccountErased, by="account_id", note=ERASED)


def _step(rows: Rows, event: ApplicationMade | ApplicationMoved, status: str, note: str) -> None:
    rows.put(
        id=uuid5(event.originator_id, str(event.originator_version)),
        application_id=event.originator_id,
        account_id=event.account_id,
        number=event.originator_version,
        status=status,
        note=note,
        at=event.timestamp,
    )
