"""The picture of `docs/architecture.md`, from the import graph and the layers that import-linter checks.

An arrow points from the importing package to the imported one and passes behind the layers between them. Its width is
the order of magnitude of the number of imports, so that the picture changes only when the structure does.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, product
from typing import Any, Final, NamedTuple

import grimp

from infra.kernel.config.paths import ROOT

PATH: Final = ROOT / "docs" / "images" / "architecture.svg"
SERVICES: Final = ("command_api", "query_api")  # with a kernel, and a package for each context
WIDTH: Final = 1260
_PAD, _GAP, _SIDE, _TITLE, _CHIP, _ROW, _FLOOR, _LANE = 10, 12, 76, 130, 22, 27, 46, 20
"""Pixels: inside a box, between boxes, beside the services, a title, a chip, a row, between layers, between arrows."""


class Box(NamedTuple):
    """A package as it is drawn; the only one of its layer is a bar. `content`: its title and subpackages."""

    name: str
    layer: int
    is_bar: bool
    x: int
    y: int
    width: int
    height: int
    content: str


def diagram() -> str:
    """The picture as SVG."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    graph = grimp.build_graph(*settings["root_packages"], cache_dir=None)
    boxes = _boxes(graph, layers_of(settings))
    drawn = (f'<g class="layer{box.layer}">{_rect(*box[3:7], "box")}{box.content}</g>' for box in boxes)
    arrows = _arrows(boxes, imports_between(graph, [box.name for box in boxes]))
    y = boxes[-1].y + boxes[-1].height + 30
    lists = [_context_imports(graph, service, _PAD + WIDTH * i // 2, y + 36) for i, service in enumerate(SERVICES)]
    size = f"{WIDTH} {y + 36 + _ROW * max(map(len, lists))}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">{_STYLE}{_text(_PAD, y, _LEGEND)}'
    return "\n".join([head, *arrows, *drawn, *chain(*lists), "</svg>\n"])


def layers_of(settings: Mapping[str, Any]) -> list[list[str]]:
    """The packages of each layer, the highest layer first; of `infra` those of the second level."""
    contract = next(each for each in settings["contracts"] if each["type"] == "layers")
    layers = ([".".join(name.split(".")[:2]) for name in layer.split(" | ")] for layer in contract["layers"])
    return [list(dict.fromkeys(layer)) for layer in layers]


def imports_between(graph: grimp.ImportGraph, packages: Collection[str]) -> Counter[tuple[str, str]]:
    """The number of imports in modules of one package from modules of another."""
    owners = {module: name for module in graph.modules for name in packages if f"{module}.".startswith(f"{name}.")}
    imports = ((module, other) for module in owners for other in graph.find_modules_directly_imported_by(module))
    pairs = ((owners[module], owners[other]) for module, other in imports if other in owners)
    return Counter((importer, imported) for importer, imported in pairs if importer != imported)


def _subpackages(graph: grimp.ImportGraph, package: str) -> list[str]:
    return sorted(name.rpartition(".")[2] for name in graph.find_children(package) if graph.find_children(name))


def _boxes(graph: grimp.ImportGraph, layers: Sequence[Sequence[str]]) -> list[Box]:
    contexts = {name for service in SERVICES for name in _subpackages(graph, service)} - {"kernel"}
    boxes, y = list[Box](), _PAD
    for layer, names in enumerate(layers):
        is_bar, row = len(names) == 1, list[Box]()
        x = _PAD if is_bar else _PAD + _SIDE
        for name in names:
            inside = _subpackages(graph, name)
            inside += _subpackages(graph, f"{name}.read_models") if "read_models" in inside else []
            chips = sorted(inside, key=lambda chip: (chip in contexts, chip))
            columns, left, top = (len(chips), _TITLE, 0) if is_bar else (1 + (len(chips) > 6), _PAD, _ROW)
            content, right, bottom = _grid(chips, columns, x + left, y + _PAD + top, contexts)
            width = WIDTH - 2 * _PAD if is_bar else right + _PAD - x
            content += _text(x + _PAD, y + _PAD + 16, name.replace(".", "/"), "title")
            row.append(Box(name, layer, is_bar, x, y, width, bottom + _PAD - y, content))
            x += width + _GAP
        boxes += [box._replace(height=max(each.height for each in row)) for box in row]
        y += boxes[-1].height + _FLOOR
    return boxes


def _grid(names: Sequence[str], columns: int, x: int, y: int, contexts: Collection[str]) -> tuple[str, int, int]:
    """The chips in columns, and where they end: right and bottom."""
    parts, rows = list[str](), -(-len(names) // columns)
    for column in (names[start : start + rows] for start in range(0, len(names), rows)):
        width = max(len(name) for name in column) * 7 + 20
        for place, name in enumerate(column):
            style = "context" if name in contexts else "mechanism"
            parts.append(_rect(x, y + place * _ROW, width, _CHIP, style))
            parts.append(_text(x + width // 2, y + place * _ROW + 15, name, "chip"))
        x += width + 5
    return "".join(parts), x - 5, y + (rows - 1) * _ROW + _CHIP


def _arrows(boxes: Sequence[Box], imports: Mapping[tuple[str, str], int]) -> list[str]:
    """The services' arrows begin in their middle, those of the highest layer on the right, others on the left."""
    arrows = []
    for source, target in (pair for pair in product(boxes, boxes) if (pair[0].name, pair[1].name) in imports):
        first = {0: WIDTH - _SIDE, 1: source.x + source.width // 2 - _LANE}.get(source.layer, _LANE * source.layer - 30)
        x = first + _LANE * (target.layer - 2) if target.is_bar else target.x + target.width // 2
        width, end = 2 * len(str(imports[source.name, target.name])) - 1, target.y
        line, point = f"M{x} {source.y + source.height}V{end - 8}", f"M{x} {end}l-{4 + width // 2}-9h{7 + width}z"
        group = f'<g class="arrow layer{target.layer}" data-from="{source.name}" data-to="{target.name}">'
        arrows.append(f'{group}<path stroke-width="{width}" d="{line}"/><path d="{point}"/></g>')
    return arrows


def _context_imports(graph: grimp.ImportGraph, service: str, x: int, y: int) -> list[str]:
    """A title, and a row for each context that imports others."""
    contexts, imported = set(_subpackages(graph, service)) - {"kernel"}, dict[str, list[str]]()
    for pair in sorted(imports_between(graph, [f"{service}.{name}" for name in contexts])):
        importer, other = (name.rpartition(".")[2] for name in pair)
        imported.setdefault(importer, []).append(other)
    rows = [_text(x, y, f"{service}: imports between contexts", "title")]
    for importer, others in imported.items():
        y += _ROW
        arrow = f'<path stroke-width="1" d="M{x + 98} {y - 4}h20"/><path d="M{x + 126} {y - 4}l-9-4v8z"/>'
        chips = _grid(others, len(others), x + 130, y - 15, contexts)[0]
        rows.append(f'{_text(x, y, importer)}<g class="arrow">{arrow}</g>{chips}')
    return rows


def _rect(x: int, y: int, width: int, height: int, style: str) -> str:
    return f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>'


def _text(x: int, y: int, text: str, style: str = "plain") -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{text}</text>'


_LEGEND: Final = "An arrow points to the imported package; width: up to 9, 99, 999 imports. Outlined: a context."
_STYLE: Final = """<style>
svg{--page:#fff;--ink:#1f2937;--line:#cbd5e1;--c:#64748b;background:var(--page);font:13px system-ui,sans-serif}
.layer0{--c:#b45309}.layer1{--c:#7c3aed}.layer2{--c:#0f766e}.layer3{--c:#2563eb}
@media(prefers-color-scheme:dark){svg{--page:#0f172a;--ink:#e2e8f0;--line:#475569;--c:#94a3b8}
.layer0{--c:#fbbf24}.layer1{--c:#a78bfa}.layer2{--c:#2dd4bf}.layer3{--c:#60a5fa}}
text{fill:var(--ink)}.title{font-weight:600}.chip{font-size:12px;text-anchor:middle}
.box{fill:var(--page);stroke:var(--c);stroke-width:1.5}.mechanism{fill:var(--c);fill-opacity:.22}
.context{fill:none;stroke:var(--line)}.arrow{fill:var(--c);stroke:var(--c)}.arrow :last-child{stroke:none}</style>"""
