"""The process that reads analysts' statements: the validator without rights, ended when it is slow or breaks."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from infra.domain.sql_access import limits
from infra.domain.sql_access.statement_log import TooManyRunning
from infra.domain.sql_access.validation_result import ExecutableStatement, StatementRejected, fill
from infra.domain.sql_access.validator_pool import ValidatorPool
from tests.support.sandbox_escapes import SANDBOX_ESCAPES
from tests.support.stack import wait_for
from tests.unit.infra.domain.sql_access.test_sql_validator import ADA, HONEST, NEEDS_ENGINE, OWN, admit

ENDLESS = "SELECT 1 FROM clicks" + " JOIN clicks" * 40
"""The parser tries joins without ON in every possible order: this would take it years."""


@pytest.fixture(scope="module")
def validators() -> Iterator[ValidatorPool]:
    made = ValidatorPool()
    yield made
    made.close()


def validate(validators: ValidatorPool, sql: str) -> ExecutableStatement:
    """The statement that runs, read by the process that both entry points use."""
    return fill(asyncio.run(validators.validate(OWN, sql, ADA.name)), ADA)


def test_the_process_and_the_validator_give_the_same_statement(validators: ValidatorPool) -> None:
    for text in HONEST:
        assert validate(validators, text) == admit(text, ADA)
    for name in sorted(SANDBOX_ESCAPES.keys() - NEEDS_ENGINE)[::7]:
        with pytest.raises(StatementRejected) as told:
            admit(SANDBOX_ESCAPES[name], ADA)
        with pytest.raises(StatementRejected, match=re.escape(str(told.value))):
            validate(validators, SANDBOX_ESCAPES[name])


def test_a_slow_statement_is_rejected_and_the_next_one_validated(validators: ValidatorPool) -> None:
    with pytest.raises(StatementRejected, match="too long to read"):
        validate(validators, ENDLESS)
    assert validate(validators, "SELECT 1").sql == "SELECT 1"


def test_the_process_can_open_nothing(validators: ValidatorPool) -> None:
    validate(validators, "SELECT 1")
    [process] = [one._process.pid for one in validators._all]
    limits_of = Path(f"/proc/{process}/limits").read_text()
    for limit in ("Max file size", "Max processes", "Max core file size"):
        assert re.search(rf"{limit} +0 +0 ", limits_of)
    assert re.search(r"Max open files +3 +3 ", limits_of)
    assert re.search(rf"Max address space +{512 << 20} +{512 << 20} ", limits_of)
    environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    assert {one.partition(b"=")[0] for one in environment if one} <= {b"PATH", b"LANG", b"PYTHONPATH", b"LC_CTYPE"}


def test_one_that_breaks_lets_nothing_through(validators: ValidatorPool) -> None:
    validate(validators, "SELECT 1")
    [one] = validators._all
    one._process.kill()
    one._process.wait()
    assert validate(validators, "SELECT 2").sql == "SELECT 2", "it had ended while nobody asked"
    [one] = validators._all
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(validate, validators, ENDLESS)
        wait_for(lambda: not validators._idle, "the text to be read")
        one._process.send_signal(signal.SIGABRT)
        with pytest.raises(StatementRejected):
            asked.result(30)
    assert validate(validators, "SELECT 3").sql == "SELECT 3"


def test_one_analyst_has_few_texts_in_hand(validators: ValidatorPool) -> None:
    async def many() -> list[object]:
        asked = [validators.validate(OWN, "SELECT 1", "ada") for _ in range(limits.RUNNING + 2)]
        others = [validators.validate(uuid4(), "SELECT 1", "eve") for _ in range(5)]
        return list(await asyncio.gather(*asked, *others, return_exceptions=True))

    answers = asyncio.run(many())
    assert [type(one) for one in answers[limits.RUNNING : limits.RUNNING + 2]] == [TooManyRunning] * 2
    assert sum(isinstance(one, TooManyRunning) for one in answers) == 2
