"""The compose file: valid, complete, hardened; its settings exist, and its engines accept their configuration."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from importlib import resources
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.kernel.log import open_log
from infra.kernel.log.kafka_probe import answers
from infra.ops.cli import SERVICES
from infra.ops.stack.tools import postgres_bin
from ingest.endpoints.custom_domains import CHECK
from tests.contract.deploy.documentation import example
from tests.contract.deploy.settings_names import loaded, unknown
from tests.support.engines import Engine, free_port, kafka_jars

FOLDER: Final = ROOT / "infra/deploy/compose"
ENGINES: Final = ("kafka", "postgres", "clickhouse", "keeper")
OURS: Final = (*SERVICES, "migrate")
EXAMPLE: Final = dict(
    line.removeprefix("# ").split("=", 1)
    for line in (FOLDER / ".env.example").read_text().splitlines()
    if re.match(r"(# )?[A-Z_]+=", line)
)
REQUIRED: Final = [
    line.split("=", 1)[0] for line in (FOLDER / ".env.example").read_text().splitlines() if re.match(r"[A-Z_]+=", line)
]


@cache
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_interpolated((FOLDER / "compose.yaml").read_text()))
    return found


def _interpolated(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        name, operator, default = match.group(1), match.group(2), match.group(3)
        return EXAMPLE[name] if operator == ":?" else default

    return re.sub(r"\$\{([A-Z_]+)(:[?-])([^}]*)\}", value, text)


SERVICES_OF_COMPOSE: Final = sorted(compose()["services"])


def service(name: str) -> dict[str, Any]:
    found: dict[str, Any] = compose()["services"][name]
    return found


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `create-secrets.sh` fills."""
    folder = tmp_path_factory.mktemp("deployment") / "secrets"
    subprocess.run(["sh", str(FOLDER / "create-secrets.sh"), str(folder)], check=True)
    return folder


def test_it_follows_the_compose_specification() -> None:
    schema = json.loads((resources.files("check_jsonschema.builtin_schemas.vendor") / "compose-spec.json").read_text())
    jsonschema.validate(compose(), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**compose(), "services": {"web": {"read-only": True}}}, schema)


def test_it_has_every_service_every_engine_and_nothing_else() -> None:
    assert set(SERVICES_OF_COMPOSE) == {*OURS, *ENGINES, "proxy"}
    for name in SERVICES:
        assert service(name)["command"] == ["serve", name]
    assert service("migrate")["command"] == ["migrate"]
    assert len({service(name)["image"] for name in OURS}) == 1


def test_the_example_names_every_variable() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    used = dict(re.findall(r"\$\{([A-Z_]+)(:[?-])", text))
    assert used.keys() == EXAMPLE.keys()
    assert sorted(name for name, operator in used.items() if operator == ":?") == sorted(REQUIRED)


