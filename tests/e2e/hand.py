"""The hand of a person whose clicks are counted, for the tests of jobs (docs/jobs.md)."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page


@dataclass
class Hand:
    """What a person does. `clicks`: a choice in a list is two; `entries`: a key, or a text typed or pasted."""

    page: Page
    clicks: int = 0
    entries: int = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def choose(self, field: Locator, label: str) -> None:
        field.select_option(label=label)
        self.clicks += 2

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.entries += 1

    def type(self, text: str) -> None:
        self.page.keyboard.insert_text(text)
        self.entries += 1

    @property
    def count(self) -> tuple[int, int]:
        return self.clicks, self.entries
