"""Prepares text for a language model as the corpora of Mueller et al. (2020, section 4.1) are.

    texts → sentences → words → repeated ones left out → shuffled → split by shares of words → vocabulary of train and
    dev → sentences with more than 5 % OOV words left out → cut to so many words

    <language>/train.txt, valid.txt, test.txt     a sentence a line, one blank between words
    <language>/vocab.txt                          the vocabulary, a word a line, the most frequent first
    <language>/statistics.json                    options, what each step took, sizes, sources

Gulordava et al. (2018) leave such sentences out, too. Neither article says whether before or after the split; here the
vocabulary is that of the splits, and no sentence of any file has more words out of it than the share.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.digest import write_sealed
from polyprobe.formats.reading.lines import write_lines
from polyprobe.frequency import by_frequency
from polyprobe.generation.language_sources import sources
from polyprobe.generation.made_tests.frequent_words import Step, described_steps
from polyprobe.generation.made_tests.row_statistics import share
from polyprobe.generation.made_tests.writing import STATISTICS, described, folder_written_whole
from polyprobe.generation.maker import Maker, MakingSettings, Written
from polyprobe.generation.text_corpora.gathered_text import END, UNKNOWN, CorpusOptions, GatheredText, gather
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

FILES = {"train": "train.txt", "dev": "valid.txt", "test": "test.txt"}
VOCABULARY = "vocab.txt"
_GATHERED = "sentences"
_LEFT_OUT = -1


class NothingLeft(PolyprobeError):
    """A split of a corpus has no sentence."""


class CorpusMaker(Maker):
    """Makes a corpus from files: `texts`, in an order that counts."""

    section = "lm_corpus"
    known = ("lm_corpus", "on_malformed")
    options: CorpusOptions

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        for key, untouched in (("tests", None), ("rules", "article")):
            if (value := getattr(settings, key)) != untouched:
                raise PolyprobeError(f"{key}={value} has no effect on suite=lm_corpus, which makes one corpus.")
        options = CorpusOptions.of(settings.options[cls.section], language=settings.language, seed=settings.seed)
        return cls(options, {"texts": sources(settings.files, "texts")}, settings.handler())

    def make(self, folder: Path, tests: None) -> Iterator[Written]:
        """Writes the files of a corpus into a folder of the language's name, all or none."""
        with folder_written_whole(folder / self.options.language) as neighbour:
            text = gather(self.paths("texts"), self.options, self.on_malformed, neighbour / _GATHERED)
            corpus = _Corpus(text, self.options)
            statistics = {
                "options": asdict(self.options),
                **corpus.written(neighbour),
                "corpus": {"sources": described(self.sources)},
            }
            (neighbour / _GATHERED).unlink()
            write_sealed(neighbour / STATISTICS, statistics)
        yield Written(self.options.language, statistics)


