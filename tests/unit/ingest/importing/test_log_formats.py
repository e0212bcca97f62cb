"""Access logs of every known format: whose line it is, when, of what, and what is no line of a known format."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest

from ingest.event import PageLine
from ingest.importing.access_log import LineReader, Reason
from ingest.importing.command import Recoded, encoding_of

AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"
AT = datetime(2024, 3, 9, 21, 30, 1, tzinfo=UTC)
CLIENT, PROXY = "198.51.100.7", "10.0.0.1"
REFERRER = "https://news.example/today"
OWN = "shop.example"

AFTER_CLIENT = f'- - [09/Mar/2024:22:30:01 +0100] "GET /blog/?page=2 HTTP/1.1" 200 5316 "{REFERRER}" "{AGENT}"'
CADDY = {
    "level": "info",
    "ts": AT.timestamp() + 0.524,
    "logger": "http.log.access.log0",
    "msg": "handled request",
    "request": {
        "remote_ip": CLIENT,
        "remote_port": "41342",
        "client_ip": CLIENT,
        "proto": "HTTP/2.0",
        "method": "GET",
        "host": OWN,
        "uri": "/blog/?page=2",
        "headers": {"User-Agent": [AGENT], "Referer": [REFERRER], "Accept": ["*/*"]},
        "tls": {"resumed": False, "version": 772, "cipher_suite": 4865, "proto": "h2", "server_name": OWN},
    },
    "bytes_read": 0,
    "user_id": "",
    "duration": 0.000929675,
    "size": 5316,
    "status": 200,
    "resp_headers": {"Server": ["Caddy"], "Content-Type": ["text/html"]},
}
IIS_FIELDS = (
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer)"
    " sc-status sc-substatus sc-win32-status time-taken"
)
IIS = f"2024-03-09 21:30:01 10.0.0.5 GET /blog/ page=2 443 - {CLIENT} {AGENT.replace(' ', '+')} {REFERRER} 200 0 0 31"
CLOUDFRONT_FIELDS = (
    "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer)"
    " cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes"
    " time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version"
)
CLOUDFRONT = "\t".join(
    [
        *(
            "2024-03-09",
            "21:30:01",
            "FRA56-C1",
            "5316",
            CLIENT,
            "GET",
            "d111111abcdef8.cloudfront.net",
            "/blog/",
            "200",
        ),
        *(REFERRER, AGENT.replace(" ", "%20"), "page=2", "-", "Hit", "SOX4xwn4XV6Q4rgb==", OWN, "https", "23"),
        *("0.001", "-", "TLSv1.3", "TLS_AES_128_GCM_SHA256", "Hit", "HTTP/2.0"),
    ]
)
ALB = (
    f"h2 2024-03-09T21:30:01.186641Z app/my-loadbalancer/50dc6c495c0c9188 {CLIENT}:2817 10.0.0.9:80 0.000 0.001 0.000"
    f' 200 200 34 5316 "GET https://{OWN}:443/blog/?page=2 HTTP/2.0" "{AGENT}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2'
    " arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/my-targets/73e2d6bc24d8a067"
    f' "Root=1-58337262-36d228ad5d99923122bbe354" "{OWN}" "session-reused" 0 2024-03-09T21:30:00.364000Z "forward"'
    ' "-" "-" "10.0.0.9:80" "200" "-" "-"'
)
ELB = (
    f"2024-03-09T21:30:01.943958Z my-loadbalancer {CLIENT}:2817 10.0.0.9:80 0.000073 0.001048 0.000057 200 200 0 5316"
    f' "GET http://{OWN}:80/blog/?page=2 HTTP/1.1" "{AGENT}" - -'
)
FORMATS = {
    "combined": f"{CLIENT} {AFTER_CLIENT}",
    "combined, signed in": f"{CLIENT} - frank [09/Mar/2024:22:30:01 +0100] {AFTER_CLIENT.partition('] ')[2]}",
    "combined, a user with a blank": f"{CLIENT} - f s [09/Mar/2024:22:30:01 +0100] {AFTER_CLIENT.partition('] ')[2]}",
    "combinedio": f"{CLIENT} {AFTER_CLIENT} 611 5749",
    "combined, and times": f"{CLIENT} {AFTER_CLIENT} 0.004 rt=0.004 uct=0.000 0.003 .",
    "vhost_combined": f"{OWN}:443 {CLIENT} {AFTER_CLIENT}",
    "vhost_combined of another host": f"www.other.example:80 {CLIENT} {AFTER_CLIENT}",
    "nginx, main": f'{CLIENT} {AFTER_CLIENT} "-"',
    "nginx, main behind a proxy": f'{PROXY} {AFTER_CLIENT} "{CLIENT}, 172.16.3.4"',
    "nginx, host first": f"{OWN} {CLIENT} {AFTER_CLIENT}",
    "nginx, host first behind a proxy": f'{OWN} {PROXY} {AFTER_CLIENT} "{CLIENT}"',
    "nginx, host first, which is an address": f"192.0.2.80 {CLIENT} {AFTER_CLIENT}",
    "two addresses, the second a proxy's": f"{CLIENT} {PROXY} {AFTER_CLIENT}",
    "nginx, no server name first": f"_ {CLIENT} {AFTER_CLIENT}",
    "forwarded list first": f"{CLIENT}, {PROXY} {AFTER_CLIENT}",
    "forwarded list without blanks": f"{CLIENT},{PROXY},172.16.0.3 {AFTER_CLIENT}",
    "forwarded list, inner address first": f"192.168.1.4, {CLIENT}, {PROXY} {AFTER_CLIENT}",
    "forwarded list with an unknown one": f"unknown, {CLIENT} {AFTER_CLIENT}",
    "host, then a forwarded list": f"{OWN} {CLIENT}, {PROXY} {AFTER_CLIENT}",
    "with a port": f"{CLIENT}:51234 {AFTER_CLIENT}",
    "Caddy": json.dumps(CADDY),
    "Caddy, time as text": json.dumps({**CADDY, "ts": "2024-03-09T21:30:01.524Z"}),
    "Caddy, wall time": json.dumps({**CADDY, "ts": "2024/03/09 21:30:01.524"}),
    "Caddy, milliseconds": json.dumps({**CADDY, "ts": AT.timestamp() * 1000 + 524}),
    "Caddy, version 2.0": json.dumps(
        {**CADDY, "request": {**CADDY["request"], "client_ip": "", "remote_ip": "", "remote_addr": f"{CLIENT}:41342"}}  # type: ignore[dict-item]
    ),
    "IIS": f"#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n{IIS_FIELDS}\n{IIS}",
    "IIS, the day in a directive": f"#Date: 2024-03-09 00:00:00\n{IIS_FIELDS.replace('date ', '')}\n{IIS[11:]}",
    "CloudFront": f"#Version: 1.0\n{CLOUDFRONT_FIELDS}\n{CLOUDFRONT}",
    "CloudFront, older": f"#Version: 1.0\n{CLOUDFRONT_FIELDS}\n{CLOUDFRONT.replace('%20', '%2520')}",
    "ALB": ALB,
    "Classic ELB": ELB,
}
WITHOUT_REFERRER = {"ALB", "Classic ELB"}


def read(text: str, own_domain: str = OWN) -> PageLine | Reason | None:
    """What the last line of a file is."""
    reader = LineReader(own_domain)
    return [reader.read(line.encode()) for line in text.split("\n")][-1]


@pytest.mark.parametrize("name", FORMATS)
def test_a_page_view_of_each_format(name: str) -> None:
    page = read(FORMATS[name])
    assert isinstance(page, PageLine)
    assert page.address == CLIENT and page.at.replace(microsecond=0) == AT
    assert (page.target, page.user_agent) == ("/blog/?page=2", AGENT)
    assert page.referrer == ("" if name in WITHOUT_REFERRER else REFERRER)


def test_the_common_format_has_no_referrer_and_no_browser() -> None:
    without = AFTER_CLIENT.partition(f' "{REFERRER}')[0]
    page = read(f"{CLIENT} {without}")
    assert page == PageLine(CLIENT, AT, "/blog/?page=2", "", "")


@pytest.mark.parametrize("client", ["2001:db8::7", "::ffff:198.51.100.7"])
def test_addresses_of_version_six_are_as_they_are_written(client: str) -> None:
    for line in (f"{client} {AFTER_CLIENT}", f"{OWN} {client} {AFTER_CLIENT}"):
        page = read(line)
        assert isinstance(page, PageLine) and page.address == client


@pytest.mark.parametrize("name", ["p57a1.dip0.provider.example", "CRAWL-66-249-66-1.googlebot.com", "a.b"])
def test_a_name_that_a_lookup_found_is_a_visitor(name: str) -> None:
    page = read(f"{name} {AFTER_CLIENT}")
    assert isinstance(page, PageLine) and page.address == name.lower()


@pytest.mark.parametrize(
    "before",
    [
        OWN,
        f"www.{OWN}",
        OWN.upper(),
        "-",
        "_",
        "localhost",
        "default",
        "web-1",
        "1.2.3",
        "12345",
        "999.1.1.1",
        "/var/log",
        "GET",
        "unknown, unknown",
        f"{OWN}:443",
        '"x"',
        "",
    ],
)
def test_a_line_that_says_not_of_whom_it_is_is_malformed(before: str) -> None:
    """Else everybody would be one person."""
    assert read(f"{before} {AFTER_CLIENT}") is Reason.MALFORMED


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        f"{CLIENT} {AFTER_CLIENT[:-1]}",
        f"{CLIENT} {AFTER_CLIENT.replace('Mar', 'Mär')}",
        f"{CLIENT} {AFTER_CLIENT.replace('09/', '32/')}",
        "{}",
        '{"ts": 1, "status": 200}',
        json.dumps({**CADDY, "ts": "yesterday"}),
        json.dumps({**CADDY, "ts": 1e300}),
        json.dumps({**CADDY, "request": {"method": "GET", "uri": "/", "remote_ip": OWN}}),
        json.dumps(CADDY)[:-2],
        IIS,
        CLOUDFRONT,
        f"{IIS_FIELDS}\n{IIS} more",
        f"{IIS_FIELDS}\n{IIS.replace(CLIENT, '-')}",
        f"{IIS_FIELDS}\n{IIS.replace('2024-03-09', '2024-13-09')}",
        ALB.replace(f"{CLIENT}:2817", "-"),
        ALB.replace("2024-03-09T21", "2024-03-09T25"),
        ALB.replace('"GET https', '"- https'),
        json.dumps({**CADDY, "request": {**CADDY["request"], "method": "get"}}),  # type: ignore[dict-item]
        f"{IIS_FIELDS}\n{IIS.replace(' GET ', ' .. ')}",
    ],
)
def test_lines_of_no_known_format_are_malformed(line: str) -> None:
    assert read(line) is Reason.MALFORMED


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (json.dumps({**CADDY, "status": 404}), Reason.STATUS),
        (json.dumps(CADDY).replace("/blog/?page=2", "/logo.svg"), Reason.ASSET),
        (f"{IIS_FIELDS}\n{IIS.replace(' GET ', ' POST ')}", Reason.NOT_GET),
        (f"{IIS_FIELDS}\n{IIS.replace('/blog/', '/style.css')}", Reason.ASSET),
        (f"{CLOUDFRONT_FIELDS}\n{CLOUDFRONT.replace('/blog/', '/a.png')}", Reason.ASSET),
        (ALB.replace(" 200 200 ", " 502 502 "), Reason.STATUS),
        (ALB.replace('"GET ', '"HEAD '), Reason.NOT_GET),
        (f"{OWN} {CLIENT} {AFTER_CLIENT}".replace("GET", "HEAD"), Reason.NOT_GET),
    ],
)
def test_reasons_are_the_same_in_every_format(text: str, reason: Reason) -> None:
    assert read(text) is reason


def test_directives_are_no_lines_and_may_change_within_a_file() -> None:
    reader = LineReader()
    lines = [IIS_FIELDS, IIS, CLOUDFRONT_FIELDS, CLOUDFRONT, f"{CLIENT} {AFTER_CLIENT}", "#Version: 1.0"]
    found = [reader.read(line.encode()) for line in lines]
    assert [type(one) for one in found] == [type(None), PageLine, type(None), PageLine, PageLine, type(None)]


def test_what_is_hostile_takes_no_time() -> None:
    """Neither many quotation marks nor many commas make an expression try everything."""
    for line in (
        f'{CLIENT} - - [x] "' + '\\"' * 20_000,
        f"{CLIENT} {AFTER_CLIENT}" + ' "' * 20_001,
        "a," * 20_000 + " - - [09/Mar/2024:22:30:01 +0100]",
        "a" * 60_000 + f" {AFTER_CLIENT}",
        "a-" * 30_000 + f". {AFTER_CLIENT}",
        "{" * 60_000,
        "http " + "2024-03-09T" + "1" * 60_000,
    ):
        assert read(line) is Reason.MALFORMED


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf_16_with_and_without_a_mark(encoding: str) -> None:
    text = "\r\n".join([FORMATS["combined"], f"{CLIENT} {AFTER_CLIENT.replace('blog', 'blög')}"] * 2_000)
    packed = text.encode(encoding)
    assert encoding_of(packed[:4]) in ("utf-16", encoding)
    recoded = io.BufferedReader(Recoded(io.BytesIO(packed), encoding_of(packed[:4]) or ""))
    assert recoded.read().decode() == text
    assert encoding_of(FORMATS["combined"].encode()[:4]) is None and encoding_of(b"") is None


def test_what_is_no_utf_16_after_all_becomes_lines_that_are_malformed() -> None:
    recoded = io.BufferedReader(Recoded(io.BytesIO(b"\xff\xfe1\x00.\x00\x00\xd8odd"), "utf-16"))
    assert LineReader().read(recoded.readline()) is Reason.MALFORMED
