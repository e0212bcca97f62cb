"""Keys of personal texts: one for everybody, out of which single people are taken."""

from __future__ import annotations

import os

import pytest

from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.text_keys import LEVELS, TextKey, leaf_of, parse, puncture, seal, unseal

NJAL, GUNNAR = leaf_of("visitor", b"w" * 16, b"njal----"), leaf_of("visitor", b"w" * 16, b"gunnar--")
OTHERS = [leaf_of("visitor", b"w" * 16, number.to_bytes(8, "big")) for number in range(200)]
BOUND = b"clicks\0event"


def new_key(number: int = 7) -> TextKey:
    return TextKey(number, {"": os.urandom(16)})


def without(key: TextKey, *leaves: bytes) -> TextKey:
    nodes = dict(key.nodes)
    for leaf in leaves:
        puncture(nodes, leaf)
    return TextKey(key.number, nodes)


def sealed(key: TextKey, leaf: bytes, text: bytes = b"a text") -> bytes:
    found = seal(key, leaf, text, BOUND)
    assert found is not None
    return found


def opened(key: TextKey, text: bytes, bound: bytes = BOUND) -> bytes | None:
    return unseal(key, parse(text), bound)


def test_what_is_sealed_is_opened_and_says_nothing() -> None:
    key = new_key()
    text = sealed(key, NJAL, b"Hello, Njal")
    assert b"Njal" not in text
    assert opened(key, text) == b"Hello, Njal"
    assert sealed(key, NJAL) != sealed(key, NJAL), "equal texts are not seen to be equal"


def test_forks_of_one_process_never_seal_with_the_same_nonce() -> None:
    """Under one leaf a nonce that comes twice gives the texts away."""
    key, nonces = new_key(), list[bytes]()
    for _ in range(2):
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            os.write(writer, parse(sealed(key, NJAL)).nonce)
            os._exit(0)
        os.waitpid(child, 0)
        nonces.append(os.read(reader, 12))
        os.close(reader)
        os.close(writer)
    assert nonces[0] != nonces[1]


def test_an_erased_person_is_unreadable_and_everybody_else_stays() -> None:
    key = new_key()
    texts = {leaf: sealed(key, leaf) for leaf in (NJAL, GUNNAR, *OTHERS)}
    left = without(key, NJAL)
    assert opened(left, texts.pop(NJAL)) is None
    assert [opened(left, text) for text in texts.values()] == [b"a text"] * len(texts)


def test_many_are_erased_one_after_the_other() -> None:
    key = new_key()
    texts = {leaf: sealed(key, leaf) for leaf in (NJAL, GUNNAR, *OTHERS)}
    gone = {NJAL, *OTHERS[::2]}
    left = without(key, *gone)
    assert {leaf for leaf, text in texts.items() if opened(left, text) is None} == gone


def test_nothing_that_is_left_makes_the_erased_leaf() -> None:
    """No key on the path from the root to the leaf is kept."""
    left = without(new_key(), NJAL)
    path = NJAL.hex()
    assert not {path[:level] for level in range(LEVELS + 1)} & left.nodes.keys()
    assert len(left.nodes) == 15 * LEVELS


def test_an_erasure_that_is_repeated_changes_nothing() -> None:
    once = without(new_key(), NJAL)
    assert without(once, NJAL).nodes == once.nodes


def test_a_text_opens_for_its_record_alone() -> None:
    key = new_key()
    with pytest.raises(DecryptionError):
        opened(key, sealed(key, NJAL), b"clicks\0another event")


def test_a_key_that_is_gone_opens_nothing() -> None:
    assert unseal(None, parse(sealed(new_key(), NJAL)), BOUND) is None


@pytest.mark.parametrize("text", [b"", b"%%%", b"AAAA", b"not base64 at all"])
def test_what_is_no_sealed_text_is_refused(text: bytes) -> None:
    with pytest.raises(DecryptionError):
        parse(text)


def test_a_copy_of_before_seals_for_nobody_who_was_erased() -> None:
    assert seal(without(new_key(), NJAL), NJAL, b"a text", BOUND) is None


def test_leaves_of_other_kinds_and_websites_differ() -> None:
    leaves = {
        leaf_of(kind, website, number)
        for kind in ("visitor", "session")
        for website in (b"a" * 16, b"b" * 16)
        for number in (b"1" * 8, b"2" * 8)
    }
    assert len(leaves) == 8
