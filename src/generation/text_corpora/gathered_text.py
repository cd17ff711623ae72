"""All sentences of some texts in one file, with a few numbers about each in memory; the options of such a corpus.

A sentence of any length costs 28 bytes of memory; its words are read from the file where they are needed.
"""

import hashlib
import mmap
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le, MinLen, Predicate

from polyprobe.display.progress import watched
from polyprobe.errors import BadValue, MalformedLine
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.reading.tokenised import tokeniser
from polyprobe.formats.texts.plain_text import Passage, block_passages, line_passages
from polyprobe.formats.texts.text_corpus import MOST_TOKENS
from polyprobe.formats.texts.wikipedia_text import wikipedia_passages
from polyprobe.generation.made_tests.labels import Items, Shares
from polyprobe.section import Count, Expected, Number, Section

_WHOLE = 1e-9  # how far the sum of shares may be from 1
Lengths = Annotated[
    list[int],
    Predicate(lambda lengths: len(lengths) == 2 and 1 <= lengths[0] <= lengths[1]),
    Expected("null or [fewest, most] words, such as [2, 80]", of_parts=True),
]
UnknownShare = Annotated[Number, Ge(0), Le(1), Expected("null or a number from 0 to 1, such as 0.05")]


class CorpusOptions(Section, key="lm_corpus"):
    """How a corpus is prepared."""

    language: str
    """Its code."""
    seed: int
    """Of the order of sentences."""
    layout: Literal["sentences", "paragraphs", "blocks", "wikipedia"]
    """Layout of texts: sentences, one per line; running text: paragraphs, one per line; blocks separated by empty
    lines; wikipedia.

    WikiExtractor writes "wikipedia", see `polyprobe.formats.texts.wikipedia_text`.
    """
    tokenised_by: Literal["moses", "blanks", "words_and_signs"]
    """Tokenizer: moses; blanks: already tokenized; words_and_signs
    (`polyprobe.formats.reading.tokenised.tokeniser`).
    """
    duplicates: Literal["left_out", "kept"]
    """Duplicate sentences: left_out (except the first), or kept."""
    lengths: Lengths | None
    """Sentence length in words: [minimum, maximum]; null: any."""
    shares: Shares
    """Share of the words per split."""
    most_words: Items | None
    """Maximum number of words per split, such as {train: 80000000, dev: 10000000, test: 10000000}, as published; null:
    all.
    """
    n_words: Count
    """Vocabulary size (most frequent words)."""
    least_word_count: Count
    """Minimum frequency of words of the vocabulary."""
    vocabulary_splits: Annotated[list[Literal["train", "dev"]], MinLen(1), Expected("[train] or [train,dev]")]
    """Splits from which the vocabulary is counted."""
    max_unknown_share: UnknownShare | None
    """Maximum OOV rate of a sentence; sentences above it are skipped; null: keep all."""
    unknown: Literal["kept", "replaced"]
    """OOV words in the files: kept, or replaced by <unk>."""

    def __post_init__(self):
        super().__post_init__()
        if abs(sum(self.shares.values()) - 1) > _WHOLE:
            raise BadValue("lm_corpus.shares", dict(self.shares), "shares with the sum 1")


END, UNKNOWN = "<eos>", "<unk>"
"""The marks of a sentence's end and of an unknown word in published texts."""
_MARK = re.compile(rf"(?<!\S){END}(?!\S)")
_AT_END = re.compile(rf"(?<!\S){END}\s*$")
_READERS: dict[str, Callable[[Path, OnMalformed], Iterator[Passage]]] = {
    "sentences": line_passages,
    "paragraphs": line_passages,
    "blocks": block_passages,
    "wikipedia": wikipedia_passages,
}
SentenceSplitter = Callable[[str], list[str]]
_WITH_ORDINALS = re.compile("cs|da|de|et|fi|hr|hu|is|lv|nb|nn|no|pl|sk|sl|sr|tr")
_OPENING = "\"'«»“„‘‚(\\[{¿¡—–-"
_END = re.compile(r"""([.!?…]+)["'»«”“’‘)\]}]*$""")
_OPENED = re.compile(f"^[{_OPENING}]+")
_NUMERIC_ONLY = " #NUMERIC_ONLY#"
_MOST_DIGITS = 2  # of an ordinal: 3. Mai, but 1848.


