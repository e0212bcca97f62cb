"""Which passwords are refused because everybody tries them first."""

from __future__ import annotations

import pytest

from command_api.accounts.common_passwords import is_common, leaked

FIRST_TRIED = """
12345678 123456789 1234567890 password password1 password123 Password1! P@ssw0rd p4ssword passw0rd qwertyuiop
qwerty123 1q2w3e4r 1q2w3e4r5t 1qaz2wsx qazwsxedc zxcvbnm1 asdfghjkl asdf1234 11111111 00000000 88888888 12341234
123123123 987654321 87654321 abcd1234 abc12345 abcdefgh iloveyou iloveyou1 letmein1 welcome1 Welcome123! welcome2026
sunshine princess1 football1 baseball michael1 jennifer jordan23 superman batman123 trustno1 dragon12 monkey12
starwars1 computer internet whatever admin123 administrator changeme1 master123 test1234 testtest guest1234 19851985
01011990 31.12.1999 1990-01-31 20001231 liverpool1 chelsea123 arsenal1 charlie1 jessica1 samantha thunder1 corvette
mustang69 snoopy12345678 qwer1234 q1w2e3r4 147258369 159753159753 aaaaaaaa ababababab asdasdasd passpass
""".split()  # noqa: SIM905 - a list of words reads best as words


def test_what_everybody_tries_first_is_refused() -> None:
    assert [password for password in FIRST_TRIED if not is_common(password)] == []


def test_the_most_frequent_of_leaks_are_refused() -> None:
    """ASVS 6.2.4: at least the 3,000 most frequent ones that are long enough to be chosen."""
    choosable = [password for password in leaked() if len(password) >= 8]
    assert len(choosable) > 10_000
    assert all(is_common(password) for password in choosable)
    assert all(is_common(password.upper() + "1!") for password in ("maverick", "mountain", "slipknot"))


@pytest.mark.parametrize("password", ["ada.byron", "AdaByron1843", "Byron!!2026", "analytical1", "BYR0N123"])
def test_ones_own_name_is_refused(password: str) -> None:
    assert is_common(password, "Ada Byron", "ada.byron@analytical.example")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "wide oceans and 7 gulls",
        "kX9$wq2Lm0",
        "gulls-over-reykjavik",
        "Þingvellir við Öxará",
        "zebra lamp quartz",
        "        x1y2z3",
    ],
)
def test_others_are_not(password: str) -> None:
    assert not is_common(password, "Ada Byron", "ada.byron@analytical.example", "Analytical Ltd")
