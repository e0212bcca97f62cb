"""The systemd units: every service has one, they name commands and settings that exist, and they are locked down.

Where systemd is installed, its own `systemd-analyze` reads them, too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

import pytest

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.kernel.http import server
from infra.ops import cli
from infra.ops.stack.spec import ProcessSpec

FOLDER: Final = ROOT / "infra" / "deploy" / "systemd"
PROGRAM: Final = "/opt/althing/bin/althing"
ALL_SERVICES: Final = FOLDER / "althing-.service.d" / "10-service.conf"
UNITS: Final = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".service", ".socket", ".target"))
SERVICES: Final = [name for name in UNITS if name.endswith(".service")]
NEW_KEYS: Final = ("RestartSteps", "RestartMaxDelaySec")
"""Of systemd 254; an older one ignores them with a warning."""

DIRECTIVES: Final = {
    "Unit": "Description Wants Requires After PartOf Conflicts StartLimitIntervalSec",
    "Install": "WantedBy",
    "Socket": "ListenStream Backlog NoDelay",
    "Service": """Type RemainAfterExit ExecStart User Group StateDirectory StateDirectoryMode WorkingDirectory UMask
        Environment EnvironmentFile LoadCredential KillMode TimeoutStartSec TimeoutStopSec WatchdogSec Restart
        RestartSec RestartSteps RestartMaxDelaySec LimitNOFILE NoNewPrivileges CapabilityBoundingSet AmbientCapabilities
        ProtectSystem ProtectHome ProtectProc ProtectClock ProtectHostname ProtectControlGroups ProtectKernelLogs
        ProtectKernelModules ProtectKernelTunables PrivateTmp PrivateDevices RemoveIPC RestrictAddressFamilies
        RestrictNamespaces RestrictRealtime RestrictSUIDSGID LockPersonality MemoryDenyWriteExecute
        SystemCallArchitectures SystemCallFilter SystemCallErrorNumber""",
}
"""The names of systemd.unit(5), systemd.socket(5), systemd.service(5) and systemd.exec(5) that are in use."""

HARDENED: Final = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelTunables": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "RestrictNamespaces": "yes",
    "RestrictSUIDSGID": "yes",
    "LockPersonality": "yes",
    "SystemCallArchitectures": "native",
    "StateDirectory": "althing",
    "User": "althing",
    "UMask": "0077",
}

Unit = Mapping[str, Mapping[str, Sequence[str]]]
"""Section → directive → its values."""


def parse(*paths: Path) -> Unit:
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for path in paths:
        for line in path.read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                name, equals, value = line.partition("=")
                assert equals, f"{path.name}: {line!r}"
                found[section][name].append(value)
    return found


def unit(name: str) -> Unit:
    """With what systemd adds to it: the drop-in of the names that begin with `althing-`."""
    is_one_service = name.startswith("althing-") and name.endswith(".service")
    return parse(FOLDER / name, ALL_SERVICES) if is_one_service else parse(FOLDER / name)


def only(name: str, directive: str) -> str:
    [value] = unit(name)["Service"][directive]
    return value


@pytest.mark.parametrize("name", UNITS)
def test_only_known_directives(name: str) -> None:
    for section, rows in unit(name).items():
        assert set(rows) <= set(DIRECTIVES[section].split())


def test_every_service_has_a_unit_and_the_target_starts_it() -> None:
    wanted = " ".join(unit("althing.target")["Unit"]["Wants"]).split()
    for name in cli.SERVICES:
        assert only(f"althing-{name}.service", "ExecStart") == f"{PROGRAM} serve {name}"
        assert f"althing-{name}.service" in wanted
    assert len(SERVICES) == len(cli.SERVICES) + 2


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_starts_a_command_that_exists(name: str) -> None:
    program, command, *rest = only(name, "ExecStart").split()
    assert program == PROGRAM and command in cli.COMMANDS
    assert command != "serve" or rest[0] in cli.SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_is_locked_down(name: str) -> None:
    service = unit(name)["Service"]
    assert {directive: service[directive][-1] for directive in HARDENED} == HARDENED
    assert service["SystemCallFilter"][0] == "@system-service"
    # Java and ClickHouse compile at run time; nothing else does.
    assert ("MemoryDenyWriteExecute" in service) == (name != "althing.service")


@pytest.mark.parametrize("name", SERVICES)
def test_secrets_are_credentials_and_all_other_names_are_settings(name: str) -> None:
    rows = {row.metadata["name"]: row.metadata["secret"] for row in fields(Settings)}
    service = unit(name)["Service"]
    assert service["LoadCredential"] == [name for name, is_secret in rows.items() if is_secret]
    variables = re.findall(r"(\w+)=", " ".join(service["Environment"]))
    assert not [name for name in variables if name.startswith("ALTHING_") and (name not in rows or rows[name])]


@pytest.mark.parametrize("name", [f"althing-{name}.service" for name in cli.SERVICES])
def test_a_service_reports_to_systemd_and_has_time_to_drain(name: str) -> None:
    assert only(name, "Type") == "notify" and only(name, "Restart") == "always"
    drain_s = max(server.DRAIN_S, ProcessSpec(name, (), lambda: True).stop_timeout_s)
    assert float(only(name, "TimeoutStopSec")) > drain_s
    assert only(name, "LimitNOFILE") == "65536"


@pytest.mark.parametrize(
    ("name", "port"), [("ingest", Settings().tracking_port), ("web", Settings().port)], ids=["ingest", "web"]
)
def test_public_services_are_activated_by_their_socket(name: str, port: int) -> None:
    assert unit(f"althing-{name}.socket")["Socket"]["ListenStream"] == [f"{Settings().host}:{port}"]
    assert unit(f"althing-{name}.service")["Unit"]["Requires"] == [f"althing-{name}.socket"]


def test_a_failed_migration_keeps_no_service_from_starting() -> None:
    """Ingest must accept events while Postgres is away: services only come after the migrations."""
    for name in cli.SERVICES:
        section = unit(f"althing-{name}.service")["Unit"]
        assert "althing-migrate.service" in " ".join(section["After"])
        assert "althing-migrate.service" not in " ".join(section.get("Requires", ()))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units with a program that exists."""
    folder = tmp_path_factory.mktemp("systemd")
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    program = folder / "althing"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for path in folder.glob("*.service"):
        path.write_text(path.read_text().replace(PROGRAM, str(program)))
    return folder


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    return subprocess.run(
        [program, *arguments],
        env={"SYSTEMD_UNIT_PATH": f"{folder}:", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_systemd_accepts_every_unit(installed: Path) -> None:
    done = analyze(installed, "verify", "--man=no", *[str(installed / name) for name in UNITS])
    complaints = [line for line in done.stderr.splitlines() if not any(f"'{key}'" in line for key in NEW_KEYS)]
    assert (done.returncode, complaints) == (0, [])


@pytest.mark.parametrize(("name", "exposure"), [("althing-ingest", 20), ("althing-migrate", 20), ("althing", 25)])
def test_systemd_finds_little_exposure(installed: Path, name: str, exposure: int) -> None:
    """Tenths on its scale from 0 to 10; 96 is a service without any of it."""
    unit_file = str(installed / f"{name}.service")
    done = analyze(installed, "security", "--offline=true", f"--threshold={exposure}", "--no-pager", unit_file)
    assert done.returncode == 0, done.stdout[-300:]