@dataclass(frozen=True, slots=True)
class GatheredText:
    """Sentences in the order of reading."""

    path: Path
    """The file: a sentence a line, one blank between words."""
    starts: np.ndarray
    """Where each begins, in bytes, and at last the size of the file: `[sentences + 1]`."""
    n_words: np.ndarray
    """`[sentences]`."""
    digests: np.ndarray
    """Of the words: `[sentences, 2]`."""
    n_passages: int
    """That sentences were read from."""
    n_of_other_length: int
    """Sentences that were shorter or longer than is asked for."""

    def __len__(self) -> int:
        return len(self.n_words)

    def repeats(self) -> np.ndarray:
        """Says of each sentence whether an earlier one has the same words: `[sentences]`."""
        order = np.lexsort((self.digests[:, 1], self.digests[:, 0]))  # stable: the first of equal ones comes first
        is_next = (self.digests[order[1:]] == self.digests[order[:-1]]).all(axis=1)
        repeated = np.zeros(len(self), bool)
        repeated[order[1:][is_next]] = True
        return repeated

    def in_order(self) -> Iterator[list[str]]:
        """Yields the words of every sentence."""
        with open(self.path, "rb") as file:
            for line in file:
                yield line.decode("utf-8").removesuffix("\n").split(" ")

    def at(self, numbers: np.ndarray) -> Iterator[list[str]]:
        """Yields the words of sentences in the order of their numbers."""
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for number in numbers.tolist():
                line = content[self.starts[number] : self.starts[number + 1] - 1]
                yield line.decode("utf-8").split(" ")


def gather(texts: Sequence[Path], options: CorpusOptions, on_malformed: OnMalformed, path: Path) -> GatheredText:
    """Reads texts one after the other, cuts them into sentences and words, and writes these into a file.

    Args:
        options: layout, language, words, lengths.
    """
    starts, n_words, digests = array("q", [0]), array("i"), bytearray()
    fewest, most = options.lengths or (1, MOST_TOKENS)
    n_passages = n_other = 0
    with open(path, "wb") as file, watched("reading", "sentences", None) as progress:
        for text in texts:
            for place, words in _sentences(text, options, on_malformed):
                n_passages += place
                if not words:
                    continue
                if not fewest <= len(words) <= most:
                    n_other += 1
                    continue
                line = " ".join(words).encode("utf-8")
                file.write(line + b"\n")
                starts.append(starts[-1] + len(line) + 1)
                n_words.append(len(words))
                digests += hashlib.blake2b(line, digest_size=16).digest()
                progress.advance()
    counted = np.frombuffer(n_words, np.int32) if n_words else np.zeros(0, np.int32)
    pairs = np.frombuffer(bytes(digests), np.uint64).reshape(-1, 2)
    return GatheredText(path, np.frombuffer(starts, np.int64), counted, pairs, n_passages, n_other)


def _sentences(path: Path, options: CorpusOptions, on_malformed: OnMalformed) -> Iterator[tuple[bool, list[str]]]:
    """Yields whether a passage begins, and the words of its next sentence."""
    cut = tokeniser(options.tokenised_by, options.language)
    split = (lambda text: [text]) if options.layout == "sentences" else sentence_splitter(options.language)
    if not path.stat().st_size:
        on_malformed(MalformedLine(path, 1, "the file is empty", "at least one line"))
        return
    for passage in _READERS[options.layout](path, on_malformed):
        for number, sentence in enumerate(split(passage.text)):
            text = _AT_END.sub("", sentence.replace("\t", " "))  # before it is cut: Moses takes the mark apart
            words = [word for word in cut(text) if word]
            if _MARK.search(text):
                on_malformed(MalformedLine(path, passage.line, f"{END} stands inside a sentence", "it at the end"))
                words = []
            if len(words) > MOST_TOKENS:
                found = f"the sentence has {len(words):,} words"
                on_malformed(MalformedLine(path, passage.line, found, f"at most {MOST_TOKENS:,}"))
                words = []
            yield number == 0, words


@cache
def sentence_splitter(language: str) -> SentenceSplitter:
    """Returns the function that cuts a passage into sentences, white space made single blanks.

    A sentence ends at white space after . ! ? or … (and closing quotes or brackets) where no small letter follows, in
    languages that write blanks between words. No sentence ends at the full stop of an abbreviation that the Moses
    tokenizer knows in the language, of a letter, of a word with another full stop inside (U.S.), or of a number of one
    or two digits in languages whose ordinals are written so.

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
