"""Minimal sets, and their published format (CLAMS): a grammatical sentence, then its ungrammatical variants.

    True    the author laughs
    False   the author laugh

The last line of a file may lack its line feed: the published English files do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import OnMalformed

_LABELS = {"True": True, "False": False}
Span = tuple[int, int]  # `[start, end)` of words
_ROW = "True or False, a tab, and a sentence whose words are separated by single blanks"


@dataclass(frozen=True, slots=True)
class Variant:
    """One sentence of a set."""

    sentence: str
    """Words separated by single blanks; in a language without blanks any text."""
    positions: tuple[int, ...]
    """Of the varied slots, each by its first word, 0-based; without a grammar, that of the first word that differs in
    the set, or none in a set without any difference.
    """
    forms: tuple[str, ...]
    """Of the varied slots, perhaps several words each."""


@dataclass(frozen=True, slots=True)
class MinimalSet:
    """One grammatical sentence with its variants."""

    number: int
    """Of the set in its file, from 1."""
    grammatical: Variant
    """The sentence that should score highest."""
    ungrammatical: tuple[Variant, ...]
    """Its variants; none where the grammar has no other form: such a set cannot be scored."""
    template: int | None = None
    """The line of the grammar, None where it is not known."""
    lexemes: tuple[str, ...] | None = None
    """What fills each slot of the template; a varied one is named by its first defined form ("laughs" for laughs and
    laugh). None without a grammar.
    """
    fields: Mapping[str, str] = field(default_factory=dict)
    """Further columns of its row, such as the phenomenon, as far as its reader was asked for them."""
    between: str = " "
    """What stands between two words: a blank, or nothing, where every character is a word."""
    named: tuple[Span, ...] | None = None
    """The span of the words that its file names as the difference, for each of `variants`; None: it names none."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """All sentences, the grammatical one first."""
        return self.grammatical, *self.ungrammatical

    @property
    def has_identical(self) -> bool:
        """Whether a variant is spelt as the grammatical sentence: no predictor can distinguish them."""
        return any(variant.sentence == self.grammatical.sentence for variant in self.ungrammatical)

    @property
    def words(self) -> list[tuple[str, ...]]:
        """The words of each of `variants`; every character where nothing stands between words."""
        return [words_of(variant.sentence, self.between) for variant in self.variants]

    @property
    def focus(self) -> tuple[Span, ...]:
        """For each of `variants` the span of the words that the file names, else from the first that differs to the
        last."""
        return differing_spans(self.words) if self.named is None else self.named


def words_of(sentence: str, between: str) -> tuple[str, ...]:
    """Returns the words of a sentence, by what stands between two of them; see `MinimalSet`."""
    return tuple(sentence.split(between)) if between else tuple(sentence)


def differing_spans(sentences: Sequence[Sequence[str]]) -> tuple[Span, ...]:
    """Returns for each sentence the span `[start, end)` between what all have in common at the start and at the end."""
    start = _n_common(sentences)
    n_after = _n_common([sentence[: start - 1 : -1] if start else sentence[::-1] for sentence in sentences])
    return tuple((start, len(sentence) - n_after) for sentence in sentences)


def read_published(path: Path, on_malformed: OnMalformed) -> Iterator[MinimalSet]:
    """Reads the published format; a set with a bad line is left out as a whole.

    A bad line that starts with True begins a set, which is left out and numbered; an empty line ends one.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is empty, has another
            label or number of columns, a sentence with blanks too many, text that is not clean UTF-8, and at an
            ungrammatical sentence without a grammatical one before it.
    """
    sentences: list[str] | None = []  # of the set being read, the grammatical one first; None: the set is left out
    number = 0
    for line, content in numbered_bytes(path):
        try:
            label, sentence = _row(path, line, content)
            if not label and sentences == []:
                raise MalformedLine(path, line, "a set has no grammatical sentence", "True before the first False")
        except MalformedLine as place:
            is_empty, begins = not content.strip(), content.partition(b"\t")[0].strip() == b"True"
            if sentences and (is_empty or begins):
                yield set_of_sentences(number, sentences)
            on_malformed(place)
            number, sentences = number + begins, [] if is_empty else None
            continue
        if label and sentences:
            yield set_of_sentences(number, sentences)
        if label:
            number, sentences = number + 1, []
        if sentences is not None:
            sentences.append(sentence)
    if sentences:
        yield set_of_sentences(number, sentences)


def _n_common(sentences: Sequence[Sequence[str]]) -> int:
    """Counts the words at the start that all sentences share."""
    n_common = 0
    for words in zip(*sentences, strict=False):
        if words.count(words[0]) < len(words):
            break
        n_common += 1
    return n_common


def _row(path: Path, line: int, content: bytes) -> tuple[bool, str]:
    cells = text_of(path, line, content).split("\t")
    if len(cells) != 2:
        found = "the line is empty" if cells == [""] else f"the line has {plural(len(cells), 'column')}"
        raise MalformedLine(path, line, found, _ROW)
    if cells[0] not in _LABELS:
        raise MalformedLine(path, line, f'the label is "{cells[0]}"', _ROW)
    check_sentence(path, line, cells[1], _ROW)
    return _LABELS[cells[0]], cells[1]


def check_sentence(path: Path, line: int, sentence: str, expected: str) -> None:
    """Refuses a sentence that is empty, or whose words are not separated by single blanks."""
    if "" in sentence.split(" ") or "\t" in sentence:
        found = "the sentence is empty" if not sentence.strip() else "the sentence has a blank or a tab too many"
        raise MalformedLine(path, line, found, expected)


def set_of_sentences(
    number: int,
    sentences: Sequence[str],
    between: str = " ",
    fields: Mapping[str, str] | None = None,
    named: tuple[Span, ...] | None = None,
) -> MinimalSet:
    """Builds a set from its sentences, the grammatical one first; the words that differ are its varied slot.

    Args:
        number, between, fields, named: see `MinimalSet`; named words are the varied slot.
        sentences: at least the grammatical one.
    """
    words = [words_of(sentence, between) for sentence in sentences]
    spans = differing_spans(words) if named is None else named
    differ = len(set(sentences)) > 1
    variants = []
    for sentence, of_sentence, (start, end) in zip(sentences, words, spans, strict=True):
        forms = (between.join(of_sentence[start:end]),) if differ else ()
        variants.append(Variant(sentence, (start,) if differ else (), forms))
    return MinimalSet(number, variants[0], tuple(variants[1:]), None, None, fields or {}, between, named)
