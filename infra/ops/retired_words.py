"""Reports retired words: `python -m infra.ops.retired_words [PATH ...]`, a part of `make lint`.

Prose (comments, docstrings, texts, names of test functions, JSX text, Markdown) is matched against the prose patterns,
identifiers of Python against the name patterns, both of `retired_words.toml`. Pages for marketers are matched against
the patterns of texts, too. Quotations of the specification and
listed texts are allowed. Each hit is one line `file:line: word → replacement`.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

from infra.kernel.config.paths import ROOT

WORDS: Final = Path(__file__).with_suffix(".toml")
SPECIFICATION: Final = "docs/specification.md"
SCRIPTS: Final = (".ts", ".tsx", ".mjs", ".js")


@dataclass(frozen=True, slots=True)
class Hit:
    """A retired word in a file."""

    path: str
    line: int
    word: str
    replacement: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word} → {self.replacement}"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of prose with single blanks. `starts`: the offset of each of its words; `lines`: the line of each."""

    text: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]

    def line_at(self, offset: int) -> int:
        return self.lines[bisect_right(self.starts, offset) - 1]


class Patterns:
    """Patterns with their replacements, searched as one expression."""

    def __init__(self, replacements: dict[str, str]) -> None:
        self._replacements = list(replacements.values())
        self._pattern = re.compile("|".join(f"({pattern})" for pattern in replacements))
        if self._pattern.groups != len(self._replacements):
            raise ValueError("a pattern of retired words contains a capturing group")
        self._is_empty = not replacements

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and replacement of each match."""
        if self._is_empty:
            return
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._replacements[(match.lastindex or 1) - 1]


class RetiredWords:
    """The patterns and the allowed texts."""

    def __init__(self, table: dict[str, Any], quotations: Sequence[str] = ()) -> None:
        self._prose = Patterns(table["prose"])
        self._texts = Patterns(table.get("texts", {}))
        self._text_files: list[str] = list(table.get("text_files", {}))
        self._names = Patterns({rf"(?<!.)(?:{name})(?!.)": new for name, new in table["names"].items()})
        self._excluded: list[str] = list(table.get("excluded", {}))
        texts = {*quotations, *table.get("allowed", {})}
        self._allowed = [re.compile(re.escape(" ".join(text.split())), re.IGNORECASE) for text in sorted(texts)]

    def covers(self, path: str) -> bool:
        """Returns whether the file is checked."""
        return not any(fnmatch(path, pattern) for pattern in self._excluded)

    def check(self, path: str, source: str) -> list[Hit]:
        """The hits in one file, in order."""
        if path.endswith(".py"):
            blocks, names = python_parts(source)
        elif path.endswith(SCRIPTS):
            blocks, names = script_blocks(source, has_jsx=path.endswith("x")), []
        else:
            blocks, names = markdown_blocks(source), []
        hits = [Hit(path, line, name, new) for name, line in names for _, _, new in self._names.find(name)]
        for block in blocks:
            hits += self._check_block(path, block)
        return sorted(hits, key=lambda hit: hit.line)

    def _check_block(self, path: str, block: Block) -> Iterator[Hit]:
        if block.text.startswith("spec §"):
            return  # the title of a test that quotes the specification
        is_text = any(fnmatch(path, pattern) for pattern in self._text_files)
        for patterns in (self._prose, self._texts) if is_text else (self._prose,):
            for start, end, replacement in patterns.find(block.text.lower()):
                if not self._is_allowed(block.text, start, end):
                    yield Hit(path, block.line_at(start), block.text[start:end], replacement)

    def _is_allowed(self, text: str, start: int, end: int) -> bool:
        return any(
            match.start() <= start and end <= match.end()
            for pattern in self._allowed
            for match in pattern.finditer(text)
        )


def block_of(text: str, line: int) -> Block:
    """`text`, which begins on `line`, with every run of white space as one blank."""
    words, starts, lines, offset, at = [], [], [], 0, 0
    for match in re.finditer(r"\S+", text):
        line += text.count("\n", at, match.start())
        at = match.start()
        words.append(match.group())
        starts.append(offset)
        lines.append(line)
        offset += len(match.group()) + 1
    return Block(" ".join(words), tuple(starts), tuple(lines))


def python_parts(source: str) -> tuple[list[Block], list[tuple[str, int]]]:
    """Prose and identifiers of a Python module: adjacent comment lines are one block; strings count with a blank, and
    names of test functions as sentences."""
    blocks: list[Block] = []
    names: list[tuple[str, int]] = []
    comment: list[str] = []
    comment_end = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if comment and (line > comment_end + 1 or token.type not in (tokenize.COMMENT, tokenize.NL)):
            blocks.append(block_of("\n".join(comment), comment_end - len(comment) + 1))
            comment = []
        if token.type == tokenize.COMMENT:
            comment.append(token.string.lstrip("#"))
            comment_end = line
        elif token.type == tokenize.NAME:
            names.append((token.string, line))
            if token.string.startswith("test_"):
                blocks.append(block_of(token.string.replace("_", " "), line))
        elif token.type == tokenize.STRING:
            blocks += _string_block(token.string, line)
    if comment:
        blocks.append(block_of("\n".join(comment), comment_end - len(comment) + 1))
    return blocks, names


def _string_block(literal: str, line: int) -> Iterator[Block]:
    prefix, quote, text = _PYTHON_STRING.match(literal).groups()  # type: ignore[union-attr]  # any literal matches
    text = text[: -len(quote)]
    if "f" in prefix.lower():
        text = re.sub(r"\{[^{}]*\}", "{}", text)
    text = re.sub(r"\\[nt]", "  ", _without_code(text))
    if " " in text or "\n" in text:
        yield block_of(text, line)


def script_blocks(source: str, *, has_jsx: bool) -> list[Block]:
    """Prose of a TypeScript or JavaScript module: comments, strings with a blank, and JSX text."""
    blocks: list[Block] = []

    def take(found: re.Match[str]) -> str:
        text = found.group()
        line = source.count("\n", 0, found.start()) + 1
        if text.startswith("/"):
            text = re.sub(r"(?m)^\s*\*(?!/)", "", text.strip("/"))
        else:
            text = re.sub(r"\$\{[^{}]*\}", "{}", text[1:-1].replace("\\'", "'").replace("\\n", "  "))
        if " " in text:
            blocks.append(block_of(_without_code(text), line))
        return re.sub(r"[^\n]", " ", found.group())

    code = _SCRIPT_PROSE.sub(take, source)
    if has_jsx:
        texts = _JSX_TEXT.finditer(code)
        blocks += [block_of(match.group(1), code.count("\n", 0, match.start(1)) + 1) for match in texts]
    return blocks


def markdown_blocks(source: str) -> list[Block]:
    """Prose of a page: its paragraphs without code, links' addresses and the markers of generated parts."""
    text = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", _blank_out, source)
    text = re.sub(r"(?s)<!--.*?-->|\]\([^)]*\)", _blank_out, _without_code(text))
    blocks, line = [], 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        if paragraph.strip():
            blocks.append(block_of(paragraph, line))
        line += paragraph.count("\n")
    return blocks


