"""Errors of a document: one sentence that says which block, which field and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

Location = tuple[int | str, ...]
_MAX_ID: Final = 36


class DocumentRejected(ValueError):
    """A page, site or theme is not valid.

    `code` is stable; `message` is one sentence for people; `field` is the place as a path of keys and positions that
    begin at 0 (`blocks.3.items.0.answer`); `block_id` is the id of the block, as sent, if the place is in one.
    """

    def __init__(self, code: str, message: str, field: str = "", block_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.block_id = block_id


_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "string_type": "must be text",
    "string_too_long": "must have at most {max_length:,} characters",
    "too_long": "must have at most {max_length:,} entries",
    "too_short": "must have at least {min_length:,} entries",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is too large",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "greater_than_equal": "must be at least {ge:,}",
    "less_than_equal": "must be at most {le:,}",
    "greater_than": "must be more than {gt:,}",
    "literal_error": "must be one of: {expected}",
    "uuid_type": "must be an id (UUID)",
    "uuid_parsing": "must be an id (UUID)",
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "union_tag_invalid": "must be one of: {expected_tags}",
    "union_tag_not_found": "must have the field {discriminator}",
}


def rejected(error: ValidationError, data: object) -> DocumentRejected:
    """The first fault of `error` in `data`, the parsed JSON, as one error."""
    first = error.errors(include_url=False, include_input=False)[0]
    path, kind, context = first["loc"], first["type"], first.get("ctx", {})
    code = {"union_tag_invalid": "unknown_type", "union_tag_not_found": "unknown_type"}.get(kind, "invalid_document")
    place = _without_tags(path, data)
    if kind == "union_tag_invalid":
        place = (*place, str(context["discriminator"]).strip("'"))
        expected = ", ".join(tag.strip("' ") for tag in str(context["expected_tags"]).split(","))
        context = {**context, "expected_tags": expected}
    if isinstance(_value(place, data), str) and kind in ("too_short", "too_long"):
        kind = f"string_{kind}"
    return at(code, _sentence(kind, context, first["msg"]), place, data)


def at(code: str, sentence: str, place: Location, data: object) -> DocumentRejected:
    """The error `sentence` ("must be text") about the value at `place` of `data`."""
    message = f"{_named(place, data)} {sentence}."
    return DocumentRejected(code, message, ".".join(map(str, place)), _block_id(place, data))


def _sentence(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind == "value_error":
        return str(context["error"])
    if kind == "string_too_short":
        least = context["min_length"]
        return "must not be empty" if least == 1 else f"must have at least {least:,} characters"
    if kind == "too_short" and context["min_length"] == 1:
        return "must have at least one entry"
    if kind in _SENTENCES:
        return _SENTENCES[kind].format_map(context)
    return f"is not valid: {message[:1].lower()}{message[1:]}"


def _without_tags(path: Sequence[int | str], data: object) -> Location:
    """The path in the data: pydantic's has the tag of each union in it, too."""
    place: list[int | str] = []
    tags: set[str] = set()
    for key in path:
        if key in tags:
            tags = set()
            continue
        place.append(key)
        data = _inside(data, key)
        values = (data.get("type"), data.get("kind")) if isinstance(data, Mapping) else ()
        tags = {tag for tag in values if isinstance(tag, str)}
    return tuple(place)


def _inside(data: object, key: int | str) -> object:
    if isinstance(data, Mapping):
        return data.get(key)
    return data[key] if isinstance(data, list) and isinstance(key, int) and key < len(data) else None


def _value(place: Location, data: object) -> object:
    for key in place:
        data = _inside(data, key)
    return data


def _named(place: Location, data: object) -> str:
    """The place for people: `Block 4 (review), pros 2`."""
    names: list[str] = []
    for key, following in zip(place, (*place, None)[1:], strict=True):
        if isinstance(following, int):
            names.append(_entry(key, following, data))
        elif isinstance(key, str):
            names.append(f'"{key[:40]}"')
    return ", ".join(names) or "The document"


def _entry(key: int | str, number: int, data: object) -> str:
    if key == "blocks":
        block = _of_block(number, data)
        kind = block.get("type") if block is not None else None
        return f"Block {number + 1}" + (f" ({kind[:20]})" if isinstance(kind, str) else "")
    if key == "pages":
        return f"Page {number + 1}"
    return f"{key} {number + 1}"


def _of_block(number: int, data: object) -> Mapping[str, Any] | None:
    blocks = data.get("blocks") if isinstance(data, Mapping) else None
    block = blocks[number] if isinstance(blocks, list) and number < len(blocks) else None
    return block if isinstance(block, Mapping) else None


def _block_id(place: Location, data: object) -> str | None:
    if len(place) < 2 or place[0] != "blocks" or not isinstance(place[1], int):
        return None
    block = _of_block(place[1], data)
    block_id = block.get("id") if block is not None else None
    return block_id if isinstance(block_id, str) and len(block_id) <= _MAX_ID else None
