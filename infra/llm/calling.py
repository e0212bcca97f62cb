"""The call itself, by the `openai` package: strict JSON schema, no tools, no redirects, a bounded answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI

from infra.llm.asking import Answer, Question
from infra.settings import Settings

MOST_BYTES: Final = 256 * 1024
_CONNECT_S: Final = 3.0
_READ_S: Final = 25.0
_RETRIES: Final = 1


@dataclass(frozen=True, slots=True)
class Said:
    """The answer's text, and the tokens that the endpoint says it took (0 when it does not say)."""

    text: str
    tokens: int


async def call(settings: Settings, question: Question[Answer], system: str, data: str) -> Said:
    """Asks once, and once more after a failure that may pass. Raises what the library raises."""
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
        max_retries=_RETRIES,
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
    tokens = completion.usage.total_tokens if completion.usage is not None else 0
    return Said(text or "", max(0, tokens))


def took_nothing(error: BaseException) -> bool:
    """Whether a failed call certainly cost no tokens: it was refused, or never arrived."""
    never_arrived = isinstance(error, APIConnectionError) and not isinstance(error, APITimeoutError)
    return never_arrived or isinstance(error, APIStatusError)


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
    """Reads an answer up to `MOST_BYTES`: what is longer is no answer of ours."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._inner.handle_async_request(request)
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
