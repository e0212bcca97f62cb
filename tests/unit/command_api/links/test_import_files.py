"""Given the text of a CSV file, then what each line says, or which line and column is wrong."""

from __future__ import annotations

import pytest

from command_api.kernel.decision import CommandRejected
from command_api.links.importing.files import MAX_CHARACTERS, MAX_LINES, LinkLineFault, VariantText, parse

HEAD = "slug,website,partner,destination,variants,tags,folder,state,archived"


def fault(line: str, head: str = HEAD) -> tuple[str | None, str]:
    [found] = parse(f"{head}\n{line}").faults
    return found.column, found.message


def test_a_line_says_all_that_the_export_has() -> None:
    split = "60 https://a.example/x | 40 https://b.example/y other-vpn"
    text = f'{HEAD}\nspring,blog.example,good-vpn,https://a.example/,{split},"Deals, VPN",Autumn,off,yes\n'
    [line] = parse(text).lines
    assert (line.line, line.slug, line.website, line.partner) == (2, "spring", "blog.example", "good-vpn")
    assert line.destination == "https://a.example/"
    assert line.variants == (
        VariantText(60, "https://a.example/x", ""),
        VariantText(40, "https://b.example/y", "other-vpn"),
    )
    assert (line.tags, line.folder, line.is_active, line.is_archived) == (("Deals", "VPN"), "Autumn", False, True)


def test_a_column_that_is_not_there_leaves_all_as_it_is_and_an_empty_one_takes_labels_away() -> None:
    [short] = parse("slug,partner\nspring,good-vpn").lines
    assert (short.destination, short.variants, short.tags, short.folder) == (None, None, None, None)
    assert (short.is_active, short.is_archived) == (None, None)
    [empty] = parse(f"{HEAD}\nspring,,,,,,,,").lines
    assert (empty.destination, empty.variants, empty.tags, empty.folder) == (None, (), (), "")
    assert (empty.is_active, empty.is_archived) == (None, None)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_file_of_any_spreadsheet_is_read(separator: str) -> None:
    lines = ["Slug|Partner|Tags|address", "Spring|Good VPN|one|https://go.example/go/spring", "", "|||"]
    [line] = parse("\ufeff" + "\r\n".join(lines).replace("|", separator)).lines
    assert (line.slug, line.partner, line.tags) == ("spring", "Good VPN", ("one",))


def test_names_in_any_script_are_read() -> None:
    [line] = parse('slug,partner,tags,folder\na,שלום VPN,"🎁 gifts, عروض",هدايا').lines
    assert (line.partner, line.tags, line.folder) == ("שלום VPN", ("🎁 gifts", "عروض"), "هدايا")


def test_the_apostrophe_before_what_looks_like_a_formula_is_taken_away() -> None:
    [line] = parse("slug,tags,folder,destination\na,'=sale,'-10 %,https://a.example/?x=1;'=y").lines
    assert (line.tags, line.folder, line.destination) == (("=sale",), "-10 %", "https://a.example/?x=1;=y")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "empty_file", "empty"),
        ("slug,partner\na,good\ufffd", "bad_encoding", "Line 2"),
        ("name,partner\na,b", "bad_header", "must name the columns"),
        ("slug,price\na,1", "bad_header", "Unknown column: price"),
        ("slug,slug\na,b", "bad_header", "slug twice"),
        ('slug,partner\n"a,b', "bad_csv", "not CSV"),
        ("slug\n" + "a\n" * (MAX_LINES + 1), "too_many_lines", "1,000"),
        ("slug\n" + "a" * MAX_CHARACTERS, "file_too_long", "700,000"),
    ],
)
def test_a_file_that_is_no_list_of_links_is_refused(text: str, code: str, words: str) -> None:
    with pytest.raises(CommandRejected) as refused:
        parse(text)
    assert refused.value.code == code
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        (",,good-vpn,,,,,,", "slug", "Enter a slug."),
        ("Not a slug,,good-vpn,,,,,,", "slug", "1 to 64 lower-case letters"),
        ("admin,,good-vpn,,,,,,", "slug", "reserved"),
        (f"a,,{'v' * 301},,,,,,", "partner", "300 characters"),
        ("a,,good-vpn,https://a.example/" + "x" * 2048 + ",,,,,", "destination", "2,048 characters"),
        ("a,,good-vpn,,60 https://a.example/,,,,", "variants", "2 to 10 variants"),
        ("a,,good-vpn,,half https://a.example/ | 1 https://a.example/,,,,", "variants", "“half” is not a weight"),
        ("a,,good-vpn,,0 https://a.example/ | 1 https://a.example/,,,,", "variants", "“0” is not a weight"),
        ("a,,good-vpn,,1001 https://a.example/ | 1 https://a.example/,,,,", "variants", "“1001” is not a weight"),
        ("a,,good-vpn,,1 | 1 https://a.example/,,,,", "variants", "weight 1 has no address"),
        ('a,,good-vpn,,,"' + ",".join(map(str, range(21))) + '",,,', "tags", "at most 20 tags"),
        ("a,,good-vpn,,,,,paused,", "state", "“paused” is none of on, off."),
        ("a,,good-vpn,,,,,,maybe", "archived", "“maybe” is none of yes"),
        ("a,,good-vpn", None, "3 fields, the first has 9"),
    ],
)
def test_a_wrong_value_is_named_by_line_and_column(line: str, column: str | None, words: str) -> None:
    found, message = fault(line)
    assert found == column
    assert words in message


def test_every_wrong_value_of_a_line_is_named() -> None:
    read = parse(f"{HEAD}\nok,,good-vpn,,,,,,\nBad slug,,good-vpn,,,,,paused,\n")
    assert [line.slug for line in read.lines] == ["ok"]
    assert [(one.line, one.column) for one in read.faults] == [(3, "slug"), (3, "state")]


def test_a_slug_that_the_file_has_twice_names_the_first_line() -> None:
    read = parse("slug,partner\nspring,a\nautumn,a\nSpring,b")
    assert read.faults == (LinkLineFault(4, "spring", "slug", "Line 2 has the same slug."),)
