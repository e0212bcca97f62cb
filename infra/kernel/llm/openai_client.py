"""The call itself, by the `openai` package: strict JSON schema, no tools, no redirects, a bounded answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI

from infra.kernel.config.settings import Settings
from infra.kernel.llm.request import Answer, Completion, LlmRequest

MAX_BYTES: Final = 256 * 1024
RETRY_PAUSE_S: Final = 0.5
_CONNECT_S: Final = 3.0
_READ_S: Final = 25.0
_MAX_TOKENS: Final = 2**31 - 1
_TRANSIENT_STATUSES: Final = frozenset({408, 409, 429, 500, 502, 503, 504})


async def call(settings: Settings, question: LlmRequest[Answer], system: str, data: str) -> Completion:
    """Sends the request, and retries once after a transient failure that certainly cost nothing: the reservation
    covers one answer. Raises the library's exceptions."""
    try:
        return await _asked(settings, question, system, data)
    except (APIConnectionError, APIStatusError) as error:
        if not consumed_no_tokens(error) or (
            isinstance(error, APIStatusError) and error.status_code not in _TRANSIENT_STATUSES
        ):
            raise
    await asyncio.sleep(RETRY_PAUSE_S)
    return await _asked(settings, question, system, data)


async def _asked(settings: Settings, question: LlmRequest[Answer], system: str, data: str) -> Completion:
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
            max_completion_tokens=question.max_tokens,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": question.purpose, "strict": True, "schema": strict_schema(question.answer)},
            },
        )
    text = completion.choices[0].message.content if completion.choices else None
    tokens: object = completion.usage.total_tokens if completion.usage is not None else None
    # The library checks no types of what an endpoint says.
    said = tokens if isinstance(tokens, int) and 0 < tokens <= _MAX_TOKENS else None
    return Completion(text if isinstance(text, str) else "", said)


def consumed_no_tokens(error: BaseException) -> bool:
    """Returns whether a failed call certainly cost no tokens: it was refused, or never arrived."""
    never_arrived = isinstance(error.__cause__, (httpx2.ConnectError, httpx2.ConnectTimeout))
    return isinstance(error, APIStatusError) or (isinstance(error, APIConnectionError) and never_arrived)


def strict_schema(answer: type[Answer]) -> dict[str, Any]:
    """The answer's JSON schema as strict mode wants it: every field required, none besides."""
    return _strict(answer.model_json_schema())


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    strict = {key: value for key, value in schema.items() if key not in ("default", "title")}
    for key in ("properties", "$defs"):
        if key in strict:
            strict[key] = {name: _strict(part) for name, part in strict[key].items()}
    for key in ("anyOf", "allOf"):
        if key in strict:
            strict[key] = [_strict(part) for part in strict[key]]
    if isinstance(strict.get("items"), dict):
        strict["items"] = _strict(strict["items"])
    if "properties" in strict:
        strict["required"], strict["additionalProperties"] = list(strict["properties"]), False
    return strict


class _Bounded(httpx2.AsyncBaseTransport):
    """Reads a response up to `MAX_BYTES` and rejects a longer one, and a compressed one, which was not requested
    and may expand a thousandfold."""

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
            if read > MAX_BYTES:
                raise httpx2.RemoteProtocolError(f"the answer is longer than {MAX_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
