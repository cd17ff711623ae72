"""Word vectors by gensim: word2vec, fastText, and word2vec over the pieces of words. One class for each.

A user sees a bar on a terminal, a line per epoch elsewhere; a file of vectors is whole or absent.
"""

import io
import logging
import re
import sys
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from gensim.models import FastText, KeyedVectors, Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.fasttext import save_facebook_model

from polyprobe.display.progress import WorkProgress, bar_of
from polyprobe.display.shown import is_quiet, say
from polyprobe.errors import BadValue, PolyprobeError, briefly, import_extra
from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.reading.lines import write_lines
from polyprobe.section import AtLeastZero, Count, Section
from polyprobe.seeds import derived_seed

_log = logging.getLogger("gensim")
_log.setLevel(logging.ERROR)  # else every small text is called too small for its batches

Sentences = Sequence[Sequence[str]]
VECTORS = "vectors.vec"
SENTENCES_A_STEP = 500  # between two looks of the bar


@dataclass(frozen=True)
class Coverage:
    """How much of a text has a vector. Units are words, or pieces of words.

    Attributes:
        units: of the text.
        known: of them, those that have a vector.
        types: distinct units.
        vocabulary: distinct units that have a vector.
    """

    units: int
    known: int
    types: int
    vocabulary: int


class Cbow(Section, key="model"):
    """What word2vec and fastText have in common: continuous bags of words, trained with negative samples.

    Args:
        width: of a vector.
        window: words on either side, at most; each time a number up to it is drawn.
        min_count: rarer words are left out.
        negative: words drawn for each word predicted.
        sample: words more frequent than this are left out now and then; 0: never.
        rate: at the start; falls to `last_rate` in a straight line.
        epochs: how often the text is read.
        workers: threads. With more than one the vectors are not reproducible.
    """

    width: Count
    window: Count
    min_count: Count
    negative: Count
    sample: AtLeastZero
    rate: AtLeastZero
    last_rate: AtLeastZero
    epochs: Count
    workers: Count

    files: ClassVar[tuple[str, ...]] = (VECTORS,)
    encoder: ClassVar[str] = "encoder=static_vectors encoder.path={folder}/vectors.vec"

    @abstractmethod
    def train(self, text: Sentences, seed: int, folder: Path) -> Coverage:
        """Trains vectors and writes `files` into a folder.

        Args:
            text: sentences of words, in the order in which they are to be read.
            seed: of the first vectors and of what is drawn.
            folder: one that exists.

        Raises:
            PolyprobeError: the text is too small for the settings, or a file cannot be written.
        """

    def _fitted(self, kind: type[Word2Vec], text: Sentences, seed: int, **more: Any) -> Word2Vec:
        """Builds gensim's model of the text and trains it, with a bar."""
        model = kind(**self._options(), seed=derived_seed(seed, "vectors") % 2**32, **more)
        model.build_vocab(text)
        if not model.wv.index_to_key:
            raise PolyprobeError(f"No word of the text occurs {self.min_count} times. Lower model.min_count.")
        with VectorProgress(text, self.epochs) as progress:
            model.train(progress, total_examples=len(text), epochs=self.epochs, callbacks=[progress])
        return model

    def _options(self) -> dict[str, Any]:
        names = {"width": "vector_size", "rate": "alpha", "last_rate": "min_alpha"}
        ours = {field.name: getattr(self, field.name) for field in fields(Cbow)}
        return {"sg": 0, "hs": 0, "cbow_mean": 1, **{names.get(key, key): value for key, value in ours.items()}}


class Words(Cbow, key="model"):
    """word2vec: a vector for each word."""

    def train(self, text: Sentences, seed: int, folder: Path) -> Coverage:
        model = self._fitted(Word2Vec, text, seed)
        with written_vectors(folder / VECTORS) as path:
            model.wv.save_word2vec_format(path)
        return coverage(model, text)


class WordsAndNgrams(Cbow, key="model"):
    """fastText: a word's vector is the mean of its own and those of its character n-grams.

    Args:
        min_n, max_n: lengths of the n-grams in characters, the marks < and > included.
        bucket: rows of the table that n-grams are hashed into.
    """

    min_n: Count
    max_n: Count
    bucket: Count

    files: ClassVar[tuple[str, ...]] = ("fasttext.bin", VECTORS)
    encoder: ClassVar[str] = "encoder=fasttext encoder.path={folder}/fasttext.bin"

    def __post_init__(self):
        super().__post_init__()
        if self.max_n < self.min_n:
            raise BadValue("model.max_n", self.max_n, f"at least model.min_n ({self.min_n})")

    def train(self, text: Sentences, seed: int, folder: Path) -> Coverage:
        model = self._fitted(FastText, text, seed, min_n=self.min_n, max_n=self.max_n, bucket=self.bucket)
        with written_vectors(folder / "fasttext.bin") as path:
            save_facebook_model(model, path)
        with written_vectors(folder / VECTORS) as path:
            model.wv.save_word2vec_format(path)
        return coverage(model, text)


