"""Each check with a machine that is as it should be, and with one that is not."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from infra.kernel.config import paths
from infra.kernel.config.loading import load
from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.kernel.observability.stack_state import ProcessRow, StackState
from infra.ops.doctor import clocks, configuration, disk, permissions, ports, running_stack, versions
from infra.ops.doctor.engines import clickhouse, kafka, postgres
from infra.ops.doctor.finding import Finding, Severity
from infra.ops.doctor.subject import Subject, subject_of
from infra.ops.migrations.migrate import Migration
from infra.ops.stack import tools
from projectors.engine.status import Lag
from schemas import topics
from tests.support.ports import free_port

OK, WARNING, ERROR = Severity.OK, Severity.WARNING, Severity.ERROR
NOBODY = 65534


def subject(settings: Settings | None = None, stack: StackState | None = None) -> Subject:
    given = settings or Settings()
    return Subject(given, given, given.data_dir.resolve(), stack)


def problems(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is not OK]


def severities(findings: Iterable[Finding]) -> list[Severity]:
    return [finding.severity for finding in findings]


@pytest.mark.parametrize("severity", list(Severity))
def test_a_problem_has_a_remedy_and_only_a_problem(severity: Severity) -> None:
    remedy = "Do something." if severity is OK else ""
    with pytest.raises(ValueError, match="remedy"):
        Finding("check", severity, "This was found.", remedy)


class TestSettings:
    def test_a_misspelt_name_is_an_error_with_the_right_one(self) -> None:
        [found] = problems(configuration.check(subject_of({"ALTHING_TRACKNG_PORT": "1"}, None)))
        assert found.severity is ERROR and "ALTHING_TRACKING_PORT" in found.remedy

    def test_all_problems_are_found(self, tmp_path: Path) -> None:
        environ = {
            "ALTHING_PORT": "eight",
            "ALTHING_KAFKA_FLUSH_EACH": "0",
            "CLICKHOUSE_CLUSTER": "main",
            "ALTHING_DATA_DIR": str(tmp_path),
            "ALTHING_BACKUP_DIR": str(tmp_path / "backups"),
            "ALTHING_CITY_DATABASE": str(tmp_path / "none.mmdb"),
            "ALTHING_PUBLIC_URL": "http://app.example.com",
        }
        assert len(problems(configuration.check(subject_of(environ, None)))) == 6

    def test_services_without_a_stack_need_the_same_master_key(self) -> None:
        environ = {
            "POSTGRES_URL": "postgresql://me:pw@db/althing",
            "CLICKHOUSE_URL": "http://me:pw@ch/althing",
            "KAFKA_BOOTSTRAP_SERVERS": "kafka:9092",
        }
        [found] = problems(configuration.check(subject_of(environ, None)))
        assert found.severity is ERROR and "ALTHING_MASTER_KEY" in found.remedy
        assert not problems(configuration.check(subject_of({**environ, "ALTHING_MASTER_KEY": "ab" * 32}, None)))


class TestVersions:
    def test_an_old_python_is_an_error(self) -> None:
        assert versions.of_python((3, 10, 1)).severity is ERROR
        assert versions.of_python((3, 11, 0)).severity is OK

    def test_without_java_the_log_is_slower_unless_kafka_is_demanded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tools, "why_no_kafka", lambda: "Java 17 or newer is not installed")
        monkeypatch.setattr(tools, "java", lambda: None)
        assert severities(versions.of_kafka(Settings())) == [WARNING]
        assert severities(versions.of_kafka(Settings(log="kafka"))) == [ERROR]
        assert severities(versions.of_kafka(Settings(kafka_bootstrap_servers="kafka:9092"))) == []

    def test_packages_are_compared_with_the_lock(self) -> None:
        lock = "a==1.0 \\\n    --hash=sha256:00\nb[extra]==2.0\nwin==3.0 ; sys_platform == 'win32'\n# c==1\ntzdata==1\n"
        there = {"a": "1.0", "b": "2.0", "tzdata": "1"}
        assert not problems(versions.of_packages(lock, there.get))
        [found] = problems(versions.of_packages(lock, {**there, "b": "2.1"}.get))
        assert found.severity is WARNING and "b 2.1 (lock: 2.0)" in found.found
        assert severities(problems(versions.of_packages(lock, {"a": "1.0", "b": "2.0"}.get))) == [WARNING, ERROR]

    def test_the_lock_of_this_checkout_is_read_whole(self) -> None:
        names = versions.pinned(paths.REQUIREMENTS_LOCK.read_text())
        assert len(names) > 50 and {"chdb", "psycopg", "rich", "tzdata"} <= set(names)


class TestPorts:
    def test_a_port_that_another_program_holds_is_an_error_that_names_the_program(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            wanted = next(iter(ports.wanted_ports(subject(Settings(port=port)))))
            found = ports.of_port(subject(), wanted, ports.holder(wanted.host, port), frozenset())
        assert found.severity is ERROR and "ALTHING_PORT" in found.remedy and f"process {os.getpid()} " in found.found

    def test_an_internal_port_that_is_not_set_may_be_taken(self) -> None:
        wanted = ports.Wanted("query", "127.0.0.1", 8011, "ALTHING_QUERY_PORT", is_fixed=False, is_service=True)
        assert ports.of_port(subject(), wanted, ports.Holder(1, "other"), frozenset()).severity is OK

    def test_the_own_stack_may_hold_it_and_a_hidden_program_may_not(self) -> None:
        wanted = ports.Wanted("web", "127.0.0.1", 8000, "ALTHING_PORT", is_fixed=True, is_service=True)
        assert ports.of_port(subject(), wanted, ports.Holder(7, "python"), frozenset({7})).severity is OK
        assert ports.of_port(subject(), wanted, ports.Holder(None, ""), frozenset({7})).severity is ERROR

    def test_a_service_without_a_stack_is_known_by_its_answer(self) -> None:
        external = subject(
            Settings(postgres_url="postgresql://db/x", clickhouse_url="http://ch", kafka_bootstrap_servers="kafka:9092")
        )
        wanted = ports.Wanted("web", "127.0.0.1", 8000, "ALTHING_PORT", is_fixed=True, is_service=True)
        holder = ports.Holder(1, "systemd")
        for does_answer, severity in ((True, OK), (False, ERROR)):
            found = ports.of_port(external, wanted, holder, frozenset(), lambda *_, _is=does_answer, **__: _is)
            assert found.severity is severity

    def test_a_free_port_is_free(self) -> None:
        assert ports.holder("127.0.0.1", free_port()) is None

    def test_ports_that_are_open_to_the_world_need_a_proxy(self) -> None:
        assert ports.of_openness(Settings()).severity is OK
        assert ports.of_openness(Settings(host="::")).severity is WARNING
        behind = load({"ALTHING_HOST": "::", "TRUSTED_PROXIES": "10.0.0.1"}, None)
        assert ports.of_openness(behind).severity is OK


class TestDisk:
    def test_little_space_is_a_finding(self, tmp_path: Path) -> None:
        sizes = (100 * disk.GIB, 5 * disk.GIB, disk.GIB // 2)
        assert severities(disk.of_space(tmp_path, size) for size in sizes) == [OK, WARNING, ERROR]

    def test_kinds_of_file_systems(self, tmp_path: Path) -> None:
        found = [disk.of_file_system(tmp_path, kind) for kind in ("ext4", "nfs4", "cifs", "tmpfs", "")]
        assert severities(found) == [OK, WARNING, WARNING, WARNING, OK]

    def test_a_slow_fsync_is_a_warning_that_says_what_it_means(self, tmp_path: Path) -> None:
        found = disk.of_syncs(tmp_path, lambda _: [0.001] * 50 + [0.2] * 10)
        assert found.severity is WARNING and "200.0 ms" in found.found and "acknowledged" in found.found
        assert disk.of_syncs(tmp_path, lambda _: [0.001] * 60).severity is OK

    def test_measuring_leaves_no_file(self, tmp_path: Path) -> None:
        assert len(disk.sync_times(tmp_path)) > 0
        assert list(tmp_path.iterdir()) == []

    def test_a_directory_that_does_not_exist_is_not_created(self, tmp_path: Path) -> None:
        given = subject(Settings(data_dir=tmp_path / "a" / "b"))
        assert ERROR not in severities(disk.check(given))
        assert list(tmp_path.iterdir()) == []

    def test_the_limit_of_open_files(self) -> None:
        found = [disk.of_open_files(limit) for limit in (256, 1024, 65_536, -1)]
        assert severities(found) == [ERROR, WARNING, OK, OK]
        assert "LimitNOFILE" in found[0].remedy

    def test_the_limit_is_that_of_the_process(self, tmp_path: Path) -> None:
        """A child with 300 files, as a shell with `ulimit -n` starts it."""
        program = (
            "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300));"
            "from infra.ops.doctor import disk; from infra.ops.doctor.subject import subject_of;"
            "print(*[f.found for f in disk.check(subject_of({'ALTHING_DATA_DIR': sys.argv[1]}, None))], sep='\\n')"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert "may open 300 files" in done.stdout


class TestPermissions:
    def test_a_directory_of_this_user_alone(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o700)
        assert severities(permissions.of_data_directory(tmp_path)) == [OK]

    def test_a_directory_that_cannot_be_written(self, tmp_path: Path) -> None:
        [found] = permissions.of_data_directory(tmp_path, can_write=lambda _: False)
        assert found.severity is ERROR and "ALTHING_DATA_DIR" in found.remedy

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
    @pytest.mark.parametrize("mode", [0o755, 0o700])
    def test_a_directory_of_another_user_as_an_ordinary_one_sees_it(self, mode: int) -> None:
        with TemporaryDirectory() as folder:
            Path(folder).chmod(mode)
            child = os.fork()
            if child == 0:
                code = 2
                try:
                    os.setuid(NOBODY)
                    found = permissions.of_data_directory(Path(folder) / "data")
                    code = 0 if severities(found) == [ERROR] else 1
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def test_a_file_in_place_of_the_directory(self, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.touch()
        assert severities(permissions.of_data_directory(file / "data")) == [ERROR]

    def test_a_directory_that_others_can_read_or_own(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        [found] = permissions.of_data_directory(tmp_path)
        assert found.severity is WARNING and "chmod 700" in found.remedy
        tmp_path.chmod(0o700)
        assert severities(permissions.of_data_directory(tmp_path, user=os.geteuid() + 1)) == [WARNING]

    def test_secrets_are_for_their_owner_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "secrets.json"
        assert list(permissions.of_secrets(path)) == []
        path.touch(0o600)
        assert severities(permissions.of_secrets(path)) == [OK]
        path.chmod(path.stat().st_mode | stat.S_IRGRP)
        [found] = permissions.of_secrets(path)
        assert found.severity is ERROR and "chmod 600" in found.remedy

    def test_root_is_for_trials(self) -> None:
        assert permissions.of_user(0, is_production=True).severity is WARNING
        assert permissions.of_user(0, is_production=False).severity is OK
        assert permissions.of_user(1000, is_production=True).severity is OK


class TestClocks:
    @pytest.mark.parametrize(
        ("ahead_s", "severity"), [(0.0, OK), (0.4, OK), (-5.0, WARNING), (5.0, WARNING), (-3600.0, ERROR)]
    )
    def test_a_server_whose_clock_is_wrong(self, ahead_s: float, severity: Severity) -> None:
        times = iter([100.0, 100.2])
        found = clocks.offset(clocks.Clock(lambda: 100.1 + ahead_s), now=lambda: next(times))
        finding = clocks.of_offset("Postgres", found)
        assert finding.severity is severity
        if ahead_s:
            assert found.seconds == pytest.approx(ahead_s)

    def test_a_slow_answer_is_no_wrong_clock(self) -> None:
        times = iter([100.0, 104.0])
        found = clocks.offset(clocks.Clock(lambda: 100.0), now=lambda: next(times))
        assert clocks.of_offset("ClickHouse", found).severity is OK

    def test_the_direction_is_named(self) -> None:
        assert "5.0 s behind" in clocks.of_offset("x", clocks.Offset(-5, 0)).found
        assert "5.0 s ahead of" in clocks.of_offset("x", clocks.Offset(5, 0)).found

    def test_the_kernels_state(self) -> None:
        assert severities(map(clocks.of_synchronisation, (0, 5, None))) == [OK, WARNING, OK]
        assert "cannot be known" in clocks.of_synchronisation(None).found
        if sys.platform == "linux":
            assert clocks.kernel_state() in (None, *range(6))

    def test_an_engine_that_does_not_answer_is_the_finding_of_another_check(self) -> None:
        given = Settings(postgres_url=f"postgresql://127.0.0.1:{free_port()}/x", clickhouse_url="http://127.0.0.1:1")
        assert len(list(clocks.check(subject(given)))) == 2


class TestPostgres:
    def test_one_that_cannot_be_reached(self) -> None:
        url = f"postgresql://me:hush-hush@127.0.0.1:{free_port()}/x"
        [found] = postgres.check(subject(Settings(postgres_url=url)))
        assert found.severity is ERROR and "POSTGRES_URL" in found.remedy and "hush" not in found.found

    def test_an_old_version_is_a_finding(self) -> None:
        assert postgres.of_version(140_011).severity is ERROR
        assert postgres.of_version(150_000).severity is OK

    def test_one_that_does_not_keep_what_it_confirms(self) -> None:
        good = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
        assert severities(postgres.judged_durability(good)) == [OK]
        for name in good:
            [found] = postgres.judged_durability({**good, name: "off"})
            assert found.severity is ERROR and name in found.found

    def test_pending_and_unknown_migrations_are_findings(self) -> None:
        files = [Migration("0001_a.sql", "a"), Migration("0002_b.sql", "b")]
        ran = {file.name: file.checksum for file in files}
        assert severities(postgres.of_migrations(ran, files)) == [OK]
        [pending] = postgres.of_migrations(dict([*ran.items()][:1]), files)
        assert pending.severity is WARNING and "althing migrate" in pending.remedy
        assert severities(postgres.of_migrations(None, files)) == [WARNING]
        assert severities(postgres.of_migrations({**ran, "0003_c.sql": "?"}, files)) == [ERROR]
        assert severities(postgres.of_migrations({**ran, "0001_a.sql": "?"}, files)) == [ERROR]


class TestClickHouse:
    def test_one_that_cannot_be_reached(self) -> None:
        given = Settings(clickhouse_url=f"http://me:hush-hush@127.0.0.1:{free_port()}/althing")
        [found] = clickhouse.check(subject(given))
        assert found.severity is ERROR and "CLICKHOUSE_URL" in found.remedy and "hush" not in found.found

    def test_an_old_version_is_a_finding(self) -> None:
        assert clickhouse.of_version("23.8.1.1").severity is WARNING
        assert clickhouse.of_version("26.9.2.1").severity is OK


class TestKafka:
    def test_one_that_cannot_be_reached(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kafka, "CONNECT_TIMEOUT_S", 0.3)
        [found] = kafka.check(subject(Settings(kafka_bootstrap_servers=f"127.0.0.1:{free_port()}")))
        assert found.severity is ERROR and "KAFKA_BOOTSTRAP_SERVERS" in found.remedy

    def test_a_broker_that_is_away(self) -> None:
        assert kafka.of_brokers("Kafka", 2, 3).severity is WARNING
        assert kafka.of_brokers("Kafka", 3, 3).severity is OK

    @pytest.mark.parametrize(
        ("brokers", "replicas", "min_insync", "severity"),
        [
            (3, 3, 2, OK),
            (1, 1, 1, WARNING),
            (3, 1, 1, WARNING),
            (3, 2, 2, WARNING),
            (3, 3, 1, WARNING),
            (3, 3, 3, WARNING),
            (2, 3, 2, ERROR),
        ],
    )
    def test_too_few_replicas_are_a_finding(
        self, brokers: int, replicas: int, min_insync: int, severity: Severity
    ) -> None:
        settings = {"default.replication.factor": str(replicas), "min.insync.replicas": str(min_insync)}
        assert severities(kafka.of_replication(brokers, settings)) == [severity]

    def test_a_topic_that_is_not_as_declared_is_a_finding(self) -> None:
        good = [kafka.TopicState(topic.name, topic.partitions, 3, 2, topic.retention_ms) for topic in topics.ALL]
        counts = {topic.name: topic.partitions for topic in topics.ALL}
        assert not problems(kafka.of_topics(3, good, counts, is_embedded=False))
        [missing] = problems(kafka.of_topics(3, good[1:], counts, is_embedded=False))
        assert missing.severity is WARNING and good[0].name in missing.found
        unknown = kafka.TopicState(good[0].name, good[0].partitions, 3, None, None)
        assert severities(problems(kafka.of_topics(3, [unknown, *good[1:]], counts, is_embedded=False))) == [WARNING]
        wider = kafka.TopicState(good[0].name, topics.ALL[0].partitions + 1, 3, 2, -1)
        assert severities(problems(kafka.of_topics(3, [wider, *good[1:]], counts, is_embedded=False))) == [ERROR]
        grown = {name: number for name, number in counts.items() if name != good[0].name}
        assert not problems(kafka.of_topics(3, [wider, *good[1:]], grown, is_embedded=False)), "nobody knows better"
        bad = kafka.TopicState(good[0].name, 1, 3, 2, 86_400_000)
        assert severities(problems(kafka.of_topics(3, [bad, *good[1:]], counts, is_embedded=False))) == [ERROR, ERROR]


class TestRunningStack:
    ROW = ProcessRow("query", 7, 1.0, "running", 0)

    def of(self, row: ProcessRow, *, is_alive: bool = True, is_ready: bool = True) -> Finding:
        return running_stack.of_process(
            row, ("127.0.0.1", 8011), "/data", lambda *_: is_alive, lambda *_, **__: is_ready
        )

    def test_a_process_alive_and_ready(self) -> None:
        assert self.of(self.ROW).severity is OK

    def test_a_process_that_ended_is_not_ready_or_restarts(self) -> None:
        dead = self.of(self.ROW, is_alive=False)
        assert dead.severity is ERROR and "/data/logs/query.log" in dead.remedy
        assert self.of(self.ROW, is_ready=False).severity is ERROR
        assert self.of(ProcessRow("query", 7, 1.0, "running", 9)).severity is WARNING

    def test_dead_letters_come_with_the_command_that_lists_them(self) -> None:
        found = running_stack.of_dead_letters(3)
        assert found.severity is WARNING and "althing dlq list" in found.remedy
        assert running_stack.of_dead_letters(0).severity is OK

    def test_a_late_projection_is_a_warning(self) -> None:
        def lag(events: int | None, seconds: float) -> Lag:
            return Lag("links", 1, "domain", 0, 0, None, events, seconds, 0.0, "", None, None, 0, 0, datetime.now(UTC))

        assert running_stack.of_lags([lag(3, 0.1), lag(None, 0.0)]).severity is OK
        late = running_stack.of_lags([lag(3, 0.1), lag(5_000_000, 900.0)])
        assert late.severity is WARNING and "links" in late.found


def test_without_a_stack_every_check_ends_and_nothing_is_created(tmp_path: Path) -> None:
    given = subject_of({"ALTHING_DATA_DIR": str(tmp_path / "data")}, None)
    for check in (clocks.check, postgres.check, clickhouse.check, kafka.check, running_stack.check, permissions.check):
        assert ERROR not in severities(check(given))
    assert list(tmp_path.iterdir()) == []
