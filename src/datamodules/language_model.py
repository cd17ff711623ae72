"""Plain text for a language model: sentences to be scored on, and to learn from a stream of shuffled sentences.

The stream is cut into columns and stretches for truncated back-propagation.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from annotated_types import Ge, Le
from torch.utils.data import DataLoader, Dataset, Sampler

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.errors import BadValue, Impossible, check_at_least, check_choice
from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.models.baselines.trivial import Unigrams
from polyprobe.models.batches.text_vocabulary import END, END_ID, UNKNOWN, UNKNOWN_ID, TextVocabulary
from polyprobe.models.inputs.word_batch import NO_LOSS
from polyprobe.models.language_model import TextBatch, TextCoder
from polyprobe.section import Expected, Number, checked
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_Size = Annotated[int, Ge(1)]
_Share = Annotated[Number, Ge(0), Le(1), Expected("null or a number from 0 to 1, such as 0.05")]
Stretch = tuple[int, int]
"""Epoch and number of a stretch in it."""


class TextStream(Dataset):
    """The stream of an epoch: its sentences in an order that only seed and epoch decide, `<eos>` between them.

        <eos> the dog sleeps <eos> Mary laughs <eos>        in two columns and stretches of two steps:

        stretch 0    <eos> -> the     sleeps -> <eos>
                     the   -> dog     <eos>  -> Mary
        stretch 1    dog   -> sleeps  Mary   -> laughs
                                      laughs -> <eos>

    Every word and every end is predicted once in an epoch. Columns differ by at most one step.

    Args:
        sentences: ids of the words of each and of its end, `[words + 1]`.
        columns: how many pieces of the stream are read side by side.
        steps: of a stretch, over which gradients go back.
        process, n_processes: this process reads columns `process`, `process + n_processes`, ….
    """

    def __init__(
        self, sentences: Sequence[np.ndarray], columns: int, steps: int, seed: int, process: int, n_processes: int
    ):
        self.ids = np.concatenate(sentences)
        self.lengths = np.array([len(ids) for ids in sentences])
        self.columns, self.steps, self.seed = columns, steps, seed
        self.process, self.n_processes = process, n_processes
        self._epoch, self._stream = -1, self.ids

    def __len__(self) -> int:
        """Returns the stretches of an epoch."""
        return math.ceil(math.ceil(len(self.ids) / self.columns) / self.steps)

    def __getitem__(self, stretch: Stretch) -> TextBatch:
        """Returns this process's columns of a stretch; the loss is divided by what makes a mean over all processes."""
        epoch, number = stretch
        stream = self._of_epoch(epoch)
        bounds = np.arange(self.columns + 1) * len(self.ids) // self.columns
        places = np.arange(self.steps)[:, None] + number * self.steps + bounds[:-1]
        is_real = places < bounds[1:]
        rows = is_real.any(1)
        places, is_real = np.where(is_real, places, 0)[rows], is_real[rows]
        ours = slice(self.process, None, self.n_processes)
        word_ids = torch.from_numpy(stream[places[:, ours]].astype(np.int64))
        next_ids = torch.from_numpy(np.where(is_real, stream[places + 1], NO_LOSS)[:, ours].astype(np.int64))
        return TextBatch(word_ids, next_ids, is_real.sum() / self.n_processes, begins=number == 0)

    def _of_epoch(self, epoch: int) -> np.ndarray:
        if epoch != self._epoch:
            generator = np.random.default_rng(derived_seed(self.seed, "sentences", epoch))
            self._stream, self._epoch = self._shuffled(generator.permutation(len(self.lengths))), epoch
        return self._stream

    def _shuffled(self, order: np.ndarray) -> np.ndarray:
        """Returns `[1 + ids]`: an end without a sentence before it, then the sentences in their order."""
        lengths = self.lengths[order]
        starts = (np.cumsum(self.lengths) - self.lengths)[order] - (np.cumsum(lengths) - lengths)
        places = np.repeat(starts, lengths)
        places += np.arange(len(places))
        return np.concatenate([np.array([END_ID], self.ids.dtype), self.ids[places]])


class StretchOrder(Sampler[Stretch]):
    """Yields the stretches of an epoch in their order, since each continues the one before.

    Lightning calls `set_epoch`, in a resumed run after it has requested an iterator.
    """

    def __init__(self, n_stretches: int):
        self.n_stretches, self.epoch = n_stretches, 0

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch of the next pass."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Stretch]:
        for number in range(self.n_stretches):
            yield self.epoch, number

    def __len__(self) -> int:
        return self.n_stretches


VOCABULARY_SPLITS = ("train", "dev")


class OwnVectors:
    """Says that the model has its own vectors of words, those of its vocabulary; see `Inputs`."""

    identity: ClassVar[dict[str, Any]] = {}
    source = None
    saved = None


