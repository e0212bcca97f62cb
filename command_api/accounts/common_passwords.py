"""Passwords that everybody tries first: those that leaked most often, and by rules what they are made of.

The list is zxcvbn's: the 30,000 most frequent ones of leaks, more than 11,000 of which are long enough to be chosen
here. What goes beyond it is, but for a small rest, a few hundred words and names with digits around them, runs of
neighbouring keys or digits, dates, and repetitions: one rule catches all the spellings of a word. Refused too is
whatever is made of the person's own name and address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from infra import PRODUCT_NAME
from infra.kernel.http.problems import FieldError, Problem

WEAK: Final = "This password is too easy to guess. Please choose another one."

_LEET: Final = str.maketrans("@4831!|0$57+29", "aaebiiiosstttg")
_TEXT: Final = """
    password passwort passord passwd pass word letmein welcome willkommen hello hallo bonjour ciao login signin admin
    administrator root guest test testing tester default changeme change secret geheim master access enter open unlock
    security secure private public user username account email internet network computer laptop server system windows
    microsoft google facebook twitter youtube instagram linkedin github amazon apple iphone android samsung nokia sony
    playstation nintendo pokemon minecraft fortnite starwars startrek batman superman spiderman ironman pikachu naruto
    dragon monkey tiger lion eagle falcon wolf bear panther shadow phoenix unicorn butterfly dolphin horse kitty kitten
    cat dog puppy chicken rabbit turtle bird fish snake spider buster bailey ginger pepper cookie chocolate banana
    orange apple cherry strawberry peaches cheese pizza coffee whiskey sunshine rainbow summer winter spring autumn
    flower rose lily jasmine diamond silver golden gold purple yellow green blue black white red pink
    love iloveyou loveyou loveme lovely lover baby babygirl babyboy angel princess prince queen king sweety sweetheart
    honey darling sexy friend friends forever family mother father mommy daddy sister brother jesus christ heaven god
    blessed faith hope peace freedom liberty america canada england london paris berlin madrid germany france india
    football soccer baseball basketball hockey tennis golf rugby cricket arsenal liverpool chelsea barcelona juventus
    manchester united realmadrid yankees cowboys steelers lakers eagles packers ferrari porsche mercedes mustang
    corvette camaro harley yamaha honda toyota ninja samurai warrior soldier killer hunter ranger trooper gangster
    thunder lightning storm matrix merlin wizard magic mystic gandalf hobbit zelda mario sonic avatar genesis
    michael jennifer jessica ashley amanda daniel andrew joshua matthew michelle nicole thomas robert william charlie
    george jordan harry anthony andrea martin maria marina natasha sandra stephanie patrick richard alexander alexandra
    samantha elizabeth victoria charles david james john joseph junior justin brandon christian benjamin taylor
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december money dollar million lucky winner success whatever trustno nothing something
    anything everything fuckyou fuckoff asshole bitch bullshit qwerty qwertz azerty abc abcd abcde asdf zxcv
    affiliate marketing analytics company business office sales
"""
_WORDS: Final = frozenset((*_TEXT.split(), PRODUCT_NAME.lower()))
_RUNS: Final = """
    qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm yxcvbnm 1234567890 0123456789 abcdefghijklmnopqrstuvwxyz
    1qaz2wsx3edc4rfv5tgb6yhn7ujm q1w2e3r4t5y6u7i8o9p0 1q2w3e4r5t6y7u8i9o0p qazwsxedcrfvtgb 147258369 159753 741852963
"""
_ROWS: Final = _RUNS.split()
_SHORTEST_CORE: Final = 6
"""A leaked password with digits or signs around it counts from this length on."""
_LETTERS: Final = re.compile(r"[^a-z]")
_EDGES: Final = re.compile(r"^[\d\W_]+|[\d\W_]+$")


def refuse_common(password: str, *own: str) -> None:
    """Raises `Problem` 400 `weak_password`; see `is_common`."""
    if is_common(password, *own):
        raise Problem(400, "weak_password", WEAK, errors=[FieldError("password", WEAK)])


def is_common(password: str, *own: str) -> bool:
    """Returns whether the password is in the list, follows a simple pattern, or is made of `own` (name, email address,
    company)."""
    plain = password.casefold()
    names = {part for text in own for part in re.split(r"[^\w]+", text.casefold()) if len(part) >= 3}
    container = _EDGES.sub("", plain)
    return (
        plain in leaked()
        or (len(container) >= _SHORTEST_CORE and container in leaked())
        or len(set(plain)) <= 3
        or _is_repeated(plain)
        or _is_run(plain)
        or _is_date(plain)
        or any(_is_word(form, names) or (len(form) >= 6 and _is_run(form)) for form in _forms(plain))
    )


@cache
def leaked() -> frozenset[str]:
    """The passwords that leaked most often; they take 12 MB, loaded when somebody chooses a password."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(FREQUENCY_LISTS["passwords"])


def _forms(plain: str) -> Iterator[str]:
    bare = _EDGES.sub("", plain)
    for text in (plain, bare, plain.translate(_LEET), bare.translate(_LEET), _EDGES.sub("", plain.translate(_LEET))):
        yield _LETTERS.sub("", text)


def _is_word(form: str, names: set[str]) -> bool:
    """Returns whether the form, which has no digits and signs any more, is one word, a short one twice, or two short
    ones."""
    words = _WORDS | names
    if form in words:
        return True
    return len(form) <= 12 and any(
        form[:cut] in words and form[cut:] in words for cut in range(3, max(3, len(form) - 2))
    )


def _is_repeated(plain: str) -> bool:
    return any(
        len(plain) % size == 0 and plain == plain[:size] * (len(plain) // size)
        for size in range(1, len(plain) // 2 + 1)
    )


def _is_run(plain: str) -> bool:
    """Returns whether the password is a run of neighbouring keys, letters or digits, forwards or backwards, or two such
    runs after each other."""
    rows = [*_ROWS, *(row[::-1] for row in _ROWS)]

    def is_one(text: str) -> bool:
        return any(text in row + row for row in rows) or (len(text) <= 4 and len(set(text)) == 1)

    return is_one(plain) or any(is_one(plain[:cut]) and is_one(plain[cut:]) for cut in range(3, max(3, len(plain) - 2)))


def _is_date(plain: str) -> bool:
    digits = re.sub(r"[./\-\s]", "", plain)
    if not digits.isdecimal() or len(digits) != 8:
        return False
    day_first = (int(digits[:2]), int(digits[2:4]), int(digits[4:]))
    year_first = (int(digits[6:]), int(digits[4:6]), int(digits[:4]))
    month_first = (day_first[1], day_first[0], day_first[2])
    return any(1 <= d <= 31 and 1 <= m <= 12 and 1900 <= y <= 2099 for d, m, y in (day_first, year_first, month_first))
