"""Given an address, when it is entered as that of a post, then it names this post, or is refused with a reason."""

from __future__ import annotations

from uuid import uuid4

import pytest

from schemas.social_networks import Network
from schemas.social_posts import MAX_POST_ADDRESS, BadPostAddress, content_of, post_at, post_id


@pytest.mark.parametrize(
    ("network", "text", "key", "address"),
    [
        ("instagram", "instagram.com/fjord/p/DAbCdEf/?igsh=x", "DAbCdEf", "https://www.instagram.com/p/DAbCdEf/"),
        ("instagram", "https://www.instagram.com/reels/DAbCdEf", "DAbCdEf", "https://www.instagram.com/reel/DAbCdEf/"),
        ("tiktok", "https://www.tiktok.com/@fjord/video/7300000000000000000?lang=en", "7300000000000000000",
         "https://www.tiktok.com/@fjord/video/7300000000000000000"),
        ("youtube", "https://youtu.be/aBcDeFgHiJk?si=x", "aBcDeFgHiJk", "https://www.youtube.com/watch?v=aBcDeFgHiJk"),
        ("youtube", "https://m.youtube.com/watch?t=4&v=aBcDeFgHiJk", "aBcDeFgHiJk",
         "https://www.youtube.com/watch?v=aBcDeFgHiJk"),
        ("youtube", "youtube.com/shorts/aBcDeFgHiJk", "aBcDeFgHiJk", "https://www.youtube.com/shorts/aBcDeFgHiJk"),
        ("x", "https://twitter.com/fjord/status/1800000000000000000/photo/1", "1800000000000000000",
         "https://x.com/fjord/status/1800000000000000000"),
        ("pinterest", "https://de.pinterest.com/pin/knives--1234567890/", "1234567890",
         "https://www.pinterest.com/pin/1234567890/"),
        ("facebook", "https://www.facebook.com/fjord/posts/a-text/1234567890", "1234567890",
         "https://www.facebook.com/fjord/posts/1234567890"),
        ("facebook", "https://www.facebook.com/watch/?v=1234567890", "1234567890",
         "https://www.facebook.com/watch/?v=1234567890"),
    ],
)  # fmt: skip
def test_an_address_names_a_post(network: str, text: str, key: str, address: str) -> None:
    found = post_at(Network(network), text)
    assert (found.key, found.address) == (key, address)
    assert post_at(Network(network), found.address) == found


@pytest.mark.parametrize(
    ("network", "text", "reason"),
    [
        ("instagram", "https://www.tiktok.com/@fjord/video/7300000000000000000", "no address on Instagram"),
        ("instagram", "https://www.instagram.com/fjord", "names no post"),
        ("instagram", "https://instagram.com.example/p/DAbCdEf/", "no address on Instagram"),
        ("tiktok", "https://vm.tiktok.com/ZMabc/", "short address"),
        ("youtube", "javascript:alert(1)", "Enter the address"),
        ("youtube", "https://www.youtube.com/watch?v=short", "names no post"),
        ("x", "https://x.com/fjord/status/" + "1" * MAX_POST_ADDRESS, "at most"),
        ("facebook", "https://[", "Enter the address"),
    ],
)
def test_what_is_no_post_of_the_network_is_refused(network: str, text: str, reason: str) -> None:
    with pytest.raises(BadPostAddress, match=reason):
        post_at(Network(network), text)


def test_a_post_has_one_id_in_its_channel_and_a_content_of_its_own() -> None:
    channel = uuid4()
    id_ = post_id(channel, "DAbCdEf")
    assert id_ == post_id(channel, "DAbCdEf") != post_id(uuid4(), "DAbCdEf")
    assert content_of(id_) == f"post-{id_.hex[:10]}"
