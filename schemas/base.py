"""Defines the base of every decided event: a frozen, versioned pydantic class that registers itself under a stable
name.

A new event is one class in `schemas/events/<context>.py` with `NAME`, a docstring and a golden sample in
`schemas/samples/<NAME>.v<VERSION>.json`; nothing else needs editing here.

Versioning: optional fields may be added without a new version. A rename or split raises `VERSION` and adds an entry to
`UPCASTS` that turns the stored state of the version before into this one's; the stored bytes are never rewritten. A new
meaning is a new name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Final, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

T = TypeVar("T")


@dataclass(frozen=True)
class PersonalField:
    """Marks a string field with personal data: stored encrypted with that person's own key."""


Personal = Annotated[T, PersonalField()]
"""`Personal[str]`: encrypted per person in the log and the stores; erasing the person's key blanks it everywhere."""


@dataclass(frozen=True)
class SealedField:
    """Marks a field, of an event or of a value in it, that leads to a website's visitor: stored sealed for that person
    (`schemas.envelope`). It needs a default: what it reads as once the person is erased. `keeps_names`: of an object of
    texts, the names stay in clear, with `ERASED` as texts."""

    keeps_names: bool = False


Sealed = Annotated[T, SealedField()]
"""`Sealed[str]`: sealed in the log and the event store; erasing the person's leaf of the key empties it everywhere."""
SealedTexts = Annotated[dict[str, str], SealedField(keeps_names=True)]
"""Texts of which the names decide something, also once the person is erased."""

ERASED: Final = "[erased]"
"""The value of a `Personal` field once its person's key is deleted."""


class UnknownEvent(ValueError):
    """A stored event has a name, version or field that this code does not know: a newer version wrote it."""


class Frozen(BaseModel):
    """Base of every value inside an event."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings", allow_inf_nan=False)


class MoneySum(Frozen):
    """A sum of any number of amounts in integer minor units of an ISO 4217 currency (1099 USD = $10.99).

    As much as an Int128 of ClickHouse or a numeric of Postgres adds up to. Never a float.
    """

    amount: int = Field(ge=-(10**38), le=10**38, description="Minor units")
    currency: str = Field(pattern=r"^[A-Z]{3}$")


class Money(MoneySum):
    """One amount. Commands and ingest take at most `schemas.currencies.MAX_AMOUNT`; older events contain up to 2^53."""

    amount: int = Field(ge=-(2**53), le=2**53, description="Minor units")


class DomainEvent(Frozen):
    """A decided fact, past tense, immutable. Stored by `command_api.kernel.event_store`, copied to topic `domain` by
    the relay."""

    NAME: ClassVar[str]
    VERSION: ClassVar[int] = 1
    UPCASTS: ClassVar[Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
    """From version n to n + 1: takes and gives the state as a JSON-like dict."""
    SUBJECT: ClassVar[str] = "originator_id"
    """The field that holds the id of the person whose key encrypts the `Personal` fields: the aggregate itself, or, in
    something that people write into (a thread, an offer), not the author."""

    originator_id: UUID = Field(description="Id of the aggregate")
    originator_version: int = Field(ge=1, description="Position in the aggregate's history")
    timestamp: datetime = Field(description="When it was decided, UTC")
    actor_id: UUID | None = Field(default=None, description="Requesting account; none: the system")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if "NAME" not in cls.__dict__:
            raise TypeError(f"{cls.__name__} has no NAME")
        if not (cls.__doc__ or "").strip():
            raise TypeError(f"{cls.__name__} has no docstring")
        registered = REGISTRY.get(cls.NAME)
        if registered is not None and registered.__qualname__ != cls.__qualname__:
            raise TypeError(f"{cls.NAME} is already the name of {registered.__name__}")
        REGISTRY[cls.NAME] = cls


REGISTRY: Final[dict[str, type[DomainEvent]]] = {}
"""Every event class by its stable name. Complete once `schemas.events` is imported."""


@cache
def personal_fields(event_class: type[DomainEvent]) -> frozenset[str]:
    """Names of the fields of `event_class` that are `Personal`."""
    return frozenset(
        name
        for name, info in event_class.model_fields.items()
        if any(isinstance(marker, PersonalField) for marker in info.metadata)
    )


@cache
def sealed_fields(model: type[BaseModel]) -> Mapping[tuple[str, ...], Any]:
    """The `Sealed` fields of a model and of the values in it, each by its path, with its default."""
    return {path: default for path, (_, default) in _sealed(model).items()}


@cache
def sealed_with_names(model: type[BaseModel]) -> frozenset[tuple[str, ...]]:
    """The paths of those that keep their names."""
    return frozenset(path for path, (marker, _) in _sealed(model).items() if marker.keeps_names)


@cache
def _sealed(model: type[BaseModel]) -> Mapping[tuple[str, ...], tuple[SealedField, Any]]:
    fields: dict[tuple[str, ...], tuple[SealedField, Any]] = {}
    for name, info in model.model_fields.items():
        own = next((marker for marker in info.metadata if isinstance(marker, SealedField)), None)
        if own is not None:
            fields[(name,)] = own, info.get_default(call_default_factory=True)
            continue
        for inner, is_single in _models_in(info.annotation):
            sealed = _sealed(inner)
            if sealed and not is_single:
                raise TypeError(f"{model.__name__}.{name}: what is in a collection cannot be sealed")
            fields |= {(name, *path): each for path, each in sealed.items()}
    return fields


def _models_in(annotation: Any, *, is_single: bool = True) -> Iterator[tuple[type[BaseModel], bool]]:
    """Yields the models of an annotation; false: one that is in a collection."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_single
    origin = get_origin(annotation)
    for argument in get_args(annotation):
        yield from _models_in(argument, is_single=is_single and origin in (Union, UnionType))


def subject_of(event_class: type[DomainEvent], aggregate_id: UUID, state: Mapping[str, Any]) -> UUID:
    """Returns the subject whose key encrypts the event's `Personal` fields. `state`: JSON-like, of the current
    version."""
    return aggregate_id if event_class.SUBJECT == "originator_id" else UUID(state[event_class.SUBJECT])


def upcast(name: str, version: int, state: dict[str, Any]) -> tuple[type[DomainEvent], dict[str, Any]]:
    """The class for `name` and `state` brought to its current version. Raises `UnknownEvent`."""
    event_class = REGISTRY.get(name)
    if event_class is None:
        raise UnknownEvent(f"no event is called {name!r}")
    if not 1 <= version <= event_class.VERSION:
        raise UnknownEvent(f"{name} has versions 1 to {event_class.VERSION}, not {version}")
    for step in range(version, event_class.VERSION):
        state = event_class.UPCASTS[step](state)
    return event_class, state


def validated(event_class: type[DomainEvent], state: dict[str, Any]) -> DomainEvent:
    """The event of a state of the current version. Raises `UnknownEvent` for a field that this code does not have, and
    `ValidationError`."""
    try:
        return event_class.model_validate(state)
    except ValidationError as error:
        unknown = [str(each["loc"][-1]) for each in error.errors() if each["type"] == "extra_forbidden"]
        if unknown:
            raise UnknownEvent(f"{event_class.NAME} has no {', '.join(unknown)}") from error
        raise
