"""Macros of destinations, and what may stand in a Location header."""

import json
import string
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.kernel.config.paths import ROOT
from ingest.errors import EventRejected
from ingest.links.macros import expand, location
from ingest.reports.presets import FIELDS, PRESETS, preset_of, translate

VALUES = {"click_id": "abc123", "sub1": "a b&c=d", "country": "IS"}


def test_known_macros_are_expanded_and_encoded_unknown_ones_stay() -> None:
    assert (
        expand("https://x.example/?c={click_id}&s={sub1}&u={unknown}&{country}&{SUB1}&{}&{sub11}", VALUES)
        == "https://x.example/?c=abc123&s=a%20b%26c%3Dd&u={unknown}&IS&{SUB1}&{}&{sub11}"
    )


@given(st.text())
def test_a_value_comes_back_as_it_was_and_cannot_leave_its_place(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        return
    made = expand("https://x.example/?s={sub1}#end", {"sub1": value})
    inner = made.removeprefix("https://x.example/?s=").removesuffix("#end")
    assert set(inner) <= set(string.ascii_letters + string.digits + "-._~%")
    assert unquote(inner) == value


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_location_is_one_plain_line(text: str) -> None:
    header = location("https://x.example/" + text)
    assert all(0x20 < byte < 0x7F for byte in header)


def test_presets_translate_and_never_guess() -> None:
    assert translate(preset_of(""), {"cid": "c", "txid": "t"}) == {"txid": "t"}
    assert translate(preset_of("voluum"), {"cid": "c", "et": "lead", "param2": "x"}) == {
        "click_id": "c",
        "event": "lead",
        "sub2": "x",
    }
    assert translate(preset_of("everflow"), {"transaction_id": "c", "order_id": "o"}) == {"click_id": "c", "txid": "o"}
    assert translate(preset_of("affonso"), {"transaction_id": "o", "tracking_id": "c"}) == {
        "txid": "o",
        "click_id": "c",
    }
    assert translate(preset_of("keitaro"), {"subid": "c", "status": "sale"})["status"] == "sale"
    assert translate(preset_of("IMPACT"), {"ActionId": "1", "OrderId": "1"}) == {"txid": "1"}
    with pytest.raises(EventRejected) as refused:
        translate(preset_of("impact"), {"ActionId": "1", "OrderId": "2"})
    assert refused.value.code == "repeated_field"


def test_every_preset_maps_to_known_fields() -> None:
    for preset in PRESETS.values():
        assert set(preset.names.values()) <= FIELDS
        assert set(preset.statuses.values()) <= {"pending", "approved", "rejected", "reversed", "hold"}


def test_the_app_hands_out_postback_addresses_that_are_understood() -> None:
    """Every parameter of the URLs that `web/src/lib/networks/networks.json` has means something here."""
    rows = json.loads((ROOT / "web/src/lib/networks/networks.json").read_text())
    assert sorted(row["id"] for row in rows) == sorted(PRESETS)
    for row in (row for row in rows if "parameters" in row):
        name, given = row["id"], row["parameters"]
        understood = translate(preset_of(name), {parameter: parameter for parameter in given})
        assert len(understood) == len(given), f"{name}: not all of {sorted(given)} mean something"
        assert "click_id" in understood and {"amount", "payout"} & set(understood), name
