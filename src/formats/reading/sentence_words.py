"""The words of a sentence in one cell."""

from pathlib import Path

from src.errors import MalformedLine


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
