"""Running text as words: cut by the rules of the Moses tokenizer, or at blanks where that is done already."""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from src.errors import MalformedLine, check_choice
from src.formats.reading.lines import text_of

Tokeniser = Callable[[str], tuple[str, ...]]
MOSES, BLANKS, WORDS_AND_SIGNS = "moses", "blanks", "words_and_signs"
_WORD_OR_SIGN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def tokeniser(tokenised_by: str, language: str) -> Tokeniser:
    """Returns the function that cuts a sentence into words.

    Args:
        tokenised_by: "moses": as `tokenizer.perl -no-escape` does, by sacremoses; any white space of Unicode, such as
            a no-break space, ends a word there. "blanks": only blanks end a word, all else is part of it.
            "words_and_signs": see the function.
        language: its code. Moses knows abbreviations and apostrophes by language; those of English where it has none.

    Raises:
        UnknownChoice: `tokenised_by` is none of these.
    """
    check_choice("tokenised_by", tokenised_by, _MANNERS)
    return _MANNERS[tokenised_by](language)


def words_of_line(path: Path, number: int, content: bytes, cut: Tokeniser) -> tuple[str, ...]:
    """Returns the words of a line; equal words are one object, so that one costs eight bytes where it occurs again."""
    text = text_of(path, number, content)
    words = cut(text)
    if not any(words):
        raise MalformedLine(path, number, "the line has no word" if text else "the line is empty", "a sentence")
    return tuple(map(sys.intern, words))


def words_and_signs(sentence: str) -> tuple[str, ...]:
    """Splits running text into words and single signs: "It's so." has the words "It's", "so" and "."."""
    return tuple(_WORD_OR_SIGN.findall(sentence)) or (sentence.strip(),)


@cache
def _moses(language: str) -> Tokeniser:
    from sacremoses import MosesTokenizer

    tokenize = MosesTokenizer(lang=language).tokenize
    return lambda sentence: tuple(tokenize(sentence, escape=False))


_MANNERS = {MOSES: _moses, BLANKS: lambda _: words_of, WORDS_AND_SIGNS: lambda _: words_and_signs}


def words_of(sentence: str) -> tuple[str, ...]:
    """Splits at blanks alone; a no-break space (U+00A0) stays inside its word, surplus blanks make no empty words.

    The released code of SentEval splits at any white space, so that a word with a no-break space is two there.
    """
    return tuple(word for word in sentence.split(" ") if word)


def has_surplus_blanks(sentence: str) -> bool:
    """Says whether the sentence starts or ends with a blank, or has two in a row."""
    return "" in sentence.split(" ")


def check_words(path: Path, line: int, sentence: str) -> None:
    """Checks that there is a word.

    Raises:
        MalformedLine: the sentence is blank.
    """
    if not words_of(sentence):
        raise MalformedLine(path, line, "the sentence is empty", "words separated by blanks")
