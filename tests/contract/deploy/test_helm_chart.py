"""The Helm chart, rendered by Helm: valid manifests, hardened pods, and a way for exactly those who need one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest

from infra.kernel.config.loading import load
from infra.kernel.config.paths import ROOT
from infra.kernel.config.version import product_version
from infra.ops.cli import SERVICES
from ingest.app import _ROUTES as INGEST_PATHS
from tests.contract.deploy.documentation import example
from tests.contract.deploy.settings_names import loaded, unknown
from tests.support.helm import RELEASE, Manifest, Rendered, render

CHART: Final = ROOT / "infra/deploy/helm/althing"
OLDEST, NEWEST = "1.30", "1.37"
WORKLOADS: Final = ("Deployment", "StatefulSet", "Job")
SECRETS: Final = {
    "ALTHING_MASTER_KEY": "5a" * 32,
    "POSTGRES_URL": "postgresql://althing:secret@postgres.example.com/althing",
    "CLICKHOUSE_URL": "https://althing:secret@clickhouse.example.com:8443/althing",
    "KAFKA_SASL_PASSWORD": "secret of kafka",
}
OTHER_SECRETS: Final = {"ALTHING_ADMIN_PASSWORD": "secret of the admin", "SMTP_URL": "smtp://mail.example.com"}
MINIMAL: Final[dict[str, Any]] = {
    "publicUrl": "https://app.example.com",
    "trackingUrl": "https://track.example.com",
    "contactEmail": "hello@example.com",
    "trustedProxies": ["10.1.0.0/16"],
    "kafka": {"bootstrapServers": "kafka.example.com:9093"},
    "secrets": {"create": SECRETS},
}
FULL: Final[dict[str, Any]] = {
    **MINIMAL,
    "trackingUrl": "https://track.example.com:8443",
    "adminEmail": "admin@example.com",
    "image": {
        "repository": "registry.example.com/althing",
        "digest": f"sha256:{'a' * 64}",
        "pullSecrets": ["registry"],
    },
    "kafka": {"bootstrapServers": "k1:9093,k2:9093", "tls": {"secret": "kafka-tls", "clientCertificate": True}},
    "clickhouse": {"cluster": "main"},
    "secrets": {"create": {**SECRETS, **OTHER_SECRETS}},
    "settings": {"ALTHING_SITE_RATE": 100, "ALTHING_CANARY": "0"},
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "annotations": {"example.com/class": "public"},
        "app": {"tlsSecret": "app"},
        "tracking": {"tlsSecret": "track", "customDomains": [{"host": "go.example.com", "tlsSecret": "go"}]},
    },
    "services": {
        "projectors": {
            "autoscaling": {"lag": {"enabled": True, "selector": {"installation": "shop"}}},
            "storage": {"className": "fast"},
        },
        "command": {"backupClaim": "backups"},
    },
    "podAnnotations": {"example.com/team": "analytics"},
    "nodeSelector": {"pool": "apps"},
    "tolerations": [{"key": "apps", "operator": "Exists"}],
    "priorityClassName": "high",
    "networkPolicy": {"engines": [{"ports": [9093], "to": [{"ipBlock": {"cidr": "10.9.0.0/16"}}]}]},
}
EXISTING: Final[dict[str, Any]] = {
    **MINIMAL,
    "kafka": {"bootstrapServers": "kafka:9092", "securityProtocol": "PLAINTEXT"},
    "secrets": {"existing": {"name": "of-the-vault"}},
    "services": {name: {"replicas": 3, "autoscaling": {"enabled": False}} for name in SERVICES},
    "networkPolicy": {"enabled": False},
}
VALID: Final = {"minimal": MINIMAL, "full": FULL, "existing": EXISTING}
REFUSED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    **{
        f"without-{name}": ({**MINIMAL, name: ""}, f"Set {name}.")
        for name in ("publicUrl", "trackingUrl", "contactEmail")
    },
    "without-proxies": ({**MINIMAL, "trustedProxies": []}, "Set trustedProxies."),
    "without-secrets": ({**MINIMAL, "secrets": {}}, "Set secrets.create or secrets.existing."),
    "without-password": ({**MINIMAL, "adminEmail": "a@example.com"}, "adminEmail needs secret ALTHING_ADMIN_PASSWORD"),
    "setting-twice": ({**MINIMAL, "settings": {"ALTHING_HOST": "::"}}, "settings.ALTHING_HOST: the chart sets this"),
    "secret-twice": ({**MINIMAL, "settings": {"POSTGRES_URL": "x"}}, "settings.POSTGRES_URL: the chart sets this"),
    "unknown-value": ({**MINIMAL, "replicas": 3}, "replicas"),
    "unknown-service": ({**MINIMAL, "services": {"gateway": {}}}, "gateway"),
    "floating-image": ({**MINIMAL, "image": {"tag": "latest"}}, "image"),
    "bad-network": ({**MINIMAL, "trustedProxies": ["everybody"]}, "trustedProxies"),
}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    sets = {**VALID, **{name: values for name, (values, _) in REFUSED.items()}}
    return render(CHART, sets, tmp_path_factory.mktemp("chart"))


@pytest.fixture(params=VALID)
def manifests(request: pytest.FixtureRequest, rendered: Rendered) -> list[Manifest]:
    assert request.param in rendered.manifests, rendered.refusals.get(request.param)
    return rendered.manifests[request.param]


def test_helm_finds_no_fault_and_the_version_is_the_products(rendered: Rendered) -> None:
    assert rendered.lint.startswith("passed\n")
    assert all("[INFO]" in line for line in rendered.lint.splitlines()[1:])
    chart = (CHART / "Chart.yaml").read_text()
    assert f"\nversion: {product_version()}\n" in chart and f"\nappVersion: {product_version()}\n" in chart


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_cannot_work_are_refused_with_the_reason(rendered: Rendered, name: str) -> None:
    assert name not in rendered.manifests
    assert REFUSED[name][1] in rendered.refusals[name]


@pytest.mark.parametrize(("version", "sets"), [(OLDEST, ("full",)), (NEWEST, tuple(VALID))])
def test_each_manifest_has_the_schema_of_kubernetes(rendered: Rendered, version: str, sets: tuple[str, ...]) -> None:
    for values in sets:
        for manifest in rendered.manifests[values]:
            kubernetes_validate.validate(manifest, version, strict=True)
    spoiled = json.loads(json.dumps(_of(rendered.manifests["minimal"], "Deployment", "web")))
    spoiled["spec"]["template"]["spec"]["containers"][0]["readonlyRootFilesystem"] = True
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(spoiled, version, strict=True)


def test_the_documented_values_are_accepted(tmp_path: Path) -> None:
    found = render(CHART, {"documented": example("publicUrl")}, tmp_path)
    assert not found.refusals
    hosts = [
        rule["host"]
        for one in found.manifests["documented"]
        if one["kind"] == "Ingress"
        for rule in one["spec"]["rules"]
    ]
    assert sorted(hosts) == ["app.example.com", "track.example.com"]


def test_there_is_one_workload_for_each_service(manifests: list[Manifest]) -> None:
    found = dict(_workloads(manifests))
    assert found.keys() == {*SERVICES, "migrate"}
    for name in SERVICES:
        assert _container(found[name])["args"] == ["serve", name]
        assert found[name]["kind"] == ("StatefulSet" if name == "projectors" else "Deployment")
    assert _container(found["migrate"])["args"] == ["migrate"]
    names = [(manifest["kind"], manifest["metadata"]["name"]) for manifest in manifests]
    assert len(set(names)) == len(names) and all(len(name) <= 63 for _, name in names)


def test_pods_are_hardened(manifests: list[Manifest]) -> None:
    for name, workload in _workloads(manifests):
        pod, container = _pod(workload), _container(workload)
        assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False
        assert pod["securityContext"] | {"fsGroup": 0, "fsGroupChangePolicy": ""} == {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "runAsGroup": 10001,
            "fsGroup": 0,
            "fsGroupChangePolicy": "",
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
        assert {"requests", "limits"} <= container["resources"].keys()
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert ":latest" not in container["image"] and (":" in container["image"] or "@" in container["image"])
        volumes = {volume["name"] for volume in pod["volumes"]} | {
            claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])
        }
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
        assert not any("hostPath" in volume for volume in pod["volumes"]), name
    [account] = [one for one in manifests if one["kind"] == "ServiceAccount"]
    assert account["automountServiceAccountToken"] is False
    assert not {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"} & {one["kind"] for one in manifests}


def test_settings_exist_and_fit_together(manifests: list[Manifest]) -> None:
    for name, workload in _workloads(manifests):
        environment = _environment(workload)
        assert unknown(environment) == []
        settings = loaded(environment, {**SECRETS, **OTHER_SECRETS})
        assert settings.master_key == SECRETS["ALTHING_MASTER_KEY"]
        assert (settings.postgres_url is None) == (settings.kafka_bootstrap_servers is None) == (name == "web")
        assert settings.metrics_networks and settings.trusted_proxies == (ip_network("10.1.0.0/16"),)
        ports = {_of(manifests, "Service", called)["spec"]["ports"][0]["port"] for called in ("command", "query")}
        assert ports == {settings.command_port, settings.query_port}
        assert settings.command_base_url == f"http://{RELEASE}-althing-command:{settings.command_port}"
        assert settings.query_base_url == f"http://{RELEASE}-althing-query:{settings.query_port}"


def test_secrets_are_files_that_exist_and_each_pod_has_its_own_only(rendered: Rendered) -> None:
    for values, manifests in rendered.manifests.items():
        for name, workload in _workloads(manifests):
            [volume] = [one["secret"] for one in _pod(workload)["volumes"] if one["name"] == "secrets"]
            keys = {item["key"] for item in volume["items"]}
            read = {key.removesuffix("_FILE") for key in _environment(workload) if key.endswith("_FILE")}
            assert keys == read and all(item["key"] == item["path"] for item in volume["items"])
            assert keys == {"ALTHING_MASTER_KEY"} if name == "web" else "POSTGRES_URL" in keys
            assert ("ALTHING_ADMIN_PASSWORD" in keys) == (values == "full" and name == "command")
            assert ("KAFKA_SASL_PASSWORD" in keys) == (values != "existing" and name != "web")
            if values == "existing":
                assert volume["secretName"] == "of-the-vault"
            else:
                created = _named(manifests, "Secret", volume["secretName"])
                assert keys <= created["data"].keys()
                assert ("helm.sh/hook" in created["metadata"].get("annotations", {})) == (name == "migrate")
        assert (values == "existing") == all(one["kind"] != "Secret" for one in manifests)
        text = json.dumps([one for one in manifests if one["kind"] != "Secret"])
        assert not any(secret in text for secret in SECRETS.values())


def test_pods_restart_when_their_secrets_change(rendered: Rendered) -> None:
    checksums = [
        _template(_of(rendered.manifests[values], "Deployment", "web"))["metadata"]["annotations"]["checksum/secrets"]
        for values in ("minimal", "full")
    ]
    assert len(set(checksums)) == 2


def test_probes_are_paths_that_services_answer(manifests: list[Manifest]) -> None:
    for name, workload in _workloads(manifests):
        container = _container(workload)
        if name == "migrate":
            assert not [key for key in container if key.endswith("Probe")]
            continue
        probes = {kind: container[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")}
        paths = {kind: probe["httpGet"]["path"] for kind, probe in probes.items()}
        assert all(probe["httpGet"]["port"] == "http" for probe in probes.values())
        assert paths["startup"] == "/readyz" and paths["liveness"] == "/livez"
        assert paths["readiness"] == ("/livez" if name in ("ingest", "web") else "/readyz")
        assert name != "ingest" or set(paths.values()) <= INGEST_PATHS.keys()
        assert container["ports"] == [{"name": "http", "containerPort": _port(name, _environment(workload))}]


def test_a_rollout_takes_no_capacity_and_a_pod_ends_its_work(manifests: list[Manifest]) -> None:
    for name, workload in _workloads(manifests):
        sleep = _container(workload).get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        assert (sleep > 0) == (name in ("ingest", "command", "query", "web"))
        assert _pod(workload)["terminationGracePeriodSeconds"] >= sleep + 12
        if workload["kind"] == "Deployment":
            expected = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}
            assert workload["spec"]["strategy"] == expected
    migrate = _of(manifests, "Job", "migrate")["metadata"]["annotations"]
    assert migrate["helm.sh/hook"] == "pre-install,pre-upgrade"
    secrets = [one for one in manifests if one["kind"] == "Secret" and "annotations" in one["metadata"]]
    assert all(int(one["metadata"]["annotations"]["helm.sh/hook-weight"]) < 0 for one in secrets)


def test_replicated_pods_are_spread_and_protected_and_scaled_by_what_exists(rendered: Rendered) -> None:
    for values, manifests in rendered.manifests.items():
        workloads = dict(_workloads(manifests))
        for name in SERVICES:
            labels = _template(workloads[name])["metadata"]["labels"]
            [budget] = [
                one
                for one in manifests
                if one["kind"] == "PodDisruptionBudget" and _selects(one["spec"]["selector"], labels)
            ]
            assert budget["spec"]["maxUnavailable"] == 1
            keys = {one["topologyKey"] for one in _pod(workloads[name])["topologySpreadConstraints"]}
            assert keys == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
            assert ("replicas" in workloads[name]["spec"]) == (values == "existing")
        scalers = [one["spec"] for one in manifests if one["kind"] == "HorizontalPodAutoscaler"]
        targets = {(one["scaleTargetRef"]["kind"], one["scaleTargetRef"]["name"]) for one in scalers}
        expected = {(workloads[name]["kind"], workloads[name]["metadata"]["name"]) for name in SERVICES}
        assert targets == (set() if values == "existing" else expected)
        assert all(one["minReplicas"] >= 2 and one["minReplicas"] <= one["maxReplicas"] for one in scalers)
        external = [
            metric["external"]["metric"] for one in scalers for metric in one["metrics"] if "external" in metric
        ]
        of_lag = {"name": "pipeline_freshness_seconds", "selector": {"matchLabels": {"installation": "shop"}}}
        assert external == ([of_lag] if values == "full" else [])


ALLOWED: Final = {
    ("web", "command"),
    ("web", "query"),
    ("command", "query"),
}
"""Who may connect to whom inside the release."""


def test_every_pod_is_denied_all_but_what_it_needs(rendered: Rendered) -> None:
    for values, manifests in rendered.manifests.items():
        policies = [one["spec"] for one in manifests if one["kind"] == "NetworkPolicy"]
        assert (policies == []) == (values == "existing")
        if not policies:
            continue
        labels = {name: _template(workload)["metadata"]["labels"] for name, workload in _workloads(manifests)}
        for name, of_pod in labels.items():
            own = [one for one in policies if _selects(one["podSelector"], of_pod)]
            assert len(own) == 2 and all(one["policyTypes"] == ["Ingress", "Egress"] for one in own)
            assert [one for one in own if not {"ingress", "egress"} & one.keys()], "no default"
            [rules] = [one for one in own if "egress" in one]
            port = None if name == "migrate" else _port(name, _environment(dict(_workloads(manifests))[name]))
            for rule in rules.get("ingress", []):
                assert [given["port"] for given in rule["ports"]] == [port] and rule["from"]
            outside = [rule for rule in rules["egress"] if "0.0.0.0/0" in json.dumps(rule)]
            assert bool(outside) == (name in ("command", "query"))
            engines = [rule for rule in rules["egress"] if {9093, 5432} & {given["port"] for given in rule["ports"]}]
            assert bool(engines) == (name != "web")
            from_ingress = [rule for rule in rules.get("ingress", []) if "ingress-nginx" in json.dumps(rule)]
            assert bool(from_ingress) == (name in ("web", "ingest"))
        connected = {(a, b) for a in labels for b in labels if _may_connect(policies, labels[a], labels[b])}
        assert connected == ALLOWED


def test_the_ingress_leads_to_web_and_ingest_over_tls(rendered: Rendered) -> None:
    assert not [one for one in rendered.manifests["minimal"] if one["kind"] == "Ingress"]
    manifests = rendered.manifests["full"]
    found: dict[str, str] = {}
    for one in manifests:
        if one["kind"] == "Ingress":
            secured = {host for tls in one["spec"]["tls"] for host in tls["hosts"] if tls["secretName"]}
            for rule in one["spec"]["rules"]:
                [path] = rule["http"]["paths"]
                backend = path["backend"]["service"]
                assert rule["host"] in secured and backend["port"] == {"name": "http"}
                assert _named(manifests, "Service", backend["name"])["spec"]["ports"][0]["name"] == "http"
                found[rule["host"]] = backend["name"].removeprefix(f"{RELEASE}-althing-")
    assert found == {"app.example.com": "web", "track.example.com": "ingest", "go.example.com": "ingest"}


def test_services_select_their_pods(manifests: list[Manifest]) -> None:
    for name, workload in _workloads(manifests):
        if name != "migrate":
            service = _of(manifests, "Service", name)["spec"]
            assert _selects({"matchLabels": service["selector"]}, _template(workload)["metadata"]["labels"])
            assert service["ports"][0]["port"] == _container(workload)["ports"][0]["containerPort"]
    projectors = _of(manifests, "StatefulSet", "projectors")
    assert projectors["spec"]["serviceName"] == _of(manifests, "Service", "projectors")["metadata"]["name"]


def _workloads(manifests: list[Manifest]) -> Iterator[tuple[str, Manifest]]:
    for manifest in manifests:
        if manifest["kind"] in WORKLOADS:
            yield manifest["metadata"]["labels"]["app.kubernetes.io/component"], manifest


def _template(workload: Manifest) -> Manifest:
    found: Manifest = workload["spec"]["template"]
    return found


def _pod(workload: Manifest) -> Manifest:
    found: Manifest = _template(workload)["spec"]
    return found


def _container(workload: Manifest) -> Manifest:
    [container] = _pod(workload)["containers"]
    found: Manifest = container
    return found


def _environment(workload: Manifest) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in _container(workload)["env"]}


def _port(service: str, environment: Mapping[str, str]) -> int:
    settings = load({name: value for name, value in environment.items() if name.endswith("_PORT")}, None)
    names = {"web": "port", "ingest": "tracking_port"}
    found: int = getattr(settings, names.get(service, f"{service}_port"))
    return found


def _of(manifests: list[Manifest], kind: str, service: str) -> Manifest:
    return _named(manifests, kind, f"{RELEASE}-althing-{service}")


def _named(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    [found] = [one for one in manifests if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    wanted: Mapping[str, str] = selector["matchLabels"]
    return wanted.items() <= labels.items()


def _may_connect(policies: list[Manifest], source: Mapping[str, str], target: Mapping[str, str]) -> bool:
    """Whether the egress rules of `source` name the pods of `target`, and its ingress rules those of `source`."""

    def named(rules: str, side: str, of_pod: Mapping[str, str], other: Mapping[str, str]) -> bool:
        peers = [
            peer
            for policy in policies
            if _selects(policy["podSelector"], of_pod)
            for rule in policy.get(rules, [])
            for peer in rule.get(side, [])
        ]
        return any(peer.keys() == {"podSelector"} and _selects(peer["podSelector"], other) for peer in peers)

    is_out, is_in = named("egress", "to", source, target), named("ingress", "from", target, source)
    assert is_out == is_in, "one side is open, the other is not"
    return is_out
