"""A server of the European Central Bank's files of reference rates, in their real form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

DAILY, LAST_90_DAYS = "eurofxref-daily.xml", "eurofxref-hist-90d.xml"


def rate_file(days: Mapping[str, Mapping[str, str]]) -> bytes:
    """The file of these days: for each the rates by currency."""
    cubes = "".join(
        f"\t\t<Cube time='{day}'>\n"
        + "".join(f"\t\t\t<Cube currency='{code}' rate='{rate}'/>\n" for code, rate in rates.items())
        + "\t\t</Cube>\n"
        for day, rates in days.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"'
        ' xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">\n'
        "\t<gesmes:subject>Reference rates</gesmes:subject>\n"
        "\t<gesmes:Sender>\n\t\t<gesmes:name>European Central Bank</gesmes:name>\n\t</gesmes:Sender>\n"
        f"\t<Cube>\n{cubes}\t</Cube>\n</gesmes:Envelope>"
    ).encode()


@dataclass
class RateServer:
    """The contents of the files, and the names of those that were read.

    `location`: redirects there; `is_silent`: never answers.
    """

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    status: int = 200
    location: str | None = None
    is_silent: bool = False
    stopped: Event = field(default_factory=Event)

    def serve(self, daily: Mapping[str, Mapping[str, str]], last_90_days: Mapping[str, Mapping[str, str]]) -> None:
        """Sets both files, and forgets which were read."""
        self.files = {DAILY: rate_file(daily), LAST_90_DAYS: rate_file(last_90_days)}
        self.asked.clear()


@contextmanager
def rate_server() -> Iterator[RateServer]:
    """A server on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            made.asked.append(name)
            if made.is_silent:
                made.stopped.wait()
                return
            body = made.files.get(name, b"")
            self.send_response(made.status if body else 404)
            if made.location is not None:
                self.send_header("Location", made.location)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = RateServer(f"http://127.0.0.1:{server.server_address[1]}/stats/eurofxref")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
