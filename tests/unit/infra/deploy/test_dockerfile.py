"""The image's description, read as a builder reads it: no builder is needed for what would break or weaken an image."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import Settings
from infra.ops.cli import COMMANDS
from infra.ops.health_check import addresses

TEXT = (ROOT / "infra/deploy/Dockerfile").read_text()
USER = "10001"


@dataclass
class Stage:
    """The instructions between two `FROM`."""

    image: str
    name: str
    rows: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        return [rest for name, rest in self.rows if name == instruction]

    def only(self, instruction: str) -> str:
        [found] = self.all(instruction)
        return found


def stages() -> list[Stage]:
    lines = [line for line in TEXT.splitlines() if not line.startswith("#")]
    found: list[Stage] = []
    for row in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        if not row.strip():
            continue
        instruction, rest = row.split(" ", 1)
        if instruction == "FROM":
            image, as_, name = rest.split(" ")
            assert as_ == "AS"
            found.append(Stage(image, name))
        else:
            found[-1].rows.append((instruction, rest))
    return found


STAGES = stages()
RUNTIME = STAGES[-1]


def test_base_images_are_pinned_and_slim() -> None:
    for stage in STAGES:
        assert re.fullmatch(r"(node|python):\d+\.\d+\.\d+-(slim-bookworm|bookworm-slim)", stage.image), stage.image
    assert [stage.name for stage in STAGES] == ["build", "install", "runtime"]


def test_every_source_of_a_copy_exists() -> None:
    names: list[str] = []
    for stage in STAGES:
        for row in stage.all("COPY"):
            *sources, target = row.split()
            of_stage = sources.pop(0).removeprefix("--from=") if sources[0].startswith("--from=") else None
            assert target
            if of_stage is not None:
                assert of_stage in names, f"{row}: no earlier stage has this name"
                for source in sources:
                    made = source.startswith("/src/.build/wheel/") or source == "/opt/althing"
                    assert made or (ROOT / source.removeprefix("/src/")).exists(), row
            else:
                assert sources == ["."], "the whole context, less what .dockerignore names"
        names.append(stage.name)


def test_packages_are_installed_by_hash() -> None:
    [_, install] = STAGES[1].only("RUN").split(" && ")[-2:]
    assert "--no-deps" in install, "the wheel's own packages come from the lock"
    assert "--require-hashes --only-binary :all:" in STAGES[1].only("RUN")


def test_the_last_stage_has_no_tools_of_the_build() -> None:
    installed = RUNTIME.only("RUN")
    assert "openjdk-17-jre-headless" in installed
    assert not re.search(r"\b(maven|nodejs|npm|gcc|make|git|jdk-headless)\b", installed)
    assert "rm -rf /var/lib/apt/lists/*" in installed


def test_it_runs_as_a_user_without_rights() -> None:
    assert RUNTIME.only("USER") == f"{USER}:{USER}"
    made = RUNTIME.only("RUN")
    assert f"--uid {USER}" in made and f"install --directory --owner {USER} --group {USER}" in made


def test_the_root_file_system_may_be_read_only() -> None:
    data = RUNTIME.only("VOLUME")
    environment = dict(part.split("=", 1) for part in RUNTIME.only("ENV").split())
    assert environment["ALTHING_DATA_DIR"] == environment["HOME"] == RUNTIME.only("WORKDIR") == data
    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    order = [name for name, _ in RUNTIME.rows]
    assert order.index("USER") < order.index("VOLUME"), "nothing is written into the volume after it is declared"


def test_one_image_serves_all() -> None:
    assert json.loads(RUNTIME.only("ENTRYPOINT")) == ["althing"]
    assert json.loads(RUNTIME.only("CMD")) == ["up"]
    assert RUNTIME.only("EXPOSE").split() == ["8000", "8001"]


def test_the_health_check_looks_at_readiness() -> None:
    program, command, service = json.loads(RUNTIME.only("HEALTHCHECK").split("CMD ", 1)[1])
    assert program == json.loads(RUNTIME.only("ENTRYPOINT"))[0]
    assert COMMANDS[command].target == "infra.ops.health_check:main"
    assert service in addresses(Settings())


def test_labels_say_what_it_is() -> None:
    labels = RUNTIME.only("LABEL")
    for name in ("title", "description", "licenses", "version", "revision"):
        assert f"org.opencontainers.image.{name}=" in labels
