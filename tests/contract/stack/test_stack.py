"""The parts of the local stack that need no engine: ports, secrets, lock, orphans, restarts, log lines, the plan."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path

import pytest

from infra.kernel.config.loading import load
from infra.kernel.config.settings import SECRET_NAMES, Settings, SettingsError
from infra.kernel.observability import stack_state
from infra.ops.demo import stage
from infra.ops.stack import child_process, console, escrow, plan, ports, secret_file, state, up
from infra.ops.stack.child_process import ChildProcess, ChildProgram
from infra.ops.stack.hang_detection import MISSES, SILENT, MissedChecks
from infra.ops.stack.info import describe
from infra.ops.stack.launcher import main as launch
from infra.ops.stack.spec import ProcessSpec, log_file, stop_order
from infra.ops.stack.supervisor import StartFailed, StopRequested, Supervisor
from infra.ops.stack.up import run_migrations
from tests.support.stack import ROOT, free_ports, wait_for

SLEEPER = [sys.executable, "-c", "import signal; signal.pause()"]


def settings(tmp_path: Path) -> Settings:
    web, tracking = free_ports(2)
    return Settings(data_dir=tmp_path, port=web, tracking_port=tracking)


class TestPorts:
    def test_all_are_different(self, tmp_path: Path) -> None:
        chosen = ports.choose(settings(tmp_path))
        numbers = list(vars(chosen).values())
        assert len(set(numbers)) == len(numbers)

    def test_a_taken_preferred_port_is_replaced_by_a_free_one(self, tmp_path: Path) -> None:
        with socket.socket() as holder:
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                holder.bind(("127.0.0.1", 8123))
                holder.listen()
            except OSError:
                pass  # another process has it, which is the same here
            chosen = ports.choose(settings(tmp_path))
        assert chosen.clickhouse != 8123

    @pytest.mark.parametrize("field", [row.name for row in fields(Settings) if row.name.rpartition("_")[2] == "port"])
    def test_a_taken_fixed_port_is_named(self, tmp_path: Path, field: str) -> None:
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", 0))
            holder.listen()
            port = holder.getsockname()[1]
            with pytest.raises(SettingsError, match=f"ALTHING_{field.upper()}.*{port}"):
                ports.choose(replace(settings(tmp_path), **{field: port}))

    def test_a_port_that_was_taken_since_is_replaced_and_only_that(self, tmp_path: Path) -> None:
        given = replace(settings(tmp_path), clickhouse_port=free_ports(1)[0])
        chosen = ports.choose(given)
        assert ports.replace_taken(chosen, given, "kafka") is None
        with ExitStack() as holders:
            for port in (chosen.kafka_controller, chosen.clickhouse, chosen.web):
                holders.enter_context(socket.create_server(("127.0.0.1", port)))
            moved = ports.replace_taken(chosen, given, "kafka")
            assert moved is not None
            assert moved.kafka_controller not in vars(chosen).values()
            assert replace(moved, kafka_controller=chosen.kafka_controller) == chosen
            assert ports.replace_taken(chosen, given, "clickhouse") is None, "it was set by hand"
            assert ports.replace_taken(chosen, given, "web") is None

    def test_one_port_for_two_servers_is_refused(self, tmp_path: Path) -> None:
        given = settings(tmp_path)
        with pytest.raises(SettingsError, match="two of our own"):
            ports.choose(replace(given, tracking_port=given.port))


class TestSecrets:
    def test_made_once_and_private(self, tmp_path: Path) -> None:
        first = secret_file.load_or_create(tmp_path)
        assert secret_file.load_or_create(tmp_path) == first
        assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
        assert len(bytes.fromhex(first.master_key)) == 32
        assert [path.name for path in tmp_path.iterdir()] == ["secrets.json"]

    @pytest.mark.parametrize("content", ["", "{}", "[]", '{"master_key": "'])
    def test_a_damaged_file_is_never_replaced(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "secrets.json").write_text(content)
        with pytest.raises(SettingsError, match="backup"):
            secret_file.load_or_create(tmp_path)
        assert (tmp_path / "secrets.json").read_text() == content


class TestState:
    def test_a_second_lock_is_refused(self, tmp_path: Path) -> None:
        with state.lock(tmp_path), pytest.raises(SettingsError, match=f"process {os.getpid()}"):
            state.lock(tmp_path)
        state.lock(tmp_path).close()

    def test_a_process_is_itself_only_with_its_birth(self) -> None:
        pid = os.getpid()
        born = stack_state.birth(pid)
        assert born is not None
        assert stack_state.is_same(pid, born)
        assert not stack_state.is_same(pid, born - 100)
        assert not stack_state.is_same(None, None)

    def test_only_proven_orphans_are_ended(self, tmp_path: Path) -> None:
        ours, other = (subprocess.Popen(SLEEPER) for _ in range(2))
        try:
            rows = (
                stack_state.ProcessRow("ours", ours.pid, stack_state.birth(ours.pid), "running", 0),
                stack_state.ProcessRow("reused", other.pid, 1.0, "running", 0),
            )
            state.write(tmp_path, stack_state.StackState(2**22 + 1, 1.0, "kafka", {}, {}, rows))
            reaper = threading.Thread(target=ours.wait)
            reaper.start()
            assert state.end_orphans(tmp_path) == ["ours"]
            reaper.join()
            assert other.poll() is None
        finally:
            ours.kill()
            other.kill()
            other.wait()

    def test_the_environment_of_a_dead_stack_is_not_used(self, tmp_path: Path) -> None:
        state.write(tmp_path, stack_state.StackState(2**22 + 1, 1.0, "kafka", {"POSTGRES_URL": "x"}, {}, ()))
        assert stack_state.running_environment(tmp_path) == {}
        born = stack_state.birth(os.getpid()) or 0.0
        state.write(tmp_path, stack_state.StackState(os.getpid(), born, "kafka", {"POSTGRES_URL": "x"}, {}, ()))
        assert stack_state.running_environment(tmp_path) == {"POSTGRES_URL": "x"}

    def test_a_damaged_state_is_no_state(self, tmp_path: Path) -> None:
        (tmp_path / stack_state.FILE_NAME).write_text("{")
        assert stack_state.read(tmp_path) is None


class TestSupervisor:
    def spec(self, name: str, code: str, tmp_path: Path) -> ProcessSpec:
        mark = tmp_path / f"{name}.ready"
        program = f"import pathlib, signal, sys; pathlib.Path({str(mark)!r}).touch(); {code}"
        return ProcessSpec(name, [sys.executable, "-c", program], mark.exists, stop_timeout_s=2, start_timeout_s=120)

    def supervisor(self, tmp_path: Path) -> Supervisor:
        return Supervisor(tmp_path, dict(os.environ), lambda _rows: None)

    def test_starts_keeps_output_and_stops(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        log = log_file(tmp_path, "one")
        spec = self.spec("one", "print('hello', flush=True); signal.pause()", tmp_path)
        made.start((replace(spec, is_ready=lambda: log.exists() and log.read_text() == "hello\n"),))
        assert [row.state for row in made.rows] == ["running"]
        pid = made.rows[0].pid
        made.stop([("one",)])
        assert pid is not None and stack_state.birth(pid) is None
        assert log.read_text() == "hello\n"

    def test_a_process_that_keeps_ending_fails_the_start_with_its_last_words(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        ending = self.spec("bad", "sys.exit('no such thing')", tmp_path)
        spec = replace(ending, is_ready=lambda: False, longest_backoff_s=0.05)
        with pytest.raises(StartFailed, match="no such thing"):
            made.start((spec,))
        made.stop([("bad",)])

    def test_one_that_does_not_heed_the_signal_is_killed(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        deaf = self.spec("deaf", "signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)", tmp_path)
        code = deaf.command[-1] + "; [signal.pause() for _ in iter(int, 1)]"
        deaf = replace(
            deaf,
            command=[*deaf.command[:-1], code],
            is_ready=lambda: log_file(tmp_path, "deaf").exists() and log_file(tmp_path, "deaf").stat().st_size > 0,
            stop_timeout_s=0.3,
        )
        made.start((deaf,))
        pid = made.rows[0].pid
        made.stop([("deaf",)])
        assert pid is not None and stack_state.birth(pid) is None

    def test_a_killed_child_comes_back_and_a_signal_ends_the_run(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            made.handle_signals()
            made.start((self.spec("one", "signal.pause()", tmp_path),))
            first = made.rows[0].pid
            assert first is not None

            def kill_then_ask_to_stop() -> None:
                os.kill(first, signal.SIGKILL)
                wait_for(lambda: made.rows[0].restarts == 1 and made.rows[0].state == "running", "a restart")
                os.kill(os.getpid(), signal.SIGTERM)

            helper = threading.Thread(target=kill_then_ask_to_stop)
            helper.start()
            made.run()
            helper.join()
            made.start(())
            with pytest.raises(StopRequested):
                made.start((replace(self.spec("two", "pass", tmp_path), is_ready=lambda: False),))
        finally:
            made.stop([("two",), ("one",)])
            for number, handler in before.items():
                signal.signal(number, handler)

    def test_a_foreign_server_is_not_mistaken_for_our_own(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        with socket.socket() as foreign:
            foreign.bind(("127.0.0.1", 0))
            foreign.listen()
            port = foreign.getsockname()[1]
            spec = replace(self.spec("one", "signal.pause()", tmp_path), port=port, start_timeout_s=1)
            with pytest.raises(StartFailed):
                made.start((spec,))
        made.stop([("one",)])

    def test_its_own_server_is(self, tmp_path: Path) -> None:
        made = self.supervisor(tmp_path)
        (port,) = free_ports(1)
        listen = f"import socket; s = socket.create_server(('127.0.0.1', {port})); signal.pause()"
        made.start((replace(self.spec("one", listen, tmp_path), port=port),))
        assert [row.state for row in made.rows] == ["running"]
        made.stop([("one",)])

    def test_one_whose_port_was_taken_is_started_on_another_one(self, tmp_path: Path) -> None:
        taken, free = free_ports(2)
        listen = "import os, socket; s = socket.create_server(('127.0.0.1', int(os.environ['PORT']))); signal.pause()"
        spec = replace(self.spec("one", listen, tmp_path), port=taken)
        asked: list[str] = []

        def move(name: str) -> tuple[ProcessSpec, dict[str, str]]:
            asked.append(name)
            return replace(spec, port=free), {**os.environ, "PORT": str(free)}

        made = Supervisor(tmp_path, {**os.environ, "PORT": str(taken)}, lambda _rows: None, move)
        with socket.create_server(("127.0.0.1", taken)):
            made.start((spec,))
            assert asked == ["one"] and [row.state for row in made.rows] == ["running"]
        made.stop([("one",)])

    def test_one_that_hangs_while_another_answers_is_started_again(self, tmp_path: Path) -> None:
        """An engine, which nobody asks, may be silent for as long as it likes."""
        specs = [self.spec(name, "signal.pause()", tmp_path) for name in ("well", "hung", "engine")]
        silent: set[int | None] = set()
        made = Supervisor(tmp_path, dict(os.environ), lambda _rows: None, watch_round_s=0.01)

        def pid(name: str) -> int | None:
            return next(row.pid for row in made.rows if row.name == name)

        def watched(spec: ProcessSpec) -> ProcessSpec:
            return replace(spec, why_not_alive=lambda: "" if pid(spec.name) in silent else None)

        well, hung = map(watched, specs[:2])
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        made.handle_signals()

        def hang_then_ask_to_stop() -> None:
            silent.add(pid("hung"))
            wait_for(lambda: [row.restarts for row in made.rows] == [0, 1, 0], "a restart")
            os.kill(os.getpid(), signal.SIGTERM)

        try:
            made.start((well, hung, specs[2]))
            helper = threading.Thread(target=hang_then_ask_to_stop)
            helper.start()
            made.run()
            helper.join()
            assert [row.restarts for row in made.rows] == [0, 1, 0]
        finally:
            made.stop([("well", "hung", "engine")])
            for number, handler in before.items():
                signal.signal(number, handler)

    def test_services_stop_before_engines(self) -> None:
        stages = [tuple(self.named(name) for name in names) for names in (("p", "k"), ("a", "b"), ("c",))]
        assert stop_order(stages, ("k", "p")) == [("c",), ("a", "b"), ("k",), ("p",)]

    def named(self, name: str) -> ProcessSpec:
        return ProcessSpec(name, ["true"], lambda: True)


class TestWatch:
    def test_only_who_is_silent_for_long_while_others_answer_is_hung(self) -> None:
        a, b, c = ("a", 1), ("b", 2), ("c", 3)
        misses = MissedChecks()
        for _ in range(MISSES - 1):
            assert misses.note({a: "", b: None}) == []
        assert misses.note({a: None, b: None}) == [], "it answered in time"
        for _ in range(MISSES * 2):
            assert misses.note({a: "", b: ""}) == [], "the machine sleeps"
        for _ in range(MISSES - 1):
            assert misses.note({a: "", b: None, c: None}) == []
        assert misses.note({a: "", b: None}) == [(a, SILENT)]
        assert misses.note({b: None}) == [], "it is gone"
        assert misses.note({("a", 4): "", b: None}) == [], "another process starts at zero"

    def test_one_that_reports_itself_is_hung_at_once(self) -> None:
        a, b = ("a", 1), ("b", 2)
        assert MissedChecks().note({a: "no thread for 31 s", b: ""}) == [(a, "no thread for 31 s")]


class TestMigrations:
    def test_a_stop_ends_them_at_once(self, tmp_path: Path) -> None:
        started: list[ChildProcess] = []

        def sleeper(program: ChildProgram) -> ChildProcess:
            assert program.command[-1] == "migrate"
            started.append(child_process.start(replace(program, command=SLEEPER)))
            return started[0]

        with pytest.raises(StopRequested):
            run_migrations(tmp_path, os.environ, sleeper, lambda: True)
        assert started[0].poll() == -signal.SIGKILL

    def test_a_failure_names_the_code_and_where_to_read_on(self, tmp_path: Path) -> None:
        def failing(program: ChildProgram) -> ChildProcess:
            return child_process.start(replace(program, command=[sys.executable, "-c", "print('why'); exit(3)"]))

        with pytest.raises(StartFailed, match=r"failed \(code 3\); see .*migrate.log"):
            run_migrations(tmp_path, os.environ, failing)
        assert log_file(tmp_path, "migrate").read_text() == "why\n"


class TestSetupLink:
    LINK = "http://127.0.0.1:8000/setup?token=abc"

    def printed(self, program: str) -> str | None:
        """What `up` takes from `althing setup-link`, when that is this program."""

        def start(given: ChildProgram) -> ChildProcess:
            assert given.command[-1] == "setup-link"
            return child_process.start(replace(given, command=[sys.executable, "-c", program]))

        return up.setup_link(os.environ, start)

    def test_the_link_is_the_last_line_of_the_box_that_a_person_needs(self, tmp_path: Path) -> None:
        link = self.printed(f"import sys; print('a warning', file=sys.stderr, flush=True); print('{self.LINK}')")
        assert link == self.LINK
        given, secrets, chosen = settings(tmp_path), secret_file.load_or_create(tmp_path), ports.choose(Settings())
        info = describe(given, plan.plan(given, secrets, chosen, tmp_path, None), secrets, chosen, tmp_path)
        shown = up.box(info, None, link)
        assert f"│ {self.LINK} " in shown and "althing setup-link" in shown
        assert {len(line) for line in shown.splitlines()} == {len(shown.splitlines()[0])}
        assert "setup" not in up.box(info, None, None)

    def test_once_there_is_an_account_there_is_no_link(self) -> None:
        assert self.printed("import sys; print('set up already', file=sys.stderr); sys.exit(1)") is None


class TestLaunch:
    def test_a_child_ends_when_its_supervisor_is_killed(self, tmp_path: Path) -> None:
        mark = tmp_path / "pid"
        child = f"import os, pathlib, signal; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); signal.pause()"
        parent = (
            "import subprocess, sys\n"
            "from infra.ops.stack.tools import launched\n"
            f"subprocess.Popen(launched([sys.executable, '-c', {child!r}])).wait()\n"
        )
        process = subprocess.Popen([sys.executable, "-c", parent], start_new_session=True)
        try:
            pid = int(wait_for(lambda: mark.exists() and mark.read_text(), "the child"))
            assert stack_state.birth(pid) is not None
        finally:
            process.kill()
            process.wait()
        wait_for(lambda: stack_state.birth(pid) is None, "the child to end")

    def test_wrong_use_is_refused(self) -> None:
        with pytest.raises(SystemExit):
            launch(["1", "15", "own", "nodashes", "true"])


class TestConsole:
    def test_json_lines_are_shown_as_text(self) -> None:
        line = json.dumps({"event": "rows_taken", "level": "info", "timestamp": "t", "service": "x", "rows": 3})
        assert console.rendered(line) == ("rows_taken rows=3", False)
        assert console.rendered('{"event": "no", "level": "error"}') == ("no", True)

    def test_values_stay_on_their_line_and_apart(self) -> None:
        entry = {"event": "failed", "level": "warning", "error": 'no "x"\n\x1b[2J', "none": None, "empty": "", "s": 0.5}
        shown = 'failed error="no \\"x\\"\\n\\u001b[2J" none=null empty="" s=0.5'
        assert console.rendered(json.dumps(entry)) == (shown, True)

    def test_one_id_is_shown_once_and_a_traceback_below(self) -> None:
        entry = {"event": "failed", "request_id": "a1", "correlation_id": "a1", "exception": "Traceback\nValueError: x"}
        assert console.rendered(json.dumps(entry))[0] == "failed request_id=a1\nTraceback\nValueError: x"
        other = {**entry, "correlation_id": "b2"}
        assert console.rendered(json.dumps(other))[0].startswith("failed request_id=a1 correlation_id=b2\n")

    @pytest.mark.parametrize("line", ["plain", "{not json", '{"a": 1}', "[1]"])
    def test_other_lines_stay_as_they_are(self, line: str) -> None:
        assert console.rendered(line) == (line, False)

    def test_warnings_of_engines_are_loud(self) -> None:
        assert console.rendered("2026-11-21 UTC [1] FATAL:  no")[1]

    def test_files_are_rotated_by_size_and_nothing_is_lost_between(self, tmp_path: Path) -> None:
        file = console.RotatingFile(tmp_path / "x.log", rotate_bytes=20)
        for number in range(6):
            file.write(b"line number %d\n" % number)
        file.close()
        kept = sorted(path.name for path in tmp_path.iterdir())
        assert kept == ["x.log", "x.log.1", "x.log.2", "x.log.3"]
        assert (tmp_path / "x.log").read_bytes() == b"line number 5\n"
        assert (tmp_path / "x.log.3").read_bytes() == b"line number 2\n"


class TestPlan:
    @pytest.fixture(autouse=True)
    def with_kafka(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(plan, "why_no_kafka", lambda: None)
        monkeypatch.setattr("infra.ops.stack.engines.kafka.java", lambda: "java")

    def made(self, given: Settings, tmp_path: Path) -> plan.StackPlan:
        return plan.plan(given, secret_file.load_or_create(tmp_path), ports.choose(given), tmp_path, None)

    def names(self, made: plan.StackPlan) -> list[str]:
        return [spec.name for spec in made.engines]

    def test_everything_is_embedded_by_default(self, tmp_path: Path) -> None:
        made = self.made(settings(tmp_path), tmp_path)
        assert self.names(made) == ["postgres", "kafka", "clickhouse"]
        assert [spec.name for stage in made.services for spec in stage] == list(plan.SERVICES)
        assert {"KAFKA_BOOTSTRAP_SERVERS", "POSTGRES_URL", "CLICKHOUSE_URL"} <= set(made.environment)

    def test_a_stack_without_ingest_sends_no_canary_unless_ingest_is_elsewhere(self, tmp_path: Path) -> None:
        def canary_with(only: list[str] | None, tracking_url: str | None = None) -> str | None:
            given = replace(settings(tmp_path), tracking_url=tracking_url)
            laid = plan.plan(given, secret_file.load_or_create(tmp_path), ports.choose(given), tmp_path, only)
            return laid.environment.get("ALTHING_CANARY")

        assert canary_with(["command"]) == "0"
        assert canary_with(None) is canary_with(["command", "ingest"]) is None
        assert canary_with(["command"], "https://t.example.com") is None

    def test_kafka_forces_each_record_to_the_disk(self, tmp_path: Path) -> None:
        """What it means when the power fails: `crash/infra/test_power_loss`."""
        [kafka] = [spec for spec in self.made(settings(tmp_path), tmp_path).engines if spec.name == "kafka"]
        assert kafka.prepare is not None
        kafka.prepare()
        assert "log.flush.interval.messages=1\n" in (tmp_path / "kafka.properties").read_text()

    def test_the_escrow_sandbox_is_a_process_when_it_is_configured(self, tmp_path: Path) -> None:
        given = replace(settings(tmp_path), escrow_sandbox=True)
        made = self.made(given, tmp_path)
        assert [spec.name for spec in made.services[0]] == ["escrow", "command", "query", "ingest"]
        assert made.environment["ALTHING_ESCROW_URL"].startswith("http://127.0.0.1:")
        told = {name: made.environment[name] for name in ("ALTHING_ESCROW_KEY", "ALTHING_ESCROW_WEBHOOK_SECRET")}
        assert load(told | {"ALTHING_ESCROW_URL": "http://127.0.0.1:1"}, None).escrow_webhook_secrets
        again = self.made(given, tmp_path).environment
        assert told == {name: again[name] for name in told}, "what was begun before a restart goes on"
        assert "ALTHING_ESCROW_URL" not in self.made(settings(tmp_path), tmp_path).environment

    @pytest.mark.parametrize(
        "others",
        [
            {"escrow_url": "https://escrow.example"},
            {"public_url": "https://althing.example"},
            {"public_url": "http://127.0.0.1.example"},
            {"host": "::"},
            {"host": "192.0.2.1"},
        ],
    )
    def test_the_escrow_sandbox_is_refused_where_money_could_be_meant(
        self, tmp_path: Path, others: dict[str, str]
    ) -> None:
        given = replace(settings(tmp_path), escrow_sandbox=True, **others)  # type: ignore[arg-type]  # named arguments of several types
        with pytest.raises(SettingsError, match="ALTHING_ESCROW_SANDBOX"):
            escrow.check(given)

    def test_the_demonstration_has_deals_to_try_out_where_no_money_could_be_meant(self) -> None:
        admin = {"ALTHING_ADMIN_EMAIL": "a@example.com", "ALTHING_ADMIN_PASSWORD": "correct horse battery staple"}
        provider = {
            "ALTHING_ESCROW_URL": "https://escrow.example",
            "ALTHING_ESCROW_KEY": "key",
            "ALTHING_ESCROW_WEBHOOK_SECRET": "a secret of sixteen bytes".replace(" ", "-"),
        }
        assert stage._environment(admin)["ALTHING_ESCROW_SANDBOX"] == "1"
        for others in ({"ALTHING_PUBLIC_URL": "https://althing.example"}, {"ALTHING_HOST": "192.0.2.1"}, provider):
            assert "ALTHING_ESCROW_SANDBOX" not in stage._environment(admin | others)

    def test_a_demonstration_whose_port_is_taken_says_so_in_one_sentence(self, tmp_path: Path) -> None:
        """Another installation answers there: it is not asked anything, and nothing is sent to it."""
        tracking, *_ = free_ports(1)
        with socket.create_server(("127.0.0.1", 0)) as other:
            other.settimeout(0.1)
            port = str(other.getsockname()[1])
            named = {"ALTHING_PORT": port, "ALTHING_TRACKING_PORT": str(tracking), "PYTHONPATH": str(ROOT)}
            done = subprocess.run(
                [sys.executable, "-m", "infra.ops.cli", "demo", "--start"],
                cwd=tmp_path,
                env={**os.environ, **named},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.count("\n") == 1 and "ALTHING_PORT" in done.stderr and port in done.stderr
            with pytest.raises(TimeoutError):
                other.accept()

    def test_the_public_services_have_their_sockets_held_open(self, tmp_path: Path) -> None:
        given = settings(tmp_path)
        made = self.made(given, tmp_path)
        everything = [spec for stage in (made.engines, *made.services) for spec in stage]
        held = {spec.name: spec.kept_open for spec in everything if spec.kept_open}
        assert held == {"ingest": (given.host, given.tracking_port), "web": (given.host, given.port)}

    def test_how_a_kafka_of_ones_own_is_spoken_to_reaches_every_process(self, tmp_path: Path) -> None:
        given = replace(
            settings(tmp_path),
            kafka_bootstrap_servers="broker:9092",
            kafka_security_protocol="SASL_SSL",
            kafka_sasl_username="me",
            kafka_sasl_password="secret",
            kafka_ssl_cafile=Path("ca.pem"),
        )
        found = {name: text for name, text in self.made(given, tmp_path).environment.items() if "KAFKA_S" in name}
        assert found == {
            "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
            "KAFKA_SASL_USERNAME": "me",
            "KAFKA_SASL_PASSWORD": "secret",
            "KAFKA_SSL_CAFILE": str(Path("ca.pem").resolve()),
        }

    def test_engines_that_are_named_are_not_started(self, tmp_path: Path) -> None:
        given = replace(
            settings(tmp_path),
            postgres_url="postgresql://u:p@db/althing",
            kafka_bootstrap_servers="broker:9092",
            clickhouse_url="http://u:p@house:8123/althing",
        )
        made = self.made(given, tmp_path)
        assert made.engines == ()
        assert made.environment["POSTGRES_URL"] == given.postgres_url
        assert made.environment["KAFKA_BOOTSTRAP_SERVERS"] == "broker:9092"

    def test_without_java_the_log_is_in_postgres_and_it_says_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(plan, "why_no_kafka", lambda: "Java 17 or newer is not installed")
        made = self.made(settings(tmp_path), tmp_path)
        assert self.names(made) == ["postgres", "clickhouse"]
        assert made.log == "postgres" and made.log_note is not None and "Java 17" in made.log_note
        assert "KAFKA_BOOTSTRAP_SERVERS" not in made.environment

    def test_a_history_in_kafka_is_never_left_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made(settings(tmp_path), tmp_path)
        monkeypatch.setattr(plan, "why_no_kafka", lambda: "Java 17 or newer is not installed")
        with pytest.raises(SettingsError, match=r"history .* is in the kafka log"):
            self.made(settings(tmp_path), tmp_path)

    def test_kafka_demanded_without_java_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(plan, "why_no_kafka", lambda: "Java 17 or newer is not installed")
        with pytest.raises(SettingsError, match="ALTHING_LOG is kafka, but Java 17"):
            self.made(replace(settings(tmp_path), log="kafka"), tmp_path)

    def test_only_the_command_service_gets_the_first_admin(self, tmp_path: Path) -> None:
        given = replace(settings(tmp_path), admin_email="a@example.com", admin_password="correct horse")
        made = self.made(given, tmp_path)
        holders = [s.name for stage in made.services for s in stage if "correct horse" in s.environment.values()]
        assert holders == ["command"]
        assert plan.base_environment(made)["ALTHING_ADMIN_PASSWORD"] == ""

    def test_each_process_gets_only_the_secrets_that_it_needs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = {"SMTP_URL": "smtp://me:hush@mail", "OPENAI_API_KEY": "sk-hush", "ALTHING_MASTER_KEY": "5a" * 32}
        for name, value in {**given, "AWS_SECRET_ACCESS_KEY": "hush of others"}.items():
            monkeypatch.setenv(name, value)
        made = self.made(settings(tmp_path), tmp_path)
        base = plan.base_environment(made)
        specs = [spec for stage in (made.engines, *made.services) for spec in stage]
        secrets = {
            spec.name: {name for name, value in spec.environment_of(base).items() if value and name in SECRET_NAMES}
            for spec in specs
        }
        assert secrets["kafka"] == secrets["postgres"] == set()
        assert secrets["clickhouse"] == {"ALTHING_MASTER_KEY", "POSTGRES_URL"}
        for name in ("ingest", "projectors", "web"):
            assert not secrets[name] & {"SMTP_URL", "OPENAI_API_KEY"} and "ALTHING_MASTER_KEY" in secrets[name]
            assert plan.spec_of(made, name).environment_of(base)["SMTP_URL"] == "", "also where .env has it"
        for name in ("command", "query"):
            assert secrets[name] >= set(given)
        for spec in made.engines:
            assert "hush of others" not in spec.environment_of(base).values()

    def test_what_the_plan_sets_is_not_read_from_a_file_as_well(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("POSTGRES_URL_FILE", "/run/secrets/postgres_url")
        monkeypatch.setenv("SMTP_URL_FILE", "/run/secrets/smtp_url")
        environment = plan.base_environment(self.made(settings(tmp_path), tmp_path))
        assert environment["POSTGRES_URL_FILE"] == environment["ALTHING_ADMIN_PASSWORD_FILE"] == ""
        assert environment["SMTP_URL_FILE"] == "/run/secrets/smtp_url"
