"""The variants of a split: each has a number in its link that clicks and reports name it by. Pure.

A variant that stays keeps its number, whatever its place. A number that was given once is never given to another one:
the clicks of a variant stay its own, also after it was taken away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from command_api.kernel.decision import invalid
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events.links import Routing, Variant

MAX_VARIANTS: Final = 10
MAX_NAME: Final = 40
"""Characters of the name of a variant."""


def numbered(wanted: Sequence[Variant], current: Sequence[Variant], last: int) -> tuple[Variant, ...]:
    """The variants with their numbers; 0 names none: it is the current variant with its destination and partner, else a
    new one. `last`: the highest number given so far. Raises `CommandRejected`."""
    known, named = {variant.number for variant in current}, [variant.number for variant in wanted if variant.number]
    for place, variant in enumerate(wanted):
        if variant.number and (variant.number not in known or named.count(variant.number) > 1):
            message = f"The link has no variant {variant.number}, or it is named twice."
            raise invalid("unknown_variant", message, f"variants.{place}.number")
    left = {(one.destination, one.partner_id): one for one in reversed(current) if one.number not in named}
    found = []
    for variant in wanted:
        if not variant.number:
            held = left.pop((variant.destination, variant.partner_id), None)
            last += held is None
            variant = variant.model_copy(update={"number": held.number if held is not None else last})
        found.append(variant)
    return tuple(found)


def has_other_weights(wanted: Sequence[Variant], current: Sequence[Variant]) -> bool:
    """Returns whether a variant that stays has another weight than before, or no variant is left to compare."""
    weights = {variant.number: variant.weight for variant in current}
    return len(wanted) < 2 or any(weights.get(each.number, each.weight) != each.weight for each in wanted)


def checked_names(variants: Sequence[Variant]) -> None:
    """Raises `CommandRejected`."""
    used = set[str]()
    for place, variant in enumerate(variants):
        name, field = variant.name, f"variants.{place}.name"
        if len(name) > MAX_NAME or not (name.isprintable() or not name) or HIDDEN.search(name):
            message = f"The name of a variant has at most {MAX_NAME} printable characters."
            raise invalid("bad_variant_name", message, field)
        if name and name.casefold() in used:
            raise invalid("bad_variant_name", "Another variant has this name.", field)
        used.add(name.casefold())


def kept_winner(routing: Routing) -> int | None:
    """Returns the winner as long as its variant is there: without it the test goes on between the others."""
    return routing.winner if any(variant.number == routing.winner for variant in routing.variants) else None


def with_winner(routing: Routing, number: int | None) -> Routing:
    """The routing after the test was ended with that winner; none: it goes on. Raises `CommandRejected`."""
    if number is not None and all(variant.number != number for variant in routing.variants):
        raise invalid("unknown_variant", f"The link has no variant {number}.", "variant")
    return routing.model_copy(update={"winner": number})
