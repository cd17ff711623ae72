"""Running text cut into sentences, in languages that write blanks between words.

A sentence ends at white space after . ! ? or … (and closing quotes or brackets) where no small letter follows. No
sentence ends at the full stop of an abbreviation that the Moses tokenizer knows in the language, of a letter, of a word
with another full stop inside (U.S.), or of a number of one or two digits in languages whose ordinals are written so.
"""

import re
from collections.abc import Callable
from functools import cache

SentenceSplitter = Callable[[str], list[str]]
_WITH_ORDINALS = re.compile("cs|da|de|et|fi|hr|hu|is|lv|nb|nn|no|pl|sk|sl|sr|tr")
_OPENING = "\"'«»“„‘‚(\\[{¿¡—–-"
_END = re.compile(r"""([.!?…]+)["'»«”“’‘)\]}]*$""")
_OPENED = re.compile(f"^[{_OPENING}]+")
_NUMERIC_ONLY = " #NUMERIC_ONLY#"
_MOST_DIGITS = 2  # of an ordinal: 3. Mai, but 1848.


@cache
def sentence_splitter(language: str) -> SentenceSplitter:
    """Returns the function that cuts a passage into sentences, white space made single blanks.

    Args:
        language: its code; abbreviations are those of English where Moses has none.
    """
    abbreviations, before_numbers = _abbreviations(language)
    has_ordinals = _WITH_ORDINALS.fullmatch(language) is not None

    def is_end(word: str, following: str) -> bool:
        found = _END.search(word)
        start = _OPENED.sub("", following)[:1]
        if found is None or start.islower():
            return False
        if found[0] != ".":
            return True
        before = _OPENED.sub("", word[: found.start()])
        if before in before_numbers and start.isdigit():
            return False
        is_initial = len(before) == 1 and before.isupper()
        is_ordinal = has_ordinals and before.isdecimal() and len(before) <= _MOST_DIGITS
        return not (before in abbreviations or "." in before or is_initial or is_ordinal)

    def split(passage: str) -> list[str]:
        words = passage.split()
        ends = [n for n in range(1, len(words)) if is_end(words[n - 1], words[n])]
        return [" ".join(words[start:end]) for start, end in zip([0, *ends], [*ends, len(words)], strict=True)]

    return split


def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the abbreviations of a language, and those that are such before numbers alone (No. 5)."""
    from sacremoses.corpus import NonbreakingPrefixes

    listed = frozenset(NonbreakingPrefixes().words(language))
    before_numbers = frozenset(one.removesuffix(_NUMERIC_ONLY) for one in listed if one.endswith(_NUMERIC_ONLY))
    return listed, before_numbers
