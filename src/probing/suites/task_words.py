"""How the sentences of downstream tasks are cut into words: what SentEval's preparation does to each task."""

from collections.abc import Callable

from src.formats.reading.tokenised import tokeniser, words_of
from src.formats.texts.penn_words import penn_words

Words = Callable[[str], tuple[str, ...]]


def without_quotes(sentence: str) -> tuple[str, ...]:
    """Deletes apostrophes and backquotes, then splits at blanks (TREC).

    >>> without_quotes("What is `` a bee 's '' knee ?")
    ('What', 'is', 'a', 'bee', 's', 'knee', '?')
    """
    return words_of(sentence.replace("'", "").replace("`", ""))


def moses(sentence: str) -> tuple[str, ...]:
    """Cuts as `tokenizer.perl -l en -no-escape` (SICK)."""
    return tokeniser("moses", "en")(sentence)


def moses_lower(sentence: str) -> tuple[str, ...]:
    """Cuts as `moses` and lower-cases (STS)."""
    return tuple(word.lower() for word in moses(sentence))


WORDS: dict[str, Words] = {
    "blanks": words_of,
    "penn": penn_words,
    "moses": moses,
    "moses_lower": moses_lower,
    "without_quotes": without_quotes,
}