class Pieces(Cbow, key="model"):
    """word2vec over the pieces of words: a vector for each piece, in the order of the piece model. Digits become 0.

    Args:
        n_pieces: of the piece model, its three marks (unknown, start and end of a sentence) included.
        character_coverage: share of the characters of the text that become pieces.
    """

    n_pieces: Count
    character_coverage: AtLeastZero

    files: ClassVar[tuple[str, ...]] = ("pieces.model", VECTORS)
    encoder: ClassVar[str] = (
        "encoder=subword_vectors encoder.model={folder}/pieces.model encoder.path={folder}/vectors.vec"
    )

    def train(self, text: Sentences, seed: int, folder: Path) -> Coverage:
        text = without_digits(text)
        piece_model = train_pieces(text, self.n_pieces, self.character_coverage)
        processor = import_extra("sentencepiece", "pieces").SentencePieceProcessor(model_proto=piece_model)
        pieces = [processor.id_to_piece(number) for number in range(len(processor))]
        # A stretch of characters that no piece has is the piece `UNKNOWN`.
        in_pieces = [[pieces[number] for number in processor.encode_as_ids(" ".join(words))] for words in text]
        model = self._fitted(Word2Vec, in_pieces, seed)
        with written_vectors(folder / "pieces.model") as path:
            Path(path).write_bytes(piece_model)
        with written_vectors(folder / VECTORS) as path:
            write_piece_vectors(Path(path), pieces, model.wv)
        return coverage(model, in_pieces, without={UNKNOWN})


def coverage(model: Word2Vec, text: Sentences, without: Collection[str] = ()) -> Coverage:
    """Counts what of a text has a vector of its own; units of `without` do not count as having one."""
    vocabulary = model.wv.key_to_index.keys() - without
    occurrences = Counter(unit for sentence in text for unit in sentence)
    known = sum(occurrences[unit] for unit in vocabulary)
    return Coverage(occurrences.total(), known, len(occurrences), len(vocabulary))


class VectorProgress(CallbackAny2Vec):
    """A text that shows how far it is read; to be given to gensim both as the text and as a callback."""

    def __init__(self, text: Sequence[Sequence[str]], epochs: int):
        self.text, self.epochs = text, epochs
        self.is_watched = sys.stdout.isatty() and not is_quiet()
        self.epoch, self._start = 0, 0.0
        self._progress = WorkProgress("training vectors", "sentences", epochs * len(text))
        self._bar = bar_of(self._progress, sys.stdout) if self.is_watched else nullcontext()

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def __iter__(self) -> Iterator[Sequence[str]]:
        for number, sentence in enumerate(self.text):
            if number % SENTENCES_A_STEP == 0:
                self._progress.reach(self.epoch * len(self.text) + number, self._progress.total)
            yield sentence

    def on_epoch_begin(self, model: object) -> None:
        self._start = time.perf_counter()

    def on_epoch_end(self, model: object) -> None:
        self.epoch += 1
        if not self.is_watched:
            say(f"epoch {self.epoch:2d} of {self.epochs}  {time.perf_counter() - self._start:.1f} s")


@contextmanager
def written_vectors(path: Path) -> Iterator[str]:
    """Returns a name to write to, which becomes `path` when the block ends well."""
    try:
        with written_atomically(path) as neighbour:
            yield str(neighbour)
    except OSError as error:
        raise PolyprobeError(f"{path} cannot be written ({error.strerror or error}).") from error


UNKNOWN = "<unk>"
LONGEST_SENTENCE = 1 << 30
"""In bytes, the most that sentencepiece takes. By default it leaves out all over 4,192."""

_DIGIT = re.compile(r"\d")


def without_digits(text: Sentences) -> list[list[str]]:
    """Writes 0 for every digit, as in the text of BPEmb; the encoder of subwords does so, too."""
    return [[_DIGIT.sub("0", word) for word in sentence] for sentence in text]


def train_pieces(text: Sentences, n_pieces: int, character_coverage: float) -> bytes:
    """Learns pieces from a text and returns sentencepiece's model, as it stands in a file."""
    trainer = import_extra("sentencepiece", "pieces").SentencePieceTrainer
    model = io.BytesIO()
    try:
        trainer.train(
            sentence_iterator=(" ".join(sentence) for sentence in text),
            model_writer=model,
            model_type="bpe",
            vocab_size=n_pieces,
            character_coverage=character_coverage,
            max_sentence_length=LONGEST_SENTENCE,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise PolyprobeError(f"model.n_pieces={n_pieces} does not suit this text: {briefly(error)}") from error
    return model.getvalue()


def write_piece_vectors(path: Path, pieces: Sequence[str], vectors: KeyedVectors) -> None:
    """Writes word2vec text whose rows are the pieces by their number, as in BPEmb.

    A piece that the text does not have on its own, such as a step towards a longer one, gets zeros.
    """
    zeros = " ".join(["0.0"] * vectors.vector_size)
    rows = (f"{piece} {' '.join(map(str, vectors[piece])) if piece in vectors else zeros}" for piece in pieces)
    write_lines([f"{len(pieces)} {vectors.vector_size}", *rows], path)