class LanguageModelDataModule(TaskDataModule):
    """Train as a stream that is shuffled anew for every epoch (`TextStream`), dev and test as sentences.

    The vocabulary joins those of all folders that texts come from: the languages of a multilingual model.

    Args:
        source, seed: see `TaskDataModule`; the seed is that of the order of sentences.
        inputs: `OwnVectors`.
        columns: pieces of the stream that are read side by side, those of all processes together.
        steps: over which gradients go back.
        n_words, least_word_count: of the vocabulary of each folder; see `TextVocabulary.counted`. Where the corpus
            names a vocabulary, that counts, whole, and in its order.
        vocabulary_splits: whose words are counted: [train], or [train,dev].
        max_unknown_share: of a sentence's words; sentences with a greater one are left out of every split, once the
            vocabulary is made (Mueller et al. 2020 and Gulordava et al. 2018: 0.05); None: all are kept.
        evaluation_words: of a batch in evaluation, where it changes no number.
    """

    vocabulary: TextVocabulary
    """Of the model, after `setup`."""

    @checked("task.datamodule")
    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        columns: _Size,
        steps: _Size,
        n_words: int,
        least_word_count: int,
        vocabulary_splits: Sequence[str],
        max_unknown_share: _Share | None,
        evaluation_words: _Size,
    ):
        super().__init__(source, inputs, seed, BatchSizes("words", columns * steps, evaluation_words))
        if not isinstance(inputs, OwnVectors):
            raise Impossible("task=lm learns its own word vectors. Expected encoder=learned.")
        self.columns, self.steps = columns, steps
        self.n_words, self.least_word_count, self.vocabulary_splits = n_words, least_word_count, vocabulary_splits
        self.max_unknown_share = max_unknown_share

    def learn(self, corpus: Corpus) -> None:
        """Takes the vocabulary that the corpus names, or counts the words of one.

        Raises:
            UnknownChoice: there is no such split.
            BadValue: a setting makes no sense.
        """
        if corpus.vocabulary is not None:
            self.vocabulary = TextVocabulary([word for word in corpus.vocabulary if word not in (UNKNOWN, END)])
            return
        texts = _by_folder({"train": corpus.train, "dev": corpus.dev}, self.vocabulary_splits)
        self.vocabulary = TextVocabulary.counted(map(_words, texts), self.n_words, self.least_word_count)

    def make_coder(self) -> TextCoder:
        return TextCoder(self.vocabulary)

    @property
    def train_ids(self) -> list[np.ndarray]:
        """The sentences of the stream: ids of the words and of the end of each, `[words + 1]`."""
        return [one.ids[1:] for one in self.coded_train]

    def model_inputs(self) -> dict[str, Any]:
        return {"words": list(self.vocabulary.words)}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        if self.max_unknown_share is not None:
            left_out = f"sentences skipped, OOV rate above {self.max_unknown_share}"
            for split in SPLITS:
                yield Count(left_out, self.n_left_out(split), split)
        yield from self.of_splits("words", lambda of_split: sum(len(one.words) for one in of_split))
        yield Count("words of the vocabulary", len(self.vocabulary.words))
        yield Count("OOV words", sum(int((ids == UNKNOWN_ID).sum()) for ids in self.train_ids), "train")

    def kept(self, examples: Sequence[TextSentence]) -> Sequence[TextSentence]:
        """Leaves out the sentences with too many unknown words.

        Raises:
            BadValue: nothing is left.
        """
        if self.max_unknown_share is None:
            return examples
        kept = [one for one in examples if self._n_unknown(one) <= self.max_unknown_share * len(one.words)]
        if examples and not kept:
            least = min(self._n_unknown(one) / len(one.words) for one in examples)
            advice = f"at least {least:.3g}, or no sentence of {examples[0].folder} is left"
            raise BadValue("task.datamodule.max_unknown_share", self.max_unknown_share, advice)
        return kept

    @property
    def n_scored(self) -> int:
        """Words and sentence ends of dev, which the scores of each epoch rest on."""
        return sum(map(self.coder.weight, self.coded_dev))

    @property
    def is_learnable(self) -> bool:
        return any(map(len, self.train_ids))

    def make_baseline(self) -> Unigrams:
        return Unigrams.counted(self.train, self.vocabulary)

    def train_dataloader(self) -> DataLoader:
        """Returns this process's columns of the stream.

        Raises:
            BadValue: there are more processes than columns.
        """
        process, n_processes = self._process()
        check_at_least("task.datamodule.columns", self.columns, n_processes)
        stream = TextStream(self.train_ids, self.columns, self.steps, self.seed, process, n_processes)
        order = StretchOrder(len(stream))
        return DataLoader(stream, batch_size=None, sampler=order, collate_fn=_as_it_is, generator=torch.Generator())

    def _n_unknown(self, one: TextSentence) -> int:
        return int((self.vocabulary.ids(one.words) == UNKNOWN_ID).sum())


def _by_folder(texts: dict[str, Sequence[TextSentence]], splits: Sequence[str]) -> Iterable[list[TextSentence]]:
    """Returns the sentences of each folder, folders in the order of train."""
    for split in splits:
        check_choice("task.datamodule.vocabulary_splits", split, VOCABULARY_SPLITS)
    folders: defaultdict[str, list[TextSentence]] = defaultdict(list)
    for split in splits:
        for sentence in texts[split]:
            folders[sentence.folder].append(sentence)
    return folders.values()


def _words(sentences: Iterable[TextSentence]) -> Iterable[str]:
    return (word for sentence in sentences for word in sentence.words)


def _as_it_is(batch: TextBatch) -> TextBatch:
    return batch
