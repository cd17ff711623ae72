"""Running text as words: cut by the rules of the Moses tokenizer, or at blanks where that is done already.

Words as in the Penn Treebank (`did n't`, quotation marks as two backquotes or two apostrophes) are cut by the rules
that the treebank's annotators published as a stream editor's script (MacIntyre 1995), which SentEval applies to MR, CR,
SUBJ and MPQA: one sentence a line, so that only a full stop at the end is a word.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from polyprobe.errors import MalformedLine, check_choice, import_extra
from polyprobe.formats.reading.lines import text_of

Tokeniser = Callable[[str], tuple[str, ...]]
MOSES, BLANKS, WORDS_AND_SIGNS = "moses", "blanks", "words_and_signs"
_WORD_OR_SIGN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_SPACED = " {} ".format
# In this order: each rule sees what those before it have made.
_BEFORE_PADDING = (
    (r'^"', "`` "),
    (r'([ (\[{<])"', r"\1 `` "),
    (r"\.\.\.", _SPACED("...")),
    (r"[,;:@#$%&]", r" \g<0> "),
    (r"([^.])\.([\])}>\"']*) *$", r"\1 .\2 "),
    (r"[?!]", r" \g<0> "),
    (r"[\[\](){}<>]", r" \g<0> "),
    (r"--", _SPACED("--")),
)
_AFTER_PADDING = (
    (r'"', " '' "),
    (r"([^'])' ", r"\1 ' "),
    (r"'([sSmMdD]) ", r" '\1 "),
    (r"('ll|'re|'ve|n't|'LL|'RE|'VE|N'T) ", r" \1 "),
    (r" ([Cc])annot ", r" \1an not "),
    (r" ([Dd])'ye ", r" \1' ye "),
    (r" ([Gg])imme ", r" \1im me "),
    (r" ([Gg])onna ", r" \1on na "),
    (r" ([Gg])otta ", r" \1ot ta "),
    (r" ([Ll])emme ", r" \1em me "),
    (r" ([Mm])ore'n ", r" \1ore 'n "),
    (r" '([Tt])(is|was) ", r" '\1 \2 "),
    (r" ([Ww])anna ", r" \1an na "),
)
_RULES = tuple(
    tuple((re.compile(pattern), replacement) for pattern, replacement in rules)
    for rules in (_BEFORE_PADDING, _AFTER_PADDING)
)


def tokeniser(tokenised_by: str, language: str) -> Tokeniser:
    """Returns the function that cuts a sentence into words.

    Args:
        tokenised_by: "moses": as `tokenizer.perl -no-escape` does, by sacremoses; any white space of Unicode, such as
            a no-break space, ends a word there. "blanks": only blanks end a word, all else is part of it.
            "words_and_signs": words and single signs, as in running text.
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
    tokenize = import_extra("sacremoses", "moses").MosesTokenizer(lang=language).tokenize
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


def penn_words(sentence: str) -> tuple[str, ...]:
    """Cuts a sentence into the words of the Penn Treebank; words end at blanks alone.

    >>> penn_words('He said, "I can\\'t."')
    ('He', 'said', ',', '``', 'I', 'ca', "n't", '.', "''")
    """
    before, after = _RULES
    padded = f" {_rewritten(sentence, before)} "
    return tuple(word for word in _rewritten(padded, after).split(" ") if word)


def _rewritten(text: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text
