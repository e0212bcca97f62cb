"""Clients that generators make of the OpenAPI document: nothing of it is left out, and they work.

`openapi-python-client` and `openapi-typescript` read the document that the gateway serves; each client then makes calls
to the real services.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import jsonschema
import pytest

from infra.kernel.config.paths import ROOT
from tests.api.kernel.test_access_matrix import PUBLIC
from tests.support.full_api import Api, SampleData
from tests.support.ingest_service import IngestService, Site
from tests.support.people import PASSWORD

PACKAGE = "generated_althing_client"
METHODS = ("get", "post", "put", "patch", "delete")
WARNING = re.compile(r"warning|unable to|omitted|not be generated|\u26a0", re.I)
TIMEOUT_S = 300
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def document(full_api: Api, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    path.write_text(json.dumps(full_api.whole_document))
    return path


@pytest.fixture(scope="module")
def of(full_api: Api) -> SampleData:
    return SampleData(full_api)


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, item[method]) for path, item in document["paths"].items() for method in METHODS if method in item
    ]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(part)


class TestDocument:
    def test_names_are_unique_and_in_one_casing(self, full_api: Api) -> None:
        found = full_api.whole_document
        names = [operation["operationId"] for _, _, operation in operations(found)]
        assert len(names) == len(set(names))
        assert [name for name in names if not re.fullmatch(r"[a-z][A-Za-z0-9]*", name)] == []
        schemas = found["components"]["schemas"]
        assert [name for name in schemas if not re.fullmatch(r"[A-Z][A-Za-z0-9]*[a-z]", name)] == []
        assert len({name.lower() for name in schemas}) == len(schemas)

    def test_every_operation_says_who_may_call_it(self, full_api: Api) -> None:
        found = full_api.whole_document
        schemes = found["components"]["securitySchemes"]
        assert "security" not in found
        for method, path, operation in operations(found):
            security = operation["security"]
            assert all(name in schemes for one in security for name in one), path
            if path.startswith("/api/"):
                assert ((method, path) in PUBLIC) is (security == [] or {} in security), (method, path)

    def test_servers_are_the_apps_and_the_tracking_apis(self, full_api: Api) -> None:
        found = full_api.whole_document
        assert len(found["servers"]) == 1
        elsewhere = {path for path, item in found["paths"].items() if "servers" in item}
        assert elsewhere == {path for path in found["paths"] if not path.startswith("/api/")}
        assert {"/track", "/track/sale", "/track/lead", "/track/conversions/{id}", "/postback"} <= elsewhere
        assert {"/go/{slug}", "/t.js", "/t.gif"} <= elsewhere

    def test_defaults_and_bounds_are_valid(self, full_api: Api) -> None:
        found, count = full_api.whole_document, 0
        for schema in objects(found):
            assert not {"ge", "le", "gt", "lt"} & schema.keys(), schema
            if "default" in schema and {"type", "$ref", "anyOf", "enum"} & schema.keys() and "in" not in schema:
                rest = {name: value for name, value in schema.items() if name != "default"}
                jsonschema.Draft202012Validator({**rest, "components": found["components"]}).validate(schema["default"])
                count += 1
            if schema.get("type") == "integer":
                bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
                assert all(isinstance(bound, int) for bound in bounds) and bounds == sorted(bounds), schema
        assert count > 100

    def test_every_success_has_its_content(self, full_api: Api) -> None:
        empty = []
        for method, path, operation in operations(full_api.whole_document):
            for status, response in operation["responses"].items():
                content = response.get("content", {})
                has_body = status.startswith("2") and status != "204"
                if has_body and not (content and all("schema" in media for media in content.values())):
                    empty.append((method, path, status))
        assert empty == []

    def test_a_stream_is_described_as_one(self, full_api: Api) -> None:
        live = full_api.document["paths"]["/api/platform/analytics/live"]["get"]["responses"]["200"]["content"]
        assert list(live) == ["text/event-stream"]
        assert live["text/event-stream"]["schema"]["contentSchema"] == {"$ref": "#/components/schemas/LiveData"}


@dataclass
class PythonClient:
    """The generated package, by names of operations and models."""

    package: Any
    folder: Path
    client: Any

    def call(self, operation: str, client: Any = None, /, **arguments: Any) -> Any:
        """What the operation returns; not a refusal."""
        found = self.answer(operation, client, **arguments)
        assert 200 <= found.status_code < 400, (operation, found)
        assert type(found.parsed).__name__ != "Problem", operation
        return found.parsed

    def answer(self, operation: str, client: Any = None, /, **arguments: Any) -> Any:
        [path] = self.folder.glob(f"api/*/{operation}.py")
        module = importlib.import_module(f"{PACKAGE}.api.{path.parent.name}.{operation}")
        return module.sync_detailed(client=client or self.client, **arguments)

    def model(self, name: str, *value: str, **fields: Any) -> Any:
        return getattr(importlib.import_module(f"{PACKAGE}.models"), name)(*value, **fields)


@pytest.fixture(scope="module")
def python_client(document: Path, full_api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PythonClient]:
    folder = tmp_path_factory.mktemp("python") / PACKAGE
    options = ("--path", str(document), "--output-path", str(folder), "--meta", "none", "--fail-on-warning")
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", *options],
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },  # it formats by ruff
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0 and not WARNING.search(said), said[:5_000]
    sys.path.insert(0, str(folder.parent))
    package = importlib.import_module(PACKAGE)
    with package.Client(base_url=full_api.address, timeout=60) as anybody:
        yield PythonClient(package, folder, anybody)
    sys.path.remove(str(folder.parent))


def test_the_python_client_has_every_operation(python_client: PythonClient, full_api: Api) -> None:
    made = [path for path in python_client.folder.glob("api/*/*.py") if path.name != "__init__.py"]
    assert len(made) == len(operations(full_api.whole_document))


def test_operations_of_the_app_work_in_python(python_client: PythonClient, full_api: Api, of: SampleData) -> None:
    call, model = python_client.call, python_client.model
    assert call("get_about").name
    email = f"{of.owner.account_id.hex}@example.com"
    session = call("login", body=model("LoginRequest", email=email, password=PASSWORD))
    base = {"base_url": full_api.address, "token": session.token, "timeout": 60}
    with python_client.package.AuthenticatedClient(**base) as me:
        made = call("connect_website", me, body=model("ConnectWebsite", domain=f"{uuid4().hex}.example"))
        website = {"id": UUID(str(made.id))}
        call("update_website", me, **website, body=model("UpdateWebsite", timezone="Europe/Berlin"))
        call("create_key", me, **website, body=model("CreateKey", kind=model("KeyKind", "site")))
        assert of.domain in [one.domain for one in call("get_websites", me)]
        named = {"website_id": of.website, "partner_id": of.partner}
        link = call("create_link", me, body=model("CreateLink", **named))
        identity = UUID(str(link.id))
        changed = call("update_link", me, id=identity, body=model("UpdateLink", tags=["typed"]))
        assert changed.tags == ["typed"]
        bulk = model("BulkLinks", links=[model("CreateLink", **named)])
        [other] = call("create_links", me, body=bulk).links
        call("delete_link", me, id=UUID(str(other.id)))
        assert of.slug in [one.slug for one in call("get_links", me, website_id=of.website)]
        picture = call("get_link_qr", me, id=of.link)
        assert b"<svg" in picture.payload.read()
        moment = datetime(2026, 11, 1, tzinfo=UTC)
        note = model("AddAnnotation", website_id=of.website, at=moment, text="New page")
        added = call("add_annotation", me, body=note)
        call("change_annotation", me, id=UUID(str(added.id)), body=model("ChangeAnnotation", text="Newer page"))
        assert call("get_overview_analytics", me, website_id=of.website).clicks.total == 1
        assert call("get_clicks_csv_analytics", me, website_id=of.website).startswith("date,")
        assert [one.id for one in call("get_conversions", me, website_id=of.website)] == [of.conversion]
        rejected = call("reject_conversion", me, id=of.conversion, body=model("Reject", reason="returned"))
        assert rejected.status == "rejected"
        call("get_forum_threads")
        image = importlib.import_module(f"{PACKAGE}.types").File(payload=b"no picture")
        refused = python_client.answer("set_social_post_picture", me, id=of.social_post, body=image)
        assert 400 <= refused.status_code < 500 and refused.parsed.message
        missing = python_client.answer("get_link", me, id=uuid4())
        assert (missing.status_code, missing.parsed.code) == (404, "not_found")
        call("logout", me)


def test_the_tracking_api_works_in_python(
    python_client: PythonClient, ingest_service: IngestService, site: Site
) -> None:
    call, model = python_client.call, python_client.model
    base = {"base_url": ingest_service.url, "timeout": 60}
    txid = uuid4().hex
    with (
        python_client.package.AuthenticatedClient(**base, token=site.site_key) as page,
        python_client.package.AuthenticatedClient(**base, token=site.secret_key) as server,
        python_client.package.AuthenticatedClient(**base, token=site.token) as network,
    ):
        event = model("TrackEvent", type_="pageview", url="https://own.example/")
        assert call("track", page, body=[event, event]).accepted == 2
        report = model("ReportConversion", txid=txid, visitor_id="user-42", amount=4990, currency="USD")
        sale = call("track_sale", server, body=report)
        call("track_lead", server, body=model("ReportConversion", txid=f"{txid}-lead", visitor_id="user-42"))
        assert call("get_tracked_conversion", server, id=sale.id).status == sale.status
        decimal = {"txid": f"{txid}-2", "amount": "49.90", "currency": "USD", "status": "approved"}
        assert call("get_postback", network, **decimal, dry_run="1").status == "dry_run"
        assert call("post_postback", network, body=model("PostbackForm", **decimal)).id
        assert call("get_pixel", page, site=site.site_key, url_query="https://own.example/").payload.read(3) == b"GIF"
        assert "althing" in call("get_script", page)
        assert python_client.answer("follow_link", page, slug="no-such-link").status_code == 404


@pytest.fixture(scope="module")
def typescript(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the compiled program."""
    folder = tmp_path_factory.mktemp("typescript")
    modules = ROOT / "web" / "node_modules"
    (folder / "node_modules").symlink_to(modules)
    (folder / "client.mts").write_text((ROOT / "tests/support/generated_clients/client.mts").read_text())
    made = subprocess.run(
        [modules / ".bin" / "openapi-typescript", document, "-o", folder / "schema.d.ts"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert made.returncode == 0 and not WARNING.search(made.stdout + made.stderr), made.stdout + made.stderr
    checked = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    compiled = subprocess.run(
        [modules / ".bin" / "tsc", *checked, "--types", "node", "client.mts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert compiled.returncode == 0, compiled.stdout
    return folder


def test_operations_work_in_typescript(
    typescript: Path, full_api: Api, ingest_service: IngestService, site: Site
) -> None:
    mine = SampleData(full_api)
    email = f"{mine.owner.account_id.hex}@example.com"
    ids = {
        "website": str(mine.website),
        "partner": str(mine.partner),
        "conversion": str(mine.conversion),
        "siteKey": site.site_key,
        "secretKey": site.secret_key,
    }
    done = subprocess.run(
        ["node", "client.mjs", full_api.address, ingest_service.url, email, PASSWORD, json.dumps(ids)],
        cwd=typescript,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(set(found["called"])) >= 20
    shown = {name: found[name] for name in ("tags", "clicks", "accepted", "status")}
    assert shown == {"tags": ["typed"], "clicks": 1, "accepted": 1, "status": "pending"}
