"""The sources of settings: the environment, a file `.env`, files of secrets, and systemd's credentials.

Containers get secrets as files: `NAME_FILE` names the file that has the value of a secret setting `NAME`.

systemd passes secrets as files in a folder that only the service can read (`LoadCredential=`,
`$CREDENTIALS_DIRECTORY`). A file that is named like a setting contains its value. A credential whose setting also has a
value elsewhere is a problem: neither silently takes precedence. The environment does over `.env`, for one run with
another value.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from pathlib import Path
from typing import Final

from infra.kernel.config.problems import SettingsProblem

CREDENTIALS_DIRECTORY = "CREDENTIALS_DIRECTORY"
FILE_SUFFIX: Final = "_FILE"
"""A secret setting with this suffix names the file that has its value, as container secrets are."""
PREFIX = "ALTHING_"
"""Names with this prefix are settings of this program only: an unknown one is an error."""


def read(
    environ: Mapping[str, str], env_file: Path | None, known: Container[str], secrets: Collection[str]
) -> tuple[Mapping[str, str], tuple[SettingsProblem, ...]]:
    """The values of all sources by name, and what is wrong with the sources."""
    problems: list[SettingsProblem] = []
    given = dict(_read_env_file(env_file, problems)) if env_file is not None else {}
    from_file = set(given)
    given.update(environ)
    _read_secret_files(given, secrets, problems)
    for path in _credentials(environ, known):
        name = path.name
        if given.get(name, "").strip():
            other = f"in {env_file}" if name in from_file and not environ.get(name) else "in the environment"
            problems.append(
                SettingsProblem(
                    (name,),
                    f"{name} is set twice: {other} and in the credential {path}.",
                    f"Remove {name} from one of the two places.",
                )
            )
            continue
        try:
            given[name] = path.read_text().strip()
        except (OSError, ValueError) as error:
            text = f"{name}: the credential {path} cannot be read as text: {type(error).__name__}."
            problems.append(SettingsProblem((name,), text, "Write the value into that file as one line of text."))
    return given, tuple(problems)


def as_environment(environ: Mapping[str, str], known: Container[str]) -> dict[str, str]:
    """The environment of child processes that get their settings as variables: credentials become variables, because
    one value in both places would be refused."""
    variables = {name: value for name, value in environ.items() if name != CREDENTIALS_DIRECTORY}
    for path in _credentials(environ, known):
        variables[path.name] = path.read_text().strip()
    return variables


def _read_secret_files(given: dict[str, str], secrets: Collection[str], problems: list[SettingsProblem]) -> None:
    """Replaces each `NAME_FILE` of a secret setting by `NAME` with the file's content."""
    for name in sorted(secrets):
        file_name = f"{name}{FILE_SUFFIX}"
        path = given.pop(file_name, "").strip()
        if not path:
            continue
        if given.get(name, "").strip():
            message = f"{name} and {file_name} are both set: set one of them."
            problems.append(SettingsProblem((name,), message, f"Remove {name} or {file_name}."))
            continue
        try:
            given[name] = Path(path).read_text()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            message = f"{file_name}: {path} cannot be read: {reason}."
            problems.append(
                SettingsProblem((name,), message, f"Correct {file_name}, or let this user read the file as text.")
            )


def _credentials(environ: Mapping[str, str], known: Container[str]) -> Iterator[Path]:
    """The files that are named like a setting; other credentials of the service are not ours."""
    folder = environ.get(CREDENTIALS_DIRECTORY, "")
    if folder and Path(folder).is_dir():
        for path in sorted(Path(folder).iterdir()):
            if path.is_file() and (path.name in known or path.name.startswith(PREFIX)):
                yield path


def _read_env_file(path: Path, problems: list[SettingsProblem]) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    values: dict[str, str] = {}
    try:
        lines = path.read_text().splitlines()
    except (OSError, ValueError) as error:
        message = f"{path} cannot be read as text: {type(error).__name__}."
        problems.append(SettingsProblem((), message, "Make it a text file that this user may read, or remove it."))
        return {}
    for number, line in enumerate(lines, start=1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if equals:
            values[name.strip()] = value.strip().strip("\"'")
        else:
            message = f"{path}, line {number}: {text.split()[0][:40]!r} is not NAME=value."
            problems.append(SettingsProblem((), message, "Write NAME=value, or remove the line."))
    return values
