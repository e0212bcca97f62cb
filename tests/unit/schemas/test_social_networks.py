"""Handles and addresses of social networks."""

import pytest

from schemas.social_networks import RULES, BadHandle, Network, address_of, handle_of


@pytest.mark.parametrize(
    ("network", "text", "handle"),
    [
        ("instagram", "@Fjord.Tests", "fjord.tests"),
        ("instagram", "https://www.instagram.com/fjord.tests/?igsh=abc", "fjord.tests"),
        ("tiktok", "tiktok.com/@fjord_tests", "fjord_tests"),
        ("youtube", "https://m.youtube.com/@Fjord-Tests/videos", "fjord-tests"),
        ("youtube", "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv", "UCabcdefghijklmnopqrstuv"),
        ("youtube", "https://www.youtube.com/@caf%C3%A9-tests", "café-tests"),
        ("x", "https://twitter.com/fjord_tests", "fjord_tests"),
        ("pinterest", "https://www.pinterest.com/fjordtests/", "fjordtests"),
        ("facebook", " https://www.facebook.com/fjord.tests ", "fjord.tests"),
    ],
)
def test_a_channel_is_named_by_handle_or_address(network: str, text: str, handle: str) -> None:
    assert handle_of(Network(network), text) == handle


@pytest.mark.parametrize(
    ("network", "text", "message"),
    [
        ("instagram", "", "1 to 30 letters"),
        ("instagram", "two words", "1 to 30 letters"),
        ("instagram", "dots..inside", "inner dots"),
        ("instagram", "https://www.youtube.com/@fjord", "no address on Instagram"),
        ("instagram", "https://instagram.com.evil.example/fjord", "no address on Instagram"),
        ("instagram", "https://www.instagram.com/", "names no channel"),
        ("instagram", "https://www.instagram.com/p/Cabc/", "1 to 30 letters"),
        ("tiktok", "javascript:alert(1)//", "such as https://www.tiktok.com/@example"),
        ("tiktok", "http://[::1", "such as https://www.tiktok.com/@example"),
        ("x", "much_too_long_for_x", "1 to 15"),
        ("youtube", "https://www.youtube.com/user/old-name", "3 to 30"),
        ("youtube", "x" * 301, "at most 300"),
        ("facebook", "https://www.facebook.com/profile.php?id=1", "5 to 50"),
    ],
)
def test_other_text_names_no_channel_and_the_message_says_what_does(network: str, text: str, message: str) -> None:
    with pytest.raises(BadHandle, match=message):
        handle_of(Network(network), text)


def test_the_address_of_a_channel_names_the_same_channel() -> None:
    for network in RULES:
        assert handle_of(network, address_of(network, "fjord")) == "fjord"
    channel = "UCabcdefghijklmnopqrstuv"
    assert handle_of(Network.YOUTUBE, address_of(Network.YOUTUBE, channel)) == channel
