"""The pipelines of ingest: for each source the steps that an event takes, from top to bottom.

A step is a function that completes the event in place, or drops it by raising `EventRejected`. What it needs of the
service are keyword parameters, named as in `IngestContext`; `Pipeline.bound` gives them. `before` and `after` are the
parts of a request that wait for something (a look-up, a turn, the log): the endpoint does them and names them to its
`Runner`. `/metrics` has drops by step and reason, and the time of each step (`ingest.metrics`).
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from time import perf_counter
from types import FunctionType
from typing import Any, Concatenate, Final, Generic, Protocol, TypeVar

from ingest.errors import EventRejected
from ingest.event import ImportedPage, LinkClick, ReportedEvent, SiteEvent
from ingest.metrics import Counters, SourceMetrics
from ingest.steps import click, imported, report
from ingest.steps.detect_bot import detect_bot
from ingest.steps.detect_suspicion import detect_suspicion
from ingest.steps.enrich import enrich
from ingest.steps.pseudonymise import pseudonymise
from ingest.steps.record import to_record, to_record_by_id
from ingest.steps.resolve_network import resolve_network
from ingest.steps.seal_ad_ids import seal_ad_ids, seal_link_ad_ids
from ingest.steps.stamp import set_time, stamp
from ingest.steps.validate import validate

E = TypeVar("E")
Step = Callable[[E], None]
BoundSteps = tuple[Step[Any], ...]
"""Each is named after its function."""
TIMED_EVERY: Final = 256
"""One request in so many is timed: reading the clock at every step of each costs more than some steps."""
NO_STEP: Final = ""
"""A request in it is with the steps of its events, or answered."""


class Pipeline(Generic[E]):
    """The steps of one source, in order; a step is named after its function."""

    def __init__(
        self,
        source: str,
        *steps: Callable[Concatenate[E, ...], None],
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
    ) -> None:
        self.source, self.steps = source, steps
        self.before, self.after = before, after
        self._first = before[0] if before else NO_STEP

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the names of all steps from the request to the answer."""
        return (*self.before, *(step.__name__ for step in self.steps), *self.after)

    def bound(self, parts: object) -> BoundSteps:
        """Returns the steps, bound to their dependencies among `parts`."""
        return tuple(_bound(step, parts) for step in self.steps)

    def runner(self, parts: StepDependencies) -> Runner[E]:
        """Returns a runner for a new request, whose first step begins now."""
        steps = parts.steps.get(self.source)
        if steps is None:
            steps = parts.steps[self.source] = self.bound(parts)
        return self.new_runner(steps, parts.counters)

    def new_runner(self, steps: BoundSteps, counters: Counters) -> Runner[E]:
        """The same for steps that are bound."""
        metrics = counters.sources[self.source]
        metrics.requests += 1
        if metrics.requests % TIMED_EVERY == 1:
            return _TimedRunner(steps, metrics, self._first)
        return Runner(steps, metrics, self._first)


class StepDependencies(Protocol):
    """The dependencies of the steps of all pipelines. `steps`: the steps that are bound to them, by source."""

    counters: Counters
    steps: dict[str, BoundSteps]


def _bound(step: Callable[Concatenate[Any, ...], None], parts: object) -> Step[Any]:
    """The same function with the parts as defaults of its keyword parameters. A `partial` would make a dictionary at
    each call, which costs a batch a tenth more."""
    needed = [name for name, one in signature(step).parameters.items() if one.kind is Parameter.KEYWORD_ONLY]
    if not needed or not isinstance(step, FunctionType):
        return step
    bound = FunctionType(step.__code__, step.__globals__, step.__name__, step.__defaults__, step.__closure__)
    bound.__kwdefaults__ = {name: getattr(parts, name) for name in needed}
    return bound


