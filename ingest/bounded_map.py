"""A map with a maximum size that evicts entries that were not used recently."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedMap(Generic[K, V]):
    """Keeps at least the `most`/2 most recently used keys and at most `most`. Eviction needs no search."""

    __slots__ = ("_half", "_old", "_young")

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        value = self._young.get(key)
        if value is None and self._old:
            value = self._old.pop(key, None)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        if len(self._young) >= self._half and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def discard(self, key: K) -> None:
        """Removes the key, if it exists."""
        self._young.pop(key, None)
        self._old.pop(key, None)

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
