"""The bill of materials lists what the locks name, follows CycloneDX's schema, and is the same for the same commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT
from infra.ops.release import ReleaseError, bill_of_materials

LOCK = """\
fastapi==0.165.0 \\
    --hash=sha256:00
    # via althing (pyproject.toml)
psycopg-binary==3.3.0 ; implementation_name != 'pypy' \\
    --hash=sha256:01
"""


def resolved(root: Path) -> str:
    """What Maven says, made of the list of jars: the groups are not what these tests are about."""
    names = [line.split()[1] for line in (root / "infra/deploy/kafka/jars.sha256").read_text().splitlines()]
    parts = [name.removesuffix(".jar").rpartition("-") for name in names]
    return "".join(f"   a.group:{artifact}:jar:{version}:compile\n" for artifact, _, version in parts)


def test_the_whole_bill_follows_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bill_of_materials, "_resolved", resolved)
    text = bill_of_materials.document(ROOT, "1.2.3", 1_700_000_000)
    assert text == bill_of_materials.document(ROOT, "1.2.3", 1_700_000_000)
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["timestamp"].startswith("2023-11-14T22:13:20")
    assert bill["metadata"]["component"]["version"] == "1.2.3"
    listed = [component["purl"] for component in bill["components"]]
    for start in ("pkg:pypi/fastapi@", "pkg:npm/react@", "pkg:npm/%40ip-location-db/", "pkg:maven/a.group/kafka_2.13@"):
        assert any(purl.startswith(start) for purl in listed), start
    assert not [purl for purl in listed if "/vitest@" in purl or "/pytest@" in purl]
    [product] = [row for row in bill["dependencies"] if row["ref"] == "althing@1.2.3"]
    assert sorted(product["dependsOn"]) == sorted(component["bom-ref"] for component in bill["components"])


def test_packages_of_python_are_those_of_the_lock() -> None:
    found = [str(component.purl) for component in bill_of_materials.python_packages(LOCK)]
    assert found == ["pkg:pypi/fastapi@0.165.0", "pkg:pypi/psycopg-binary@3.3.0"]


def test_packages_of_npm_have_scope_licence_and_hash() -> None:
    lock = {
        "packages": {
            "": {"name": "app"},
            "node_modules/@a/b": {"version": "1.0.0", "license": "MIT", "integrity": "sha512-AAEC"},
            "node_modules/c/node_modules/d": {"version": "2.0.0"},
            "node_modules/e": {"version": "3.0.0", "dev": True},
        }
    }
    first, second = bill_of_materials.npm_packages(lock)
    assert str(first.purl) == "pkg:npm/%40a/b@1.0.0"
    assert [each.content for each in first.hashes] == ["000102"]
    assert [getattr(each, "id", None) for each in first.licenses] == ["MIT"]
    assert str(second.purl) == "pkg:npm/d@2.0.0"


def test_jars_are_those_of_the_list() -> None:
    listed = "\n   org.x:a_2.13:jar:1.0:compile\n   org.y:b:jar:2.0-1:runtime\n"
    found = list(bill_of_materials.maven_packages(listed, f"{'0' * 64}  a_2.13-1.0.jar\n{'1' * 64}  b-2.0-1.jar\n"))
    assert [str(component.purl) for component in found] == ["pkg:maven/org.x/a_2.13@1.0", "pkg:maven/org.y/b@2.0-1"]
    with pytest.raises(ReleaseError, match=r"b-2\.0-1\.jar"):
        list(bill_of_materials.maven_packages(listed, f"{'0' * 64}  a_2.13-1.0.jar\n"))