def quotations(specification: str) -> list[str]:
    """The product's own texts: what stands in quotation marks on the page of the specification."""
    return [text for text in re.findall(r'"([^"\n]+)"', specification) if " " in text]


def files(root: Path) -> list[str]:
    """The tracked and new files that can hold prose."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    names = (name for name in listed.stdout.splitlines() if name.endswith((".py", ".md", *SCRIPTS)))
    return sorted({name for name in names if (root / name).is_file()})


def retired_words(root: Path = ROOT) -> RetiredWords:
    """The table of this repository."""
    return RetiredWords(tomllib.loads(WORDS.read_text()), quotations((root / SPECIFICATION).read_text()))


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0 no hit, 1 some."""
    parser = argparse.ArgumentParser(prog="retired_words", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only files whose path begins so")
    options = parser.parse_args(argv)
    words, hits = retired_words(), list[Hit]()
    for name in files(ROOT):
        if words.covers(name) and name.startswith(tuple(options.paths) or ""):
            hits += words.check(name, (ROOT / name).read_text())
    sys.stdout.write("".join(f"{hit}\n" for hit in hits))
    if hits:
        sys.stderr.write(f"{len(hits)} retired words; see {WORDS.relative_to(ROOT)}\n")
    return 1 if hits else 0


def _blank_out(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _without_code(text: str) -> str:
    """`text` with what stands between backticks replaced by `x`, so that the words around it do not join."""
    return re.sub(r"``[^`]+``|`[^`]*`", lambda found: "x" + "\n" * found.group().count("\n"), text)


_PYTHON_STRING: Final = re.compile(r'([A-Za-z]*)("""|\'\'\'|"|\')(.*)', re.DOTALL)
_SCRIPT_PROSE: Final = re.compile(
    r"/\*.*?\*/|(?://[^\n]*\n[ \t]*)*(?<!:)//[^\n]*|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`",
    re.DOTALL,
)
_JSX_TEXT: Final = re.compile(r"[>}]([^<>{}=;()]*[A-Za-z] [^<>{}=;()]*)(?=[<{])")


if __name__ == "__main__":
    sys.exit(main())
