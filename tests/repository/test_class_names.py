"""A class name means one thing: few names stand in several modules of the product, and none is added unseen."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Final

from infra.kernel.config.paths import ROOT
from infra.ops.retired_words import files

MAX_SHARED: Final = 32


def classes() -> dict[str, list[str]]:
    """The modules of the product that define a class, by its name. A command and the body of the route that sends it
    are one intent, and have one name."""
    modules = defaultdict[str, set[str]](set)
    for path in files(ROOT):
        if path.endswith(".py") and not path.startswith("tests/"):
            for node in ast.walk(ast.parse((ROOT / path).read_text())):
                if isinstance(node, ast.ClassDef):
                    base = {ast.unparse(each).partition("[")[0] for each in node.bases}
                    is_intent = path.startswith("command_api/") and base & {"Command", "RequestModel"}
                    modules[node.name].add("/".join(path.split("/")[:2]) if is_intent else path)
    return {name: sorted(found) for name, found in modules.items()}


def test_few_class_names_stand_in_several_modules() -> None:
    shared = {name: modules for name, modules in classes().items() if len(modules) > 1}
    assert len(shared) <= MAX_SHARED, shared
