"""Visits from social networks: their in-app browsers, apps and deep links."""

from pathlib import Path

import pytest

from ingest.bots.user_agents import parse_agent
from ingest.origins.referrers import classify, host_of, read_page
from ingest.origins.social_networks import ANDROID_APPS, HOSTS, IOS_APPS, SCHEMES

USER_AGENTS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("in_app_user_agents.txt").read_text().splitlines()
    if not line.startswith("#")
]
PAGE = read_page("https://own.example/article")


@pytest.mark.parametrize(("network", "agent"), USER_AGENTS)
def test_an_in_app_browser_is_its_network_without_referrer_and_utm(network: str, agent: str) -> None:
    found = parse_agent(agent)
    expected = ("", "direct") if network == "-" else (network, "social")
    assert classify("", "own.example", PAGE, found.app) == expected
    assert network == "-" or not (found.crawler or found.headless or found.tool or found.datacentre)


def test_utm_and_referrer_tell_more_than_the_app() -> None:
    def of(referrer: str, url: str) -> tuple[str, str]:
        return classify(host_of(referrer), "own.example", read_page(url), "Instagram")

    page = "https://own.example/article"
    assert of("", f"{page}?utm_source=letter&utm_medium=email") == ("letter", "email")
    assert of("", f"{page}?utm_medium=social") == ("Instagram", "social")
    assert of("", f"{page}?gclid=1") == ("Instagram", "paid")
    assert of("https://www.google.com/", page) == ("Google", "search")
    assert of("https://own.example/", page) == ("", "internal")


@pytest.mark.parametrize(
    ("referrer", "expected"),
    [
        ("https://l.instagram.com/?u=x", ("Instagram", "social")),
        ("https://lm.facebook.com/l.php?u=x", ("Facebook", "social")),
        ("https://out.reddit.com/t3_1", ("Reddit", "social")),
        ("https://t.co/1", ("X", "social")),
        ("https://www.youtube.com/redirect", ("YouTube", "social")),
        ("android-app://com.google.android.youtube/", ("YouTube", "social")),
        ("android-app://com.zhiliaoapp.musically/", ("TikTok", "social")),
        ("android-app://com.instagram.android/https/instagram.com/p/1", ("Instagram", "social")),
        ("android-app://com.google.android.gm/", ("Gmail", "email")),
        ("android-app://org.example.app/", ("org.example.app", "referral")),
        ("ios-app://389801252/instagram/media", ("Instagram", "social")),
        ("ios-app://1/unknown", ("", "direct")),
        ("instagram://media?id=1", ("Instagram", "social")),
        ("vnd.youtube:dQw4w9WgXcQ", ("YouTube", "social")),
        ("FB://profile/1", ("Facebook", "social")),
        ("javascript:alert(1)", ("", "direct")),
    ],
)
def test_referrers_apps_and_deep_links(referrer: str, expected: tuple[str, str]) -> None:
    assert classify(host_of(referrer), "own.example", PAGE) == expected


def test_apps_have_a_host_of_their_network() -> None:
    assert {*ANDROID_APPS.values(), *IOS_APPS.values(), *SCHEMES.values()} <= set(HOSTS)
