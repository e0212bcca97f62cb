"""A local endpoint that speaks the OpenAI protocol (`/v1/chat/completions`) as well or as badly as a test wants it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

RequestBody = Mapping[str, Any]
"""The request's JSON body."""
Behaviour = Literal[
    "answer", "error", "busy", "hang", "endless", "cut off", "redirect", "packed", "trickle", "raw", "forbid"
]


@dataclass
class ModelServer:
    """`says`: the answer's text (an object is sent as JSON) for a request. `asked`: every request so far."""

    url: str = ""
    says: Callable[[RequestBody], Any] = lambda _asked: {}
    behaviour: Behaviour = "answer"
    total_tokens: Any = 100
    raw: bytes = b""
    """What is sent, if it is to be nothing else."""
    message: dict[str, Any] = field(default_factory=dict)
    """What the message holds besides, or instead."""
    asked: list[RequestBody] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def data(self, number: int = -1) -> Any:
        """What the question's data was, as the model sees it."""
        return json.loads(self.asked[number]["messages"][-1]["content"])


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Runs the endpoint on a free loopback port."""
    server = ModelServer()

    with _Http(server) as http:
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            http.shutdown()
            thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.model.asked.append(body)
        self.server.model.keys.append(self.headers.get("authorization", ""))
        match self.server.model.behaviour:
            case "hang":
                self.server.model.stopping.wait(60)
            case "redirect":
                self.send_response(307)
                self.send_header("location", self.server.model.url + "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()
            case "endless":
                self._stream_without_end()
            case "trickle":
                self._stream_without_end(b" ", 0.05)
            case "packed":
                self._send(200, gzip.compress(self._written(body)), {"content-encoding": "gzip"})
            case behaviour:
                self._send(*self._reply(behaviour, body))

    def _reply(self, behaviour: Behaviour, body: RequestBody) -> tuple[int, bytes]:
        match behaviour:
            case "error":
                return 500, b'{"error": {"message": "broken"}}'
            case "busy":
                return 429, b'{"error": {"message": "slow down"}}'
            case "forbid":
                message = f"The key {self.server.model.keys[-1]} is not known."
                return 401, json.dumps({"error": {"message": message}}).encode()
            case "raw":
                return 200, self.server.model.raw
            case "cut off":
                return 200, self._written(body, finish="length", cut=True)
            case _:
                return 200, self._written(body)

    def _written(self, body: RequestBody, finish: str = "stop", *, cut: bool = False) -> bytes:
        said = self.server.model.says(body)
        text = said if isinstance(said, str) else json.dumps(said)
        answer: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {
                        "role": "assistant",
                        "content": text[: len(text) // 2] if cut else text,
                        **self.server.model.message,
                    },
                }
            ],
        }
        if self.server.model.total_tokens is not None:
            answer["usage"] = {
                "prompt_tokens": 0,
                "completion_tokens": self.server.model.total_tokens,
                "total_tokens": self.server.model.total_tokens,
            }
        return json.dumps(answer).encode()

    def _stream_without_end(self, piece: bytes = b" " * 65_536, pause_s: float = 0) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.close_connection = True
        try:
            while not self.server.model.stopping.wait(pause_s):
                self.wfile.write(piece)
        except OSError:
            pass

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
