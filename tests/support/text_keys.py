"""Text keys in memory, in place of those in Postgres."""

from __future__ import annotations

from collections.abc import Collection

from infra.kernel.security.text_key_cache import TextOpener
from infra.kernel.security.text_keys import KEY_BYTES, TextKey, puncture


class KeysInMemory:
    """Keys by number; everybody can be read until they are erased."""

    def __init__(self, *numbers: int) -> None:
        self._nodes = {number: {"": bytes([number]) * KEY_BYTES} for number in numbers}

    def key(self, number: int) -> TextKey:
        return TextKey(number, dict(self._nodes[number]))

    def erase(self, number: int, leaf: bytes) -> None:
        puncture(self._nodes[number], leaf)

    def opener(self) -> TextOpener:
        """Of a process that starts now."""
        return TextOpener(self._read)

    def _read(self, numbers: Collection[int]) -> dict[int, TextKey]:
        return {number: self.key(number) for number in numbers if number in self._nodes}
