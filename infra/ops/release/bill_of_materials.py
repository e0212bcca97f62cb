"""The bill of materials of a release (SBOM, CycloneDX 1.6 as JSON): every package of Python, npm and Maven in the
product, with version, licence where the source states one, and hash.

It is made of the locks by which the product is built and installed, so that it lists exactly what they name.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from packageurl import PackageURL

from infra.ops.release import ReleaseError

_LOCKED: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_NPM_LOCKS: Final = ("web/package-lock.json", "infra/deploy/geo/package-lock.json")
_KAFKA: Final = "infra/deploy/kafka"
_ALGORITHMS: Final = {"sha512": HashAlgorithm.SHA_512, "sha256": HashAlgorithm.SHA_256, "sha1": HashAlgorithm.SHA_1}


def document(root: Path, version: str, epoch: int) -> str:
    """The bill of the checkout `root`; the same for the same commit. Raises `ReleaseError`, also where the text does
    not follow CycloneDX's schema."""
    components = [
        *python_packages((root / "requirements.lock").read_text()),
        *(package for lock in _NPM_LOCKS for package in npm_packages(json.loads((root / lock).read_text()))),
        *maven_packages(_resolved(root), (root / _KAFKA / "jars.sha256").read_text()),
    ]
    unique = {str(component.purl): component for component in components}
    product = Component(
        name="althing",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref=f"althing@{version}",
        licenses=[LicenseFactory().make_from_string("Apache-2.0")],
    )
    bom = Bom(components=unique.values(), serial_number=uuid5(NAMESPACE_URL, "\n".join([version, *sorted(unique)])))
    bom.metadata.component = product
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.register_dependency(product, unique.values())
    from cyclonedx.validation.json import JsonStrictValidator  # a second, for grammars that only this needs

    text = JsonV1Dot6(bom).output_as_string(indent=1) + "\n"
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong is not None:
        raise ReleaseError(f"The bill of materials does not follow CycloneDX's schema: {wrong}")
    return text


def python_packages(lock: str) -> Iterator[Component]:
    """The packages of a lock of uv. It has the hashes of every file that some machine may install, which are not those
    of one component; the wheel contains the lock."""
    for name, version in _LOCKED.findall(lock):
        yield _component(PackageURL("pypi", name=name.lower(), version=version), name)


def npm_packages(lock: dict[str, Any]) -> Iterator[Component]:
    """The packages of a lock of npm that the built app may contain: those that are not of developers."""
    for path, row in lock["packages"].items():
        if not path or row.get("dev"):
            continue
        name = path.rpartition("node_modules/")[2]
        scope, _, bare = name.rpartition("/")
        purl = PackageURL("npm", namespace=scope or None, name=bare, version=row["version"])
        yield _component(purl, name, row.get("license"), _integrity(row.get("integrity", "")))


def maven_packages(resolved: str, sums: str) -> Iterator[Component]:
    """The jars that Maven resolved (`dependency:list`), with the SHA-256 that the list of jars names. Raises
    `ReleaseError` where the two differ."""
    wanted = {name: digest for digest, name in (line.split() for line in sums.splitlines())}
    rows = re.findall(r"^ +([\w.-]+):([\w.-]+):jar:([\w.-]+):(?:compile|runtime)", resolved, re.MULTILINE)
    jars = {f"{artifact}-{version}.jar": (group, artifact, version) for group, artifact, version in rows}
    if jars.keys() != wanted.keys():
        raise ReleaseError(f"Maven resolves other jars than the list names: {sorted(jars.keys() ^ wanted.keys())}.")
    for jar, (group, artifact, version) in sorted(jars.items()):
        purl = PackageURL("maven", namespace=group, name=artifact, version=version)
        yield _component(purl, artifact, None, [HashType(alg=HashAlgorithm.SHA_256, content=wanted[jar])], group)


def _component(
    purl: PackageURL, name: str, licence: str | None = None, hashes: Iterable[HashType] = (), group: str | None = None
) -> Component:
    return Component(
        name=name,
        group=group,
        version=purl.version,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=str(purl),
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
        hashes=hashes,
    )


def _integrity(text: str) -> Iterator[HashType]:
    """The hashes of npm's `sha512-BASE64 …`."""
    for part in text.split():
        algorithm, _, digest = part.partition("-")
        yield HashType(alg=_ALGORITHMS[algorithm], content=base64.b64decode(digest).hex())


def _resolved(root: Path) -> str:
    """Returns Maven's list of Kafka's jars, with their groups."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "list"
        command = ["mvn", "--strict-checksums", "-q", "-B", "-f", f"{_KAFKA}/pom.xml", "dependency:list"]
        try:
            subprocess.run([*command, "-DincludeScope=runtime", f"-DoutputFile={output}"], cwd=root, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise ReleaseError("Maven could not list Kafka's jars; a release needs Java 17 and Maven.") from error
        return output.read_text()
