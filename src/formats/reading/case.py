"""Lower case and capitals: by the rules of Unicode, or of the languages that write a dotless i."""

from typing import Annotated

from polyprobe.errors import BadValue
from polyprobe.section import Expected

Lowercase = Annotated[bool | str, Expected("true, false or python")]

_TURKISH = str.maketrans({"I": "ı", "İ": "i"})
_CAPITALS_WITH_DOT = str.maketrans({"i": "İ"})
_RULES = ("kept", "unicode", "turkish")


def case_rule(lowercase: Lowercase, dotless_i: bool) -> str:
    """Returns the rule that `lower_cased` follows, as a word for fingerprints.

    Args:
        lowercase: as `encoder.lowercase` says it: false keeps the case; true lower-cases as the language does; "python"
            lower-cases as `str.lower` in every language, as the released code of LINSPECTOR does.
        dotless_i: whether I and İ are the capitals of ı and i (Turkish, Azerbaijani).

    Raises:
        BadValue: `lowercase` is none of the three.
    """
    if lowercase == "python":
        return "unicode"
    if not isinstance(lowercase, bool):
        raise BadValue("encoder.lowercase", lowercase, "true, false or python")
    if not lowercase:
        return "kept"
    return "turkish" if dotless_i else "unicode"


def lower_cased(word: str, rule: str) -> str:
    """Lower-cases a word by a rule of `case_rule`.

    By "unicode", as `str.lower`, a capital dotted İ becomes two code points: i and U+0307.
    """
    assert rule in _RULES, rule
    if rule == "kept":
        return word
    return (word.translate(_TURKISH) if rule == "turkish" else word).lower()


def with_capital(text: str, dotless_i: bool) -> str:
    """Upper-cases the first letter.

    The released preparation of CLAMS also lower-cases the rest of the first word, so that an acronym is lost; we keep
    it.

    Args:
        text: not empty.
        dotless_i: whether i is written İ as a capital (Turkish).
    """
    first = text[0].translate(_CAPITALS_WITH_DOT) if dotless_i else text[0]
    return first.upper() + text[1:]
