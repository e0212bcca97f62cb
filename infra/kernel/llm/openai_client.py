"""The call itself, by the `openai` package: strict JSON schema, no tools, no redirects, a bounded answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI

from infra.llm.asking import Answer, Question
from infra.settings import Settings

MOST_BYTES: Final = 256 * 1024
PAUSE_S: Final = 0.5
_CONNECT_S: Final = 3.0
_READ_S: Final = 25.0
_MOST_TOKENS: Final = 2**31 - 1
_PASSES: Final = frozenset({408, 409, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Said:
    """The answer's text, and the tokens that the endpoint says it took; none when it does not say."""

    text: str
    tokens: int | None


async def call(settings: Settings, question: Question[Answer], system: str, data: str) -> Said:
    """Asks once, and once more after a failure that may pass and certainly cost nothing: what is reserved is enough for
    one answer. Raises what the library raises."""
    try:
        return await _asked(settings, question, system, data)
    except (APIConnectionError, APIStatusError) as error:
        if not took_nothing(error) or (isinstance(error, APIStatusError) and error.status_code not in _PASSES):
            raise
    await asyncio.sleep(PAUSE_S)
    return await _asked(settings, question, system, data)


async def _asked(settings: Settings, question: Question[Answer], system: str, data: str) -> Said:
    http = httpx2.AsyncClient(
        transport=_Bounded(httpx2.AsyncHTTPTransport(trust_env=False)),
        timeout=httpx2.Timeout(_READ_S, connect=_CONNECT_S),
        follow_redirects=False,
        trust_env=False,
    )
    async with AsyncOpenAI(
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key or "none",  # local endpoints need none, the library does
        organization="",
        project="",
        max_retries=0,
        default_headers={"Accept-Encoding": "identity"},
        http_client=http,
    ) as client:
        completion = await client.chat.completions.create(
            model=settings.openai_model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": data}],
            max_completion_tokens=question.most_tokens,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": question.purpose, "strict": True, "schema": strict_schema(question.answer)},
            },
        )
    text = completion.choices[0].message.content if completion.choices else None
    tokens: object = completion.usage.total_tokens if completion.usage is not None else None
    # The library checks no types of what an endpoint says.
    said = tokens if isinstance(tokens, int) and 0 < tokens <= _MOST_TOKENS else None
    return Said(text if isinstance(text, str) else "", said)


def took_nothing(error: BaseException) -> bool:
    """Whether a failed call certainly cost no tokens: it was refused, or never arrived."""
    never_arrived = isinstance(error.__cause__, (httpx2.ConnectError, httpx2.ConnectTimeout))
    return isinstance(error, APIStatusError) or (isinstance(error, APIConnectionError) and never_arrived)


def strict_schema(answer: type[Answer]) -> dict[str, Any]:
    """The answer's JSON schema as strict mode wants it: every field required, none besides."""
    return _strict(answer.model_json_schema())


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    found = {key: value for key, value in schema.items() if key not in ("default", "title")}
    for key in ("properties", "$defs"):
        if key in found:
            found[key] = {name: _strict(part) for name, part in found[key].items()}
    for key in ("anyOf", "allOf"):
        if key in found:
            found[key] = [_strict(part) for part in found[key]]
    if isinstance(found.get("items"), dict):
        found["items"] = _strict(found["items"])
    if "properties" in found:
        found["required"], found["additionalProperties"] = list(found["properties"]), False
    return found


class _Bounded(httpx2.AsyncBaseTransport):
    """Reads an answer up to `MOST_BYTES`: what is longer is no answer of ours. Nor is one that was packed, which nobody
    asked for and which may be a thousand times as long."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._inner.handle_async_request(request)
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            await answer.aclose()
            raise httpx2.RemoteProtocolError("the answer is packed")
        assert isinstance(answer.stream, httpx2.AsyncByteStream)  # noqa: S101 - an async transport gives no other
        answer.stream = _Limited(answer.stream)
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._inner:
            read += len(chunk)
            if read > MOST_BYTES:
                raise httpx2.RemoteProtocolError(f"the answer is longer than {MOST_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
