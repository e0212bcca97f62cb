"""The networks whose reports are pulled, by slug."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from command_api.networks.pulling.awin import AwinTransactions
from command_api.networks.pulling.cj import CjCommissions
from command_api.networks.pulling.impact import ImpactActions
from command_api.networks.pulling.report_api import ReportApi

_ALL: Final[tuple[ReportApi, ...]] = (AwinTransactions(), CjCommissions(), ImpactActions())
REPORT_APIS: Final[Mapping[str, ReportApi]] = {api.network: api for api in _ALL}
