"""The local stack as a person and a process table see it: start, `ps`, `info`, refusals, stop."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import psycopg
import pytest

from infra.kernel.config.settings import SECRET_NAMES, Settings
from infra.ops.stack import secret_file
from infra.ops.stack.plan import ENGINES, SERVICES, base_environment
from infra.ops.stack.spec import ENGINE_VARIABLES, log_file
from infra.ops.stack.supervisor import Supervisor
from infra.ops.stack.up import StackLayout
from tests.support.rounds import first_of
from tests.support.stack import Stack, free_ports, wait_for

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]
EVERYTHING = (*ENGINES, *SERVICES)


@pytest.fixture
def mine(loaded: Stack) -> Stack:
    """Without load. The last test ends it."""
    return loaded


def test_ps_has_one_row_for_every_process(mine: Stack) -> None:
    rows = mine.ps()
    assert sorted(rows) == sorted(EVERYTHING)
    for row in rows.values():
        assert set(row) == {"name", "pid", "state", "restarts", "uptime_s"}
        assert row["state"] == "running" and psutil.pid_exists(row["pid"]) and row["uptime_s"] > 0
    assert mine.run("ps").stdout.splitlines()[0].split() == ["NAME", "PID", "STATE", "RESTARTS", "UPTIME"]


def test_info_gives_addresses_and_users_that_may_only_read(mine: Stack) -> None:
    info = json.loads(mine.run("info", "--json").stdout)
    assert {"app", "tracking", "kafka", "postgres", "clickhouse", "data_dir", "version"} <= set(info)
    assert info["app"] == mine.app and info["tracking"] == mine.tracking
    assert {"url", "user", "password"} <= set(info["clickhouse"])
    with psycopg.connect(info["postgres"], autocommit=True) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
        with pytest.raises(psycopg.Error):
            connection.execute("create table read.mine ()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from accounts.session")
    user = info["kafka_user"]
    assert (user["protocol"], user["mechanism"]) == ("SASL_PLAINTEXT", "SCRAM-SHA-512") and user["password"]
    assert mine.environment["KAFKA_SASL_PASSWORD"] not in json.dumps(info)
    house = info["clickhouse"]
    assert _clickhouse(house, "SELECT 1") == (200, "1\n")
    assert _clickhouse(house, "CREATE TABLE mine (n Int8) ENGINE = Memory")[0] != 200


def test_no_process_shows_a_secret_in_its_environment_or_arguments(mine: Stack) -> None:
    """Of what was started by fork, by `exec` after a failure, and by services themselves; the supervisor has wiped what
    it was started with."""
    assert mine.process is not None
    mine.wait_restarted("query", mine.kill("query"))
    house = json.loads(mine.run("info", "--json").stdout)["clickhouse"]
    assert _clickhouse(house, "SELECT 1") == (200, "1\n")
    secrets = _secrets_of(mine)
    assert len(secrets) >= 12 and "master_key" in secrets
    supervisor = psutil.Process(mine.process.pid)
    processes = [supervisor, *supervisor.children(recursive=True)]
    assert {mine.pid(name) for name in EVERYTHING} <= {process.pid for process in processes}
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            shown = Path(f"/proc/{process.pid}/environ").read_bytes() + b"\0".join(map(os.fsencode, process.cmdline()))
            assert shown or process.pid != supervisor.pid
            found = [name for name, value in secrets.items() if value.encode() in shown]
            assert not found, (process.name(), process.cmdline(), found)
    for name in ("kafka", "postgres"):
        variables = Path(f"/proc/{mine.pid(name)}/environ").read_text().split("\0")
        assert {one.partition("=")[0] for one in variables if one} <= {*ENGINE_VARIABLES}


def _secrets_of(made: Stack) -> dict[str, str]:
    """Every secret that the stack was given or has made, and the passwords in addresses."""
    kept = json.loads((made.data_dir / secret_file.FILE_NAME).read_text())
    found = {name: value for name, value in {**kept, **made.settings, **made.environment}.items() if value}
    named = {name: value for name, value in found.items() if name in SECRET_NAMES or name in kept}
    passwords = {f"password of {name}": urlsplit(value).password or "" for name, value in named.items()}
    return {name: value for name, value in {**named, **passwords}.items() if value and name != "kafka_cluster_id"}


def test_an_installation_with_an_account_shows_no_set_up_link(mine: Stack) -> None:
    assert "/setup?token=" not in mine.output.read_text()
    refused = mine.run("setup-link")
    assert (refused.returncode, refused.stdout) == (1, "") and f"{mine.app}/login" in refused.stderr


def test_a_second_start_on_the_same_data_is_refused_in_one_sentence(mine: Stack) -> None:
    refused = mine.run("up")
    assert refused.returncode != 0
    assert refused.stderr.count("\n") == 1 and str(mine.data_dir) in refused.stderr


@pytest.mark.parametrize("name", first_of("ALTHING_POSTGRES_PORT", "ALTHING_PORT", "ALTHING_TRACKING_PORT"))
def test_a_taken_port_is_named_with_its_setting(mine: Stack, name: str) -> None:
    free = Stack(mine.folder / "other").settings
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = str(holder.getsockname()[1])
        refused = mine.run("up", settings={**free, name: port})
        assert refused.returncode != 0
        assert refused.stderr.count("\n") == 1 and name in refused.stderr and port in refused.stderr


@pytest.mark.slow
def test_engines_whose_ports_are_taken_between_choosing_and_listening_get_others(tmp_path: Path) -> None:
    """What happens to the slower one of two stacks that start at the same moment."""
    web, tracking = free_ports(2)
    given = Settings(data_dir=tmp_path, port=web, tracking_port=tracking)
    laid = StackLayout(given, secret_file.load_or_create(tmp_path), tmp_path, [])
    first = laid.ports
    taken = (first.postgres, first.kafka, first.kafka_controller, first.clickhouse)
    supervisor = Supervisor(tmp_path, base_environment(laid.made), lambda _rows: None, laid.move)
    try:
        with ExitStack() as holders:
            for port in taken:
                holders.enter_context(socket.create_server(("127.0.0.1", port)))
            supervisor.start(laid.made.engines)
        assert {row.state for row in supervisor.rows} == {"running"}
        environment = laid.made.environment
        for name in ("POSTGRES_URL", "CLICKHOUSE_URL", "KAFKA_BOOTSTRAP_SERVERS"):
            assert not any(environment[name].partition("/althing")[0].endswith(f":{port}") for port in taken)
        laid.set_up_postgres()
        with psycopg.connect(environment["POSTGRES_URL"]) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    finally:
        supervisor.stop([(name,) for name in ENGINES])


def test_after_a_killed_supervisor_the_next_start_works_and_the_data_is_there(mine: Stack) -> None:
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as connection:
        connection.execute("create table ops.kept (n int)")
        connection.execute("insert into ops.kept values (42)")
    children = [mine.pid(name) for name in EVERYTHING]
    assert mine.process is not None
    os.kill(mine.process.pid, signal.SIGKILL)
    mine.process.wait()
    mine.start()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in children), "the old processes to be gone")
    assert {row["state"] for row in mine.ps().values()} == {"running"}
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as connection:
        assert connection.execute("select n from ops.kept").fetchall() == [(42,)]
        connection.execute("drop table ops.kept")


def test_a_termination_signal_ends_everything_and_exits_0(mine: Stack) -> None:
    children = [mine.pid(name) for name in EVERYTHING]
    assert mine.stop() == 0
    assert not any(psutil.pid_exists(pid) for pid in children)
    assert "is killed" not in mine.tail(), "every process must end without a kill"
    words = log_file(mine.data_dir, "postgres").read_text()
    again = re.search(r'(database|role) "\w+" already exists', words)
    assert again is None, "a warm start must not create what exists"
    ended = mine.run("ps", "--json")
    assert (ended.returncode, json.loads(ended.stdout)) == (1, [])


def _clickhouse(house: Mapping[str, str], statement: str) -> tuple[int, str]:
    answer = httpx.post(house["url"], auth=(house["user"], house["password"]), content=statement, timeout=10)
    return answer.status_code, answer.text
