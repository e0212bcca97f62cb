"""Given the values of a link before and after a change, then what people read of it."""

from __future__ import annotations

from uuid import uuid4

from query_api.links.history import FieldChange, differences

OLD, NEW = uuid4(), uuid4()
NAMES = {str(OLD): "Good VPN", str(NEW): "Other VPN"}
CREATED = {"partner_id": str(OLD), "destination": "https://good-vpn.example/", "tags": ["VPN"], "subs": {}}


def test_a_creation_names_what_the_link_has() -> None:
    changes = differences({}, CREATED, NAMES)
    assert [(one.field, one.before, one.after) for one in changes] == [
        ("partner", "", "Good VPN"),
        ("destination", "", "https://good-vpn.example/"),
        ("state", "", "on"),
        ("tags", "", "VPN"),
    ]


def test_a_move_names_both_partners_and_destinations() -> None:
    moved = {**CREATED, "partner_id": str(NEW), "destination": "https://other-vpn.example/"}
    assert differences(CREATED, moved, NAMES) == [
        FieldChange(field="partner", before="Good VPN", after="Other VPN"),
        FieldChange(field="destination", before="https://good-vpn.example/", after="https://other-vpn.example/"),
    ]


def test_labels_states_and_routes_are_texts() -> None:
    variants = [
        {"destination": "https://good-vpn.example/a", "weight": 60, "number": 1, "name": "Short"},
        {"destination": "https://good-vpn.example/b", "weight": 40, "number": 2, "name": ""},
    ]
    rules = [{"countries": ["IS", "NO"], "devices": ["mobile"], "destination": "https://good-vpn.example/is"}]
    routing = {"rules": rules, "variants": variants, "winner": 2, "expires_at": "2026-12-01T00:00:00Z"}
    after = {
        **CREATED,
        "routing": {**routing, "fallback": "https://blog.example/"},
        "tags": [],
        "coupon": "SAVE10",
        "folder": "Autumn",
        "subs": {"sub2": "b", "sub1": "a"},
        "is_active": False,
        "is_archived": True,
    }
    assert {one.field: one.after for one in differences(CREATED, after, NAMES)} == {
        "rules": "IS, NO, mobile → https://good-vpn.example/is",
        "split": "60 Short: https://good-vpn.example/a\n40 2: https://good-vpn.example/b",
        "winner": "2",
        "expiry": "2026-12-01T00:00:00+00:00",
        "fallback": "https://blog.example/",
        "subs": "sub1: a\nsub2: b",
        "coupon": "SAVE10",
        "state": "off",
        "tags": "",
        "folder": "Autumn",
        "archived": "yes",
    }


def test_what_was_erased_has_no_changes() -> None:
    assert differences({}, {}, NAMES) == []
