"""The check of retired words: which parts of a file are read, and what is allowed."""

import tomllib

import pytest

from infra.ops import retired_words
from infra.ops.retired_words import RetiredWords, quotations

TABLE = {
    "prose": {r"\bwhoever\b": "clients that", r"\bby itself\b": "automatically", r"\brobots\b(?!=)": "bots"},
    "names": {"Refused": "EventRejected", "MOST_[A-Z]+": "MAX_*"},
    "allowed": {"Whoever wins, wins": "a slogan"},
    "excluded": {"generated/*": "generated"},
}
WORDS = RetiredWords(TABLE, ["It runs by itself."])


def hits(path: str, source: str) -> list[tuple[int, str]]:
    return [(hit.line, hit.word) for hit in WORDS.check(path, source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"""For whoever\nreads."""\n', [(1, "whoever")]),
        ('x = 1\n\n\ndef f() -> None:\n    """One.\n\n    Whoever reads.\n    """\n', [(7, "Whoever")]),
        ("x = 1  # it goes by itself\n", [(1, "by itself")]),
        ("# it goes by\n# itself\nx = 1\n", [(1, "by itself")]),
        ('log.info("whoever sent %s", 1)\n', [(1, "whoever")]),
        ('x = f"{whoever} and whoever"\n', [(1, "whoever")]),
        ("def test_it_runs_by_itself() -> None: ...\n", [(1, "by itself")]),
        ("class Refused(Exception):\n    MOST_BYTES = 1\n", [(1, "Refused"), (2, "MOST_BYTES")]),
    ],
)
def test_parts_of_python_modules(source: str, expected: list[tuple[int, str]]) -> None:
    assert hits("package/module.py", source) == expected


@pytest.mark.parametrize(
    "source",
    [
        'x = "whoever"\n',
        "whoever = 1\n",
        "def runs_by_itself() -> None: ...\n",
        'x = f"{whoever} and more"\n',
        '"""See `whoever` here."""\n',
        'Most = "the class Refused"\n',
        'x = "Whoever wins,"  # Whoever wins, wins\n'.replace('"Whoever wins,"', "1"),
        'text = "Note: it runs by itself."\n',
    ],
)
def test_what_is_allowed_in_python_modules(source: str) -> None:
    assert hits("package/module.py", source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const a = 1\n// for whoever\n", [(2, "whoever")]),
        ("/**\n * It goes by\n * itself.\n */\n", [(2, "by itself")]),
        ("const a = 'for whoever reads'\n", [(1, "whoever")]),
        ('const a = "for whoever reads"\n', [(1, "whoever")]),
        ("const a = `for whoever ${reads}`\n", [(1, "whoever")]),
        ("const a = <p>\n  It isn't for {name}, but for whoever reads\n</p>\n", [(2, "whoever")]),
        ("test('spec §2: for whoever reads', () => {})\n", []),
        ("const a = 'whoever'\nconst whoever = `${whoever} b`\n", []),
        ('const a = <meta name="robots" content="none" />\n', []),
        ("const a = 'https://example.com/whoever'\n", []),
    ],
)
def test_parts_of_typescript_modules(source: str, expected: list[tuple[int, str]]) -> None:
    assert hits("web/src/page.tsx", source) == expected


def test_parts_of_pages() -> None:
    page = "# For whoever\n\n```\nwhoever\n```\n\nSee `whoever` and\n[a page](whoever.md) by\nitself.\n"
    assert hits("docs/page.md", page) == [(1, "whoever"), (8, "by itself")]


def test_files_are_excluded_by_pattern() -> None:
    assert not WORDS.covers("generated/page.md")
    assert WORDS.covers("docs/page.md")


def test_quotations_are_the_texts_in_quotation_marks() -> None:
    assert quotations('| tab "Platform Access", field "name" | `test` “spec §2” |') == ["Platform Access"]


def test_a_hit_names_file_line_word_and_replacement() -> None:
    (hit,) = WORDS.check("docs/page.md", "For whoever\n")
    assert str(hit) == "docs/page.md:1: whoever → clients that"


def test_a_pattern_has_no_group() -> None:
    with pytest.raises(ValueError, match="group"):
        RetiredWords({"prose": {"(a)": "b"}, "names": {}})


def test_the_table_of_this_repository_has_reasons_and_replacements() -> None:
    table = tomllib.loads(retired_words.WORDS.read_text())
    assert set(table) == {"prose", "texts", "text_files", "names", "allowed", "excluded"}
    assert all(text.strip() for section in table.values() for text in section.values())
    assert retired_words.retired_words().check("docs/page.md", "It starts by itself.") != []


def test_pages_for_marketers_have_words_of_their_own() -> None:
    words = RetiredWords({**TABLE, "texts": {r"\bfigures\b": "numbers"}, "text_files": {"web/content/*.md": "help"}})
    source = "The figures of a week.\n"
    assert [hit.word for hit in words.check("web/content/help/a.md", source)] == ["figures"]
    assert words.check("docs/a.md", source) == []
