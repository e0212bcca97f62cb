"""The small script means the same as its source: names change, nothing else does."""

from __future__ import annotations

import pytest

from ingest.script.minify import minify


@pytest.mark.parametrize(
    ("source", "small"),
    [
        (
            "(function (w) {\n  // gone\n  var a = 1;\n  w.a = a;\n})(window);\n",
            "(function(u){var p=1;u.a=p})(window);",
        ),
        ('(function () { f("a , b: // c"); })();', '(function(){f("a , b: // c")})();'),
        ("(function (s) { s.split(/\\/s+ s/g); })();", "(function(d){d.split(/\\/s+ s/g)})();"),
        ("(function (s) { s(true, /[?&]s= /g, /(s) s/); })();", "(function(d){d(!0,/[?&]s= /g,/(s) s/)})();"),
        (
            "(function () { function one(long) { try { return { long: long, of: typeof long }; } catch (x) { } }"
            " function two(name) { for (var k in name) one(name[k]); } two(one); })();",
            "(function(){function d(e){try{return{long:e,of:typeof e}}catch(t){}}"
            "function u(e){for(var t in e)d(e[t])}u(d)})();",
        ),
    ],
)
def test_it_renames_what_the_script_declares_and_keeps_the_rest(source: str, small: str) -> None:
    assert minify(source) == small


def test_a_function_with_too_many_names_is_an_error() -> None:
    names = ", ".join(f"n{number}" for number in range(11))
    with pytest.raises(ValueError, match="one declares more than 10 names"):
        minify(f"(function () {{ function one({names}) {{ }} }})();")