@pytest.mark.parametrize("name", SERVICES_OF_COMPOSE)
def test_each_container_is_hardened(name: str) -> None:
    found = service(name)
    assert found["read_only"] is True and found["init"] is True
    assert found["cap_drop"] == ["ALL"] and found["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "pid", "ipc", "network_mode", "devices", "userns_mode"} & found.keys()
    assert found.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    limits = found["deploy"]["resources"]["limits"]
    assert limits["cpus"] and limits["memory"] and limits["pids"]
    assert found["restart"] == ("on-failure:5" if name == "migrate" else "unless-stopped")
    assert found["logging"]["options"]["max-size"]
    assert re.search(r":\d+(\.\d+)+$", found["image"]), "an image without a version"
    if name != "proxy":
        assert int(found["user"].partition(":")[0]) > 0
    for volume in found.get("volumes", []):
        source, _, mode = volume.split(":", 2) if volume.count(":") == 2 else (*volume.split(":"), "")
        assert source in compose()["volumes"] or (mode == "ro" and (FOLDER / source).is_file())
        assert "docker.sock" not in source


@pytest.mark.parametrize("name", SERVICES_OF_COMPOSE)
def test_each_container_has_a_health_check_and_what_it_waits_for_exists(name: str) -> None:
    found = service(name)
    if name == "migrate":
        assert found["healthcheck"] == {"disable": True}
    else:
        test = found["healthcheck"]["test"]
        assert test[:1] == ["CMD"] and found["healthcheck"]["timeout"]
        if name in SERVICES:
            assert test[1:4] == ["althing", "health", name]
    for other, condition in found.get("depends_on", {}).items():
        is_healthy = condition == {"condition": "service_healthy"}
        assert is_healthy or condition == {"condition": "service_completed_successfully"}
        assert other == "migrate" if not is_healthy else service(other)["healthcheck"]["test"]


def test_the_documented_override_names_services_and_settings() -> None:
    override = example("services")
    for name, given in override["services"].items():
        assert name in SERVICES and unknown(given["environment"]) == []
        assert set(given["secrets"]) == override["secrets"].keys()


def test_only_the_proxy_is_reachable_from_outside() -> None:
    publishing = {name for name in SERVICES_OF_COMPOSE if "ports" in service(name)}
    assert publishing == {"proxy"}
    with_a_way_out = {name for name, given in compose()["networks"].items() if not (given or {}).get("internal")}
    assert with_a_way_out == {"public", "outbound"}
    assert _on("public") == {"proxy"} and _on("outbound") == {"command", "query"}
    assert _on("edge") == {"proxy", "web", "ingest"}
    assert _on("services") == {"web", "command", "query"}
    assert _on("engines") == {*OURS, "kafka", "postgres", "clickhouse"} - {"web"}
    assert _on("coordination") == {"clickhouse", "keeper"}


def test_addresses_in_settings_are_those_of_the_networks() -> None:
    settings = loaded(service("web")["environment"], {"ALTHING_MASTER_KEY": "5a" * 32})
    networks = compose()["networks"]
    subnets = {
        name: ip_network(networks[name]["ipam"]["config"][0]["subnet"]) for name in ("edge", "services", "engines")
    }
    proxy = ip_address(service("proxy")["networks"]["edge"]["ipv4_address"])
    assert proxy in subnets["edge"] and settings.trusted_proxies == (ip_network(f"{proxy}/32"),)
    assert set(settings.metrics_networks) == {subnets["services"], subnets["engines"]}
    assert settings.command_base_url == f"http://command:{settings.command_port}"
    assert settings.query_base_url == f"http://query:{settings.query_port}"


@pytest.mark.parametrize("name", OURS)
def test_settings_exist_and_secrets_are_files(name: str, secrets: Path) -> None:
    found = service(name)
    environment: dict[str, str] = found["environment"]
    assert unknown(environment) == []
    files = {key.removesuffix("_FILE"): value for key, value in environment.items() if key.endswith("_FILE")}
    assert {value.removeprefix("/run/secrets/") for value in files.values()} == set(found["secrets"])
    contents = {setting: (secrets / Path(path).name).read_text() for setting, path in files.items()}
    settings = loaded(environment, contents)
    assert settings.master_key is not None and settings.internal_host == "0.0.0.0"  # noqa: S104 - a comparison
    assert (settings.postgres_url is None) == (name == "web")
    assert (settings.admin_password is None) == (name != "command")
    if name != "web":
        _check_passwords(settings, secrets)


def _check_passwords(settings: Settings, secrets: Path) -> None:
    """The services' passwords are those that the engines know."""
    assert settings.postgres_url is not None and (secrets / "postgres_password").read_text() in settings.postgres_url
    assert f"client={settings.kafka_sasl_password}\n" in (secrets / "kafka.properties").read_text()


def test_every_secret_is_made_once_and_kept(secrets: Path) -> None:
    for given in compose()["secrets"].values():
        assert (secrets / Path(given["file"]).name).is_file()
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o644}
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    subprocess.run(["sh", str(FOLDER / "create-secrets.sh"), str(secrets)], check=True)
    assert {path.name: path.read_text() for path in secrets.iterdir()} == before
    values = [text for name, text in before.items() if text and not name.endswith((".xml", ".properties", "_url"))]
    assert len(set(values)) == len(values) and all(re.fullmatch("[0-9a-f]{64}", value) for value in values)
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {f"/{FOLDER.relative_to(ROOT)}/.env", f"/{FOLDER.relative_to(ROOT)}/secrets/"} <= set(ignored)


