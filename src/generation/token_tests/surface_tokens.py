"""From the words of a treebank to the tokens that a reader of the text sees.

    9-10  metinlerdir                       one token: metinlerdir, metin+i, N;PL;NOM;V;3;SG;PRS
    9     metinler     metin  N;PL;NOM
    10    dir          i      V;3;SG;PRS

The released program compares the numbers of words as strings and so never finds the range 9-10 whole. What comes of it
is read off the published Turkish sets (all their rows agree whose sentence is in the treebank at hand): the spelling
stands twice, words between the ends behind it; the first has no labels, those of the words have moved one place on, and
the last two are joined. A range at the start of a sentence it does not restore at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from src.formats.treebanks.conllu import ConlluSentence


@dataclass(frozen=True, slots=True)
class Span:
    """A multiword token: its first and last word, from 1, and its spelling."""

    first: int
    last: int
    form: str


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or the words of a multiword token; of several words, columns are joined by `+`."""

    form: str
    """As written."""
    lemma: str
    upos: str
    feats: str
    """`lemma`, `upos` and `feats`: columns of the treebank."""
    bundle: str
    """Of UniMorph; empty where there is none."""
    line: int
    """Of the file, on which its first word stands."""


def spans_of(sentence: ConlluSentence) -> list[Span]:
    """Returns the multiword tokens of a sentence."""
    ranges = [(row.id.partition("-"), row.form) for row in sentence.rows if "-" in row.id]
    return [Span(int(first), int(last), form) for (first, _, last), form in ranges]


def joined(words: Sequence[Token], spans: Sequence[Span], separator: str) -> list[Token]:
    """Returns the tokens of a sentence: each range is one, spelt as it is written.

    Args:
        spans: in the order of the sentence.
        separator: between the bundles of two words that have one.
    """
    tokens, done = [], 0
    for span in spans:
        tokens += words[done : span.first - 1]
        tokens.append(_one(words[span.first - 1 : span.last], span.form, separator))
        done = span.last
    return [*tokens, *words[done:]]


def joined_as_released(words: Sequence[Token], spans: Sequence[Span], separator: str) -> list[Token]:
    """Returns the tokens of a sentence as the released program does."""
    tokens, done = [], 0
    for span in spans:
        if span.first == 1:
            continue
        tokens += words[done : span.first - 1]
        inside = words[span.first - 1 : span.last]
        if len(str(span.first)) == len(str(span.last)):
            tokens.append(_one(inside, span.form, separator))
        else:
            tokens += _one_too_many(inside, span.form, separator)
        done = span.last
    return [*tokens, *words[done:]]


def _one_too_many(words: Sequence[Token], form: str, separator: str) -> list[Token]:
    tokens = [replace(words[0], form=form), replace(words[-1], form=form), *words[1:-1]]
    bundles = ["", *(word.bundle for word in words[:-2]), _joined_bundles(words[-2:], separator)]
    return [replace(token, bundle=bundle) for token, bundle in zip(tokens, bundles, strict=True)]


def _joined_bundles(words: Sequence[Token], separator: str) -> str:
    return separator.join(word.bundle for word in words if word.bundle)


def _one(words: Sequence[Token], form: str, separator: str) -> Token:
    columns = ("+".join(getattr(word, name) for word in words) for name in ("lemma", "upos", "feats"))
    return Token(form, *columns, _joined_bundles(words, separator), words[0].line)
