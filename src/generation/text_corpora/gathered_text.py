"""All sentences of some texts in one file, with a few numbers about each in memory.

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

import numpy as np

from src.display.progress import watched
from src.errors import MalformedLine
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import tokeniser
from src.formats.texts.plain_text import Passage, block_passages, line_passages
from src.formats.texts.text_corpus import MOST_TOKENS
from src.formats.texts.wikipedia_text import wikipedia_passages
from src.generation.text_corpora.corpus_options import CorpusOptions

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