def test_the_proxy_leads_to_the_services_and_asks_ingest_about_names() -> None:
    text = (FOLDER / "caddy/Caddyfile").read_text()
    assert text.count("{") == text.count("}")
    assert set(re.findall(r"\{\$([A-Z_]+)\}", text)) == service("proxy")["environment"].keys()
    settings = loaded(service("web")["environment"], {"ALTHING_MASTER_KEY": "5a" * 32})
    assert re.findall(r"ask (\S+)", text) == [f"http://ingest:{settings.tracking_port}{CHECK}"]
    sites = dict(
        re.findall(r"^(\S+) \{\n(?:\ttls \{\n\t\ton_demand\n\t\}\n)?\treverse_proxy (\S+)", text, re.MULTILINE)
    )
    ingest = f"ingest:{settings.tracking_port}"
    assert sites == {
        "{$ALTHING_APP_HOST}": f"web:{settings.port}",
        "{$ALTHING_TRACKING_HOST}": ingest,
        "https://": ingest,
    }
    assert service("proxy")["healthcheck"]["test"][-1].rstrip("/") in text


@pytest.fixture
def kafka(secrets: Path, tmp_path: Path) -> Iterator[Engine]:
    """A broker with the configuration of the compose file, on ports and in a folder of the test."""
    text = (FOLDER / "kafka/server.properties").read_text()
    data = next(volume.split(":")[1] for volume in service("kafka")["volumes"] if volume.startswith("kafka:"))
    [directory] = re.findall(r"^log\.dirs=(.+)$", text, re.MULTILINE)
    assert directory.startswith(f"{data}/")
    address, controller = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    for there, here in (
        ("/run/secrets/", f"{secrets}/"),
        (directory, str(tmp_path / "log")),
        ("CLIENTS://:9092", f"CLIENTS://{address}"),
        ("CLIENTS://kafka:9092", f"CLIENTS://{address}"),
        ("127.0.0.1:9093", controller),
    ):
        assert there in text
        text = text.replace(there, here)
    config = tmp_path / "server.properties"
    config.write_text(text)
    [cluster] = re.findall(r"--cluster-id (\S+)", service("kafka")["command"][0])
    java = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{kafka_jars()}/*"]
    storage = [*java, "kafka.tools.StorageTool", "format", "--ignore-formatted", "--config", str(config)]
    subprocess.run([*storage, "--cluster-id", cluster], capture_output=True, check=True)
    command = [*java, "kafka.Kafka", str(config)]
    port = int(address.partition(":")[2])
    broker = Engine("Kafka", address, command, tmp_path / "kafka.log", lambda: answers(port)).start()
    yield broker
    broker.stop()


def test_kafka_lets_the_services_in_by_their_password(kafka: Engine, secrets: Path) -> None:
    found = service("ingest")["environment"]
    environment = {name: value for name, value in found.items() if name.startswith(("KAFKA_", "ALTHING_"))}
    environment = {**environment, "KAFKA_BOOTSTRAP_SERVERS": kafka.address}
    passwords = {"ALTHING_MASTER_KEY": "5a" * 32, "KAFKA_SASL_PASSWORD": (secrets / "kafka_password").read_text()}
    with closing(open_log(loaded(environment, passwords))) as log:
        log.create_topics()
    rows = dict(re.findall(r"^([a-z.-]+)=(.*)$", (FOLDER / "kafka/server.properties").read_text(), re.MULTILINE))
    assert set(rows["listener.security.protocol.map"].replace(",", ":").split(":")[1::2]) == {"SASL_PLAINTEXT"}
    assert set(rows["super.users"].split(";")) == {"User:broker", "User:althing"}
    assert "allow.everyone.if.no.acl.found" not in rows
    logging = yaml.safe_load((FOLDER / "kafka/log4j2.yaml").read_text())["Configuration"]
    assert logging["Appenders"].keys() == {"Console"}


def test_postgres_knows_its_settings() -> None:
    described = subprocess.run(
        [str(postgres_bin() / "postgres"), "--describe-config"], capture_output=True, text=True, check=True
    )
    known = {line.split("\t")[0].lower() for line in described.stdout.splitlines()}
    given = [argument.removeprefix("-c").partition("=")[0] for argument in service("postgres")["command"][1:]]
    assert given and set(given) <= known


_ENGINE: Final = """
import sys, chdb
connection = chdb.connect(sys.argv[1])
for query in sys.stdin.read().split(";"):
    print(connection.query(query, "JSONCompact").data() if query.strip() else "", end="\\x00")
"""


def test_clickhouse_takes_its_users_and_its_cluster(secrets: Path, tmp_path: Path) -> None:
    """The embedded engine reads the files as a server does. Its own user and database are `default`."""
    for name, folder in (("config", "config.d"), ("users", "users.d")):
        text = (FOLDER / f"clickhouse/{name}.xml").read_text().replace("/run/secrets/", f"{secrets}/")
        text = text.replace('<default remove="remove"/>', "").replace(
            "<default_database>althing</default_database>", ""
        )
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "althing.xml").write_text(text)
    users = "<default><password/><access_management>1</access_management></default>"
    rest = "<profiles><default/></profiles><quotas><default/></quotas>"
    (tmp_path / "users.xml").write_text(f"<clickhouse><users>{users}</users>{rest}</clickhouse>")
    main = f"<clickhouse><users_config>{tmp_path}/users.xml</users_config></clickhouse>"
    (tmp_path / "config.xml").write_text(main)
    queries = (
        "SELECT name, auth_type FROM system.users WHERE name != 'default' ORDER BY name",
        "SHOW GRANTS FOR althing",
        "SHOW GRANTS FOR operator_readonly",
        "SELECT cluster, host_name, port FROM system.clusters",
        "SELECT macro, substitution FROM system.macros ORDER BY macro",
        "SELECT name, value FROM system.merge_tree_settings WHERE changed ORDER BY name",
        "SELECT setting_name, value FROM system.settings_profile_elements WHERE profile_name = 'althing'",
    )
    done = subprocess.run(
        [sys.executable, "-c", _ENGINE, f"{tmp_path}/data?config-file={tmp_path}/config.xml"],
        input=";".join(queries),
        capture_output=True,
        text=True,
        cwd=secrets.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers: list[list[list[Any]]] = [json.loads(text)["data"] for text in done.stdout.split("\x00") if text]
    known, services, operator, clusters, macros, of_tables, profile = answers
    assert [name for name, _ in known] == ["admin", "althing", "operator_readonly"]
    assert {str(kind) for _, kind in known} == {"['sha256_password']"}
    granted = "\n".join(line for [line] in services)
    assert "INSERT" in granted and "ON althing.*" in granted and "CLUSTER ON *.*" in granted
    assert not re.search(r"ACCESS MANAGEMENT|CREATE USER|FILE|URL|S3", granted)
    assert [line for [line] in operator] == [
        "GRANT SHOW, SELECT ON althing.* TO operator_readonly",
        "GRANT SELECT ON system.* TO operator_readonly",
    ]
    environment = service("command")["environment"]
    assert clusters == [[environment["CLICKHOUSE_CLUSTER"], "clickhouse", 9000]]
    assert macros == [["replica", "clickhouse"], ["shard", "1"]]
    changed = {"fsync_after_insert": "1", "fsync_part_directory": "1", "merge_selector_base": "20"}
    assert changed.items() <= dict(of_tables).items()
    assert {"async_insert", "deduplicate_blocks_in_dependent_materialized_views"} <= {name for name, _ in profile}


def test_clickhouse_and_keeper_agree() -> None:
    config, users, keeper = (
        ElementTree.parse(FOLDER / path).getroot()  # noqa: S314 - own files
        for path in ("clickhouse/config.xml", "clickhouse/users.xml", "keeper/keeper.xml")
    )
    assert config.findtext("zookeeper/node/host") == "keeper"
    assert config.findtext("zookeeper/node/port") == keeper.findtext("keeper_server/tcp_port")
    assert config.findtext("default_database") == "althing"
    default = users.find("users/default")
    assert default is not None and default.get("remove") == "remove"
    control = keeper.find("keeper_server/http_control")
    assert control is not None
    check = f":{control.findtext('port')}{control.findtext('readiness/endpoint')}"
    assert service("keeper")["healthcheck"]["test"][-1].endswith(check)
    included = {part.get("incl") for root in (config, users) for part in root.iter() if part.get("incl")}
    script = (FOLDER / "create-secrets.sh").read_text()
    assert all(f"<{name}>" in script for name in included) and len(included) == 5


def _on(network: str) -> set[str]:
    return {name for name in SERVICES_OF_COMPOSE if network in service(name)["networks"]}
