"""All problems of the settings at once, and the credentials of systemd as a source of values."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.kernel.config.loading import child_environment, examine, load
from infra.kernel.config.settings import SettingsError

KEY = "0123456789abcdef" * 4


def credential(folder: Path, name: str, value: str) -> dict[str, str]:
    """The environment with which systemd starts a service that has this credential."""
    (folder / name).write_text(value)
    return {"CREDENTIALS_DIRECTORY": str(folder)}


def test_every_problem_is_found_and_the_rest_can_be_used() -> None:
    found = examine(
        {
            "ALTHING_PROT": "8000",
            "ALTHING_PORT": "eight",
            "ALTHING_TRACKING_PORT": "9001",
            "KAFKA_SASL_USERNAME": "me",
            "ALTHING_GOOGLE_CLIENT_ID": "id",
        },
        None,
    )
    assert [problem.names[0] for problem in found.problems] == [
        "ALTHING_PROT",
        "ALTHING_PORT",
        "ALTHING_GOOGLE_CLIENT_ID",
        "KAFKA_SECURITY_PROTOCOL",
    ]
    assert (found.settings.port, found.settings.tracking_port) == (8000, 9001)
    assert all(problem.remedy.endswith(".") for problem in found.problems)


def test_a_misspelt_name_gets_the_right_one() -> None:
    [problem] = examine({"ALTHING_TRACKNG_PORT": "1"}, None).problems
    assert "did you mean ALTHING_TRACKING_PORT?" in problem.text
    [problem] = examine({"ALTHING_NONSENSE": "1"}, None).problems
    assert "docs/settings.md lists all" in problem.text


def test_what_follows_from_an_invalid_value_is_no_problem_of_its_own() -> None:
    found = examine({"ALTHING_ADMIN_EMAIL": "a@example.com", "ALTHING_ADMIN_PASSWORD": "short"}, None)
    assert [problem.names for problem in found.problems] == [("ALTHING_ADMIN_PASSWORD",)]


def test_no_problem_shows_a_secret(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("ALTHING_MASTER_KEY: hush-hush\n")
    environ = {"ALTHING_MASTER_KEY": "hush-hush", "POSTGRES_URL": "mysql://me:hush-hush@host"}
    problems = examine(environ, file).problems
    assert len(problems) == 3 and "hush-hush" not in str(problems)


def test_a_lines_fault_in_the_file_is_one_problem_among_others(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("ALTHING_PORT 8000\nALTHING_HOST=127.0.0.2\n")
    found = examine({}, file)
    assert ["line 1" in problem.text for problem in found.problems] == [True]
    assert found.settings.host == "127.0.0.2"


def test_a_file_that_is_no_text_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xff\xfe")
    [problem] = examine({}, file).problems
    assert "cannot be read as text" in problem.text


def test_a_credential_is_the_value_of_its_setting(tmp_path: Path) -> None:
    (tmp_path / "tls.key").write_text("another program's credential")
    assert load(credential(tmp_path, "ALTHING_MASTER_KEY", KEY + "\n"), None).master_key == KEY


def test_a_misspelt_credential_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="ALTHING_MASTERKEY is not a setting"):
        load(credential(tmp_path, "ALTHING_MASTERKEY", KEY), None)


def test_a_setting_with_two_values_is_refused_and_both_places_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    given = credential(folder, "ALTHING_MASTER_KEY", KEY)
    with pytest.raises(SettingsError, match=r"in the environment and in the credential .*/ALTHING_MASTER_KEY"):
        load({**given, "ALTHING_MASTER_KEY": KEY}, None)
    file = tmp_path / ".env"
    file.write_text(f"ALTHING_MASTER_KEY={KEY}\n")
    with pytest.raises(SettingsError, match=r"in .*\.env and in the credential"):
        load(given, file)
    assert load({**given, "ALTHING_MASTER_KEY": ""}, None).master_key == KEY, "empty is not set"


def test_a_credential_that_is_no_text_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "ALTHING_MASTER_KEY").write_bytes(b"\xff\xfe")
    [problem] = examine({"CREDENTIALS_DIRECTORY": str(tmp_path)}, None).problems
    assert "cannot be read as text" in problem.text


def test_children_get_credentials_as_variables(tmp_path: Path) -> None:
    given = {**credential(tmp_path, "ALTHING_MASTER_KEY", KEY), "PATH": "/bin"}
    assert child_environment(given) == {"PATH": "/bin", "ALTHING_MASTER_KEY": KEY}