class Runner(Generic[E]):
    """Takes the events of one request through the steps, and counts what is dropped.

    `current` is the step that the request is in. Set it at the begin of each step, and to `NO_STEP` before the first
    event and after the answer.
    """

    __slots__ = ("_metrics", "_steps", "current")

    def __init__(self, steps: BoundSteps, metrics: SourceMetrics, first: str) -> None:
        self._steps, self._metrics = steps, metrics
        self.current = first

    def run(self, event: E) -> EventRejected | None:
        """Completes the event. Returns why a step dropped it; none did: None."""
        try:
            for step in self._steps:
                step(event)
        except EventRejected as error:
            self._metrics.drop(step.__name__, error.code)
            return error.with_traceback(None)  # which would keep the frames of the steps
        return None

    def complete(self, event: E) -> None:
        """The same for the only event of the request. Raises `EventRejected`."""
        self.current = NO_STEP
        error = self.run(event)
        if error is not None:
            raise error

    def drop(self, reason: str, step: str | None = None) -> None:
        """Counts a request that its current step rejects, or an event that `step` of the request drops. The drops of
        `run` are counted already."""
        step = self.current if step is None else step
        if step != NO_STEP:
            self._metrics.drop(step, reason)


class _TimedRunner(Runner[E]):
    """Measures each step: those of the request, which include waiting, from one setting of `current` to the next."""

    __slots__ = ("_since", "_step")

    def __init__(self, steps: BoundSteps, metrics: SourceMetrics, first: str) -> None:
        self._step, self._since = NO_STEP, 0.0
        super().__init__(steps, metrics, first)

    def run(self, event: E) -> EventRejected | None:
        error = None
        for step in self._steps:
            since = perf_counter()
            try:
                step(event)
            except EventRejected as rejected:
                error = rejected
            self._metrics.observe(step.__name__, perf_counter() - since)
            if error is not None:
                self._metrics.drop(step.__name__, error.code)
                break
        return error

    @property
    def current(self) -> str:
        """The step that is measured. A slot in the base class, where setting it must cost nothing."""
        return self._step

    @current.setter
    def current(self, step: str) -> None:
        now = perf_counter()
        if self._step != NO_STEP:
            self._metrics.observe(self._step, now - self._since)
        self._step, self._since = step, now


TRACK: Final = Pipeline[SiteEvent](
    "track",
    validate,
    enrich,
    resolve_network,
    set_time,
    pseudonymise,
    detect_suspicion,
    stamp,
    seal_ad_ids,
    to_record,
    before=("identify_site", "decode", "look_up", "limit_rate"),
    after=("publish", "answer"),
)
PIXEL: Final = Pipeline[SiteEvent](
    "pixel",
    validate,
    enrich,
    detect_bot,
    set_time,
    pseudonymise,
    detect_suspicion,
    stamp,
    seal_ad_ids,
    to_record_by_id,
    before=("decode", "identify_site", "look_up", "limit_rate"),
    after=("publish", "answer"),
)
REDIRECT: Final = Pipeline[LinkClick](
    "redirect",
    click.mint_click_id,
    click.set_subs,
    click.enrich,
    detect_bot,
    click.pseudonymise,
    click.detect_suspicion,
    seal_link_ad_ids,
    to_record_by_id,
    before=("look_up", "choose_route"),
    after=("publish", "answer"),
)
POSTBACK: Final = Pipeline[ReportedEvent](
    "postback",
    report.limit_rate,
    report.check_permission,
    report.set_time,
    report.encode_props,
    report.to_reported,
    before=("decode", "look_up", "identify_site"),
    after=("claim", "publish", "answer"),
)
REPORT: Final = Pipeline[ReportedEvent](
    "report", *POSTBACK.steps, before=("identify_site", "decode"), after=POSTBACK.after
)
"""`POST /track/sale` and `/track/lead`: a report by the website itself."""
IMPORT: Final = Pipeline[ImportedPage]("import", imported.enrich, detect_bot, imported.pseudonymise, to_record_by_id)
"""A line of an access log. The command reads, looks up and publishes whole batches."""

ALL: Final = (TRACK, PIXEL, REDIRECT, POSTBACK, REPORT, IMPORT)