class _Corpus:
    """A corpus that is being prepared.

    Attributes:
        order: the numbers of the sentences that are not repeated, shuffled.
        split_of: of each sentence the number of its split, or `_LEFT_OUT`: `[sentences]`.
        steps: what was left out, and why.
        n_unknown: words of each sentence that the vocabulary lacks, `[sentences]`.
        n_left_out: words of each split in the sentences that had too many unknown ones, `[splits]`.
    """

    def __init__(self, text: GatheredText, options: CorpusOptions):
        self.text, self.options = text, options
        n_read = len(text)
        self.steps = [Step("shorter or longer", "sentences", text.n_of_other_length, n_read)]
        is_new = ~text.repeats() if options.duplicates == "left_out" else np.ones(n_read, bool)
        self.steps.append(Step("repeated", "sentences", n_read - int(is_new.sum()), int(is_new.sum())))
        generator = np.random.default_rng(derived_seed(options.seed, "lm_corpus"))
        self.order = generator.permutation(np.flatnonzero(is_new))
        self.split_of = np.full(n_read, _LEFT_OUT, np.int8)
        self.split_of[self.order] = _splits(text.n_words[self.order], [options.shares[split] for split in SPLITS])
        self.vocabulary = self._vocabulary()
        self._known = frozenset(self.vocabulary)
        counts = (sum(word not in self._known for word in words) for words in text.in_order())
        self.n_unknown = np.fromiter(counts, np.int32, n_read)
        self.n_left_out = [0] * len(SPLITS)
        self._leave_out_unknown()
        self._cut_to_size()

    def written(self, folder: Path) -> dict[str, Any]:
        """Writes the files of the splits and the vocabulary; returns what is in them."""
        splits = {}
        for number, split in enumerate(SPLITS):
            numbers = self.order[self.split_of[self.order] == number]
            if not len(numbers):
                advice = "Use more text, or change lm_corpus.shares, n_words, max_unknown_share or lengths"
                raise NothingLeft(f"No sentence is left for {split}. {advice}.")
            types: set[str] = set()
            write_lines(self._lines(numbers, types), folder / FILES[split])
            splits[split] = {**self._counted(numbers, len(types)), "words_left_out": self.n_left_out[number]}
        write_lines(self.vocabulary, folder / VOCABULARY)
        return {
            "items": {split: counts["sentences"] for split, counts in splits.items()},
            "splits": splits,
            "vocabulary": len(self.vocabulary),
            "passages": self.text.n_passages,
            "filters": described_steps(self.steps),
        }

    def _lines(self, numbers: np.ndarray, types: set[str]) -> Iterator[str]:
        """Yields the lines of a split, and collects its different words."""
        is_replaced = self.options.unknown == "replaced"
        for words in self.text.at(numbers):
            types.update(words)
            yield (
                " ".join(word if word in self._known else UNKNOWN for word in words) if is_replaced else " ".join(words)
            )

    def _counted(self, numbers: np.ndarray, n_types: int) -> dict[str, Any]:
        n_words, n_unknown = int(self.text.n_words[numbers].sum()), int(self.n_unknown[numbers].sum())
        counts = {"sentences": len(numbers), "words": n_words, "different_words": n_types, "unknown_words": n_unknown}
        return {**counts, "unknown_share": share(n_unknown, n_words)}

    def _vocabulary(self) -> list[str]:
        counted = [SPLITS.index(split) for split in self.options.vocabulary_splits]
        counts: Counter[str] = Counter()
        for words, split in zip(self.text.in_order(), self.split_of.tolist(), strict=True):
            if split in counted:
                counts.update(words)
        least = self.options.least_word_count
        kept = {word: count for word, count in counts.items() if count >= least and word not in (UNKNOWN, END)}
        return by_frequency(kept)[: self.options.n_words]

    def _leave_out_unknown(self) -> None:
        most = self.options.max_unknown_share
        if most is None:
            return
        is_over = (self.split_of != _LEFT_OUT) & (self.n_unknown > most * self.text.n_words)
        self.n_left_out = [int(self.text.n_words[is_over & (self.split_of == n)].sum()) for n in range(len(SPLITS))]
        self._leave_out(is_over, f"more than {100 * most:g} % OOV words")

    def _cut_to_size(self) -> None:
        """Leaves out the sentences of each split that begin after its last word."""
        if self.options.most_words is None:
            return
        is_over = np.zeros(len(self.text), bool)
        for number, split in enumerate(SPLITS):
            most, numbers = self.options.most_words[split], self.order[self.split_of[self.order] == number]
            ends = np.cumsum(self.text.n_words[numbers], dtype=np.int64)
            n_there = int(ends[-1]) if len(ends) else 0
            if n_there < most:
                advice = f"at most {n_there:,}, the words that {split} has"
                raise BadValue(f"lm_corpus.most_words.{split}", most, advice)
            is_over[numbers[ends - self.text.n_words[numbers] >= most]] = True
        self._leave_out(is_over, "over most_words")

    def _leave_out(self, which: np.ndarray, reason: str) -> None:
        self.split_of[which] = _LEFT_OUT
        self.steps.append(Step(reason, "sentences", int(which.sum()), int((self.split_of != _LEFT_OUT).sum())))


def _splits(n_words: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Returns the number of each sentence's split: that in whose share of all words its first word falls.

    Args:
        n_words: of the sentences, in their order: `[sentences]`.
        shares: of the splits, in their order.
    """
    ends = np.cumsum(n_words, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    borders = np.cumsum(shares)[:-1] * total
    return np.searchsorted(borders, ends - n_words, side="right").astype(np.int8)
