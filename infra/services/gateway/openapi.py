"""One description of the whole API out of the services' own and the tracking API's, as JSON and as a page for people.

Names of schemas are unique over both services: a test of the whole API finds those that are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from infra import PRODUCT_NAME
from infra.services.gateway import tracking_api

_METHODS = ("get", "post", "put", "patch", "delete")
_PREFIX = "#/components/"


def merged(documents: Sequence[Mapping[str, Any]], app_url: str, tracking_url: str) -> dict[str, Any]:
    """The documents as one, with the tracking API. Components of the same name and different content, as two versions
    during an upgrade may have, keep apart: the later gets a number."""
    paths: dict[str, dict[str, Any]] = {}
    components: dict[str, dict[str, Any]] = {}
    for document in documents:
        renamed: dict[str, str] = {}
        own: Mapping[str, Mapping[str, Any]] = document.get("components", {})
        for kind, entries in own.items():
            earlier = components.setdefault(kind, {})
            for name, content in entries.items():
                if name in earlier and earlier[name] != content:
                    renamed[f"{_PREFIX}{kind}/{name}"] = f"{_PREFIX}{kind}/{_unused(name, {*earlier, *entries})}"
        for kind, entries in own.items():
            for name, content in entries.items():
                target = renamed.get(f"{_PREFIX}{kind}/{name}", f"{_PREFIX}{kind}/{name}").rpartition("/")[2]
                components[kind].setdefault(target, _pointed(content, renamed))
        for path, operations in document.get("paths", {}).items():
            paths.setdefault(path, {}).update(_pointed(operations, renamed))
    components.setdefault("schemas", {}).update(tracking_api.SCHEMAS)
    components.setdefault("securitySchemes", {}).update(tracking_api.SECURITY_SCHEMES)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{PRODUCT_NAME} API", "version": "1"},
        "servers": [{"url": app_url}],
        "paths": dict(sorted(paths.items())) | tracking_api.paths(tracking_url),
        "components": components,
    }


def page(document: Mapping[str, Any]) -> bytes:
    """The document as one HTML page without scripts: every call with its parameters, body and answers."""
    sections = [
        _call(method, path, operations[method])
        for path, operations in document["paths"].items()
        for method in _METHODS
        if method in operations
    ]
    title = escape(document["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style><main><h1>{title}</h1>"
        f'<p>{len(sections)} calls. Machine-readable: <a href="/api/openapi.json">/api/openapi.json</a>.</p>'
        f"{''.join(sections)}</main></html>"
    ).encode()


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}"
    "main{max-width:60rem;margin:auto;padding:1rem}details{border:1px solid #ccc;border-radius:6px;margin:.4rem 0;"
    "padding:.4rem .8rem}summary{cursor:pointer;overflow-wrap:anywhere}code{font-size:.95em}b{text-transform:uppercase}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#111}a{color:#8bf}details{border-color:#444}}"
)


def _call(method: str, path: str, operation: Mapping[str, Any]) -> str:
    text = operation.get("description") or ""
    parts = [f"<p>{escape(text)}</p>" if text else ""]
    parameters = operation.get("parameters", [])
    if parameters:
        rows = "".join(
            f"<li><code>{escape(p['name'])}</code> ({escape(p['in'])}{', required' if p.get('required') else ''}) "
            f"{escape(p.get('description', ''))}</li>"
            for p in parameters
            if "name" in p
        )
        parts.append(f"<p>Parameters</p><ul>{rows}</ul>")
    bodies = operation.get("requestBody", {}).get("content", {}).values()
    parts += [f"<p>Body: <code>{escape(_shape(body.get('schema', {})))}</code></p>" for body in bodies]
    answers = "".join(
        f"<li>{escape(status)}: {escape(answer.get('description', ''))}"
        + "".join(f" <code>{escape(_shape(c.get('schema', {})))}</code>" for c in answer.get("content", {}).values())
        + "</li>"
        for status, answer in operation.get("responses", {}).items()
    )
    parts.append(f"<p>Answers</p><ul>{answers}</ul>")
    summary = f"<b>{method}</b> <code>{escape(path)}</code> {escape(operation.get('summary', ''))}"
    return f"<details><summary>{summary}</summary>{''.join(parts)}</details>"


def _shape(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"[{_shape(schema.get('items', {}))}]"
    for kind in ("anyOf", "oneOf", "allOf"):
        if kind in schema:
            return " | ".join(_shape(part) for part in schema[kind])
    return str(schema.get("type", "any"))


def _pointed(value: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: renamed.get(part, part) if key == "$ref" and isinstance(part, str) else _pointed(part, renamed)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_pointed(part, renamed) for part in value]
    return value


def _unused(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"
