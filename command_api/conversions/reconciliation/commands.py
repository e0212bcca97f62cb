"""Commands of accepted reconciliations."""

from __future__ import annotations

from command_api.conversions.reconciliation import schemas
from command_api.kernel.command_handlers import Command


class AcceptReconciliation(Command[schemas.MonthAcceptance]):
    """Accepts the open differences of a partner's month, as they were seen."""

    body: schemas.AcceptMonth


class ReopenReconciliation(Command[schemas.MonthAcceptance]):
    """Accepts them no more."""

    body: schemas.MonthOfPartner
