"""What a test replaces by its name, and the files that pages and comments name, are there: nothing else reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pkgutil import resolve_name

from infra.kernel.config.paths import ROOT

PACKAGES = ("command_api", "infra", "ingest", "projectors", "query_api", "schemas", "tests")
NAMED_FILE = re.compile(rf"(?<![\w/.-])(?:{'|'.join(PACKAGES)}|web)/[\w./-]*\w")
MADE = {
    "infra/parts", "web/dist", "web/node_modules",  # by a build
    "schemas/samples/partner.noted.v1.json", "projectors/read_models/partners/partner_notes.py",  # by a worked example
    "infra/ops/migrations/postgres/NNNN_name.sql",  # by a reader of the page
}  # fmt: skip


def test_every_replaced_attribute_is_there() -> None:
    replaced = {(file.name, name) for file in (ROOT / "tests").rglob("*.py") for name in replaced_in(file.read_text())}
    assert len(replaced) > 200
    assert sorted((file, name) for file, name in replaced if not is_there(name)) == []


def test_an_attribute_that_has_moved_is_found() -> None:
    text = "from infra.ops import docs as pages\npatch.setattr(pages, 'GONE', {})\npatch.setattr('infra.ops.a.b', 1)"
    names = list(replaced_in(text))
    assert names == ["infra.ops.docs.GONE", "infra.ops.a.b"]
    assert not any(map(is_there, names))


def test_every_file_that_a_text_names_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pyproject.toml"]
    code = [file for package in PACKAGES if package != "tests" for file in (ROOT / package).rglob("*.py")]
    web = [file for kind in ("ts", "tsx") for file in (ROOT / "web" / "src").rglob(f"*.{kind}")]
    named = {(file, name) for file in (*pages, *code, *web) for name in NAMED_FILE.findall(file.read_text())}
    assert len(named) > 300
    lost = [(file, name) for file, name in named if name not in MADE and not any(ROOT.glob(f"{name}*"))]
    assert sorted((str(file.relative_to(ROOT)), name) for file, name in lost) == []


def replaced_in(text: str) -> Iterator[str]:
    """The dotted names that a test replaces, as far as it imports what has them."""
    if "setattr(" not in text and "patch" not in text:
        return
    tree = ast.parse(text)
    imported = dict(imports_of(tree))
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if not re.match(r"[\w.]*\b(setattr|delattr|object|patch)\((?!.*raising=False)", ast.unparse(call)):
            continue
        match call.args:
            case [ast.Constant(str(name)), *_] if name.startswith(PACKAGES):
                yield name
            case [ast.Name() | ast.Attribute() as owner, ast.Constant(str(name)), *_]:
                first, _, rest = ast.unparse(owner).partition(".")
                if imported.get(first, "").startswith(PACKAGES):
                    yield ".".join(filter(None, (imported[first], rest, name)))


def imports_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each imported name of the file with the dotted name of what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2


def is_there(name: str) -> bool:
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
