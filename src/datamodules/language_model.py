"""Plain text for a language model: a stream to learn from, sentences to be scored on."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch.utils.data import DataLoader

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.text_stream import StretchOrder, TextStream
from src.datamodules.base.word_inputs import Inputs
from src.errors import BadValue, Impossible, check_at_least, check_choice
from src.formats.texts.text_sentences import TextSentence
from src.metrics.perplexity import perplexity_scores, surprise_of
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.ngram_lm import NgramModel
from src.models.batches.text_batch import TextBatch, sentence_batch
from src.models.batches.text_vocabulary import UNKNOWN_ID, TextVocabulary
from src.models.inputs.word_batch import NO_LOSS

VOCABULARY_SPLITS = ("train", "dev")


@dataclass(frozen=True, slots=True)
class CodedText:
    """A sentence as integers, `[1 + words + 1]`, and whether it is counted."""

    ids: np.ndarray
    is_counted: bool = True


@dataclass(frozen=True)
class OwnVectors:
    """Says that the model has its own vectors of words, those of its vocabulary; see `Inputs`."""

    identity: ClassVar[dict[str, Any]] = {}
    source: ClassVar[None] = None
    saved: ClassVar[None] = None


class LanguageModelDataModule(SharedOutDataModule):
    """Train as a stream that is shuffled anew for every epoch (`TextStream`), dev and test as sentences.

    The vocabulary joins those of all folders that texts come from: the languages of a multilingual model.

    Args:
        train, dev, test: sentences; `test` may be empty.
        columns: pieces of the stream that are read side by side, those of all processes together.
        steps: over which gradients go back.
        n_words, least_word_count: of the vocabulary of each folder; see `TextVocabulary.counted`.
        vocabulary_splits: whose words are counted: [train], or [train,dev].
        max_unknown_share: of a sentence's words; sentences with a greater one are left out of every split, once the
            vocabulary is made (Mueller et al. 2020 and Gulordava et al. 2018: 0.05); None: all are kept.
        evaluation_words: of a batch in evaluation, where it changes no number.
        ngram_order: of the baseline: words of its longest n-gram.
        inputs: `OwnVectors`.
        seed: of the order of sentences.
    """

    def __init__(
        self,
        train: Sequence[TextSentence],
        dev: Sequence[TextSentence],
        test: Sequence[TextSentence],
        columns: int,
        steps: int,
        n_words: int,
        least_word_count: int,
        vocabulary_splits: Sequence[str],
        max_unknown_share: float | None,
        evaluation_words: int,
        ngram_order: int,
        inputs: Inputs,
        seed: int,
    ):
        super().__init__()
        sizes = {"columns": columns, "steps": steps, "evaluation_words": evaluation_words, "ngram_order": ngram_order}
        for name, size in sizes.items():
            check_at_least(f"task.datamodule.{name}", size, 1)
        if not isinstance(inputs, OwnVectors):
            raise Impossible("task=lm learns its own vectors of words. Expected encoder=learned.")
        _check_share(max_unknown_share)
        self.seed, self.columns, self.steps, self.ngram_order = seed, columns, steps, ngram_order
        self.evaluation_batch_size = evaluation_words
        self.max_unknown_share = max_unknown_share
        texts = _by_folder({"train": train, "dev": dev}, vocabulary_splits)
        self.vocabulary = TextVocabulary.counted(map(_words, texts), n_words, least_word_count)
        given = {"train": train, "dev": dev, "test": test}
        self.train, self.dev, self.test = map(self.kept, given.values())
        self._n_given = {name: len(sentences) for name, sentences in given.items()}
        self.coded_dev = self.coded(self.dev)
        self.train_ids = [self.vocabulary.coded(one.words)[1:] for one in self.train]
        self._ngrams: NgramModel | None = None

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"words": list(self.vocabulary.words)}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for."""
        splits = {"train": self.train, "dev": self.dev, "test": self.test}
        unknown = sum(int((ids == UNKNOWN_ID).sum()) for ids in self.train_ids)
        left_out = f"sentences left out, over {self.max_unknown_share} unknown"
        return {
            **{f"{name} sentences": len(split) for name, split in splits.items()},
            **(
                {f"{name} {left_out}": self._n_given[name] - len(split) for name, split in splits.items()}
                if self.max_unknown_share is not None
                else {}
            ),
            **{f"{name} words": sum(len(one.words) for one in split) for name, split in splits.items()},
            "words of the vocabulary": len(self.vocabulary.words),
            "train words that are unknown": unknown,
        }

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
        return sum(map(self.weight, self.coded_dev))

    @property
    def is_learnable(self) -> bool:
        return any(map(len, self.train_ids))

    def baseline_scores(self, sentences: Sequence[TextSentence]) -> tuple[str, list[TaskScore]]:
        """Returns name and perplexities of an n-gram model of the same text, and the share of unseen words."""
        if self._ngrams is None:
            self._ngrams = NgramModel.counted(self.train_ids, len(self.vocabulary), self.ngram_order)
        coded = [self.vocabulary.coded(one.words)[1:] for one in sentences]
        surprisals = -np.concatenate(self._ngrams.log_probabilities(coded))
        is_unknown = np.concatenate(coded) == UNKNOWN_ID
        oov = oov_rate(_words(self.train), _words(sentences))
        return f"kneser_ney_{self.ngram_order}", [*perplexity_scores(surprise_of(surprisals, is_unknown)), oov]

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

    def coded(self, examples: Sequence[TextSentence]) -> list[CodedText]:
        return [CodedText(self.vocabulary.coded(one.words)) for one in examples]

    def length(self, one: CodedText) -> int:
        return len(one.ids)

    def weight(self, one: CodedText) -> int:
        return len(one.ids) - 1

    def size(self, one: CodedText) -> int:
        return self.weight(one)

    def batch(self, coded: Sequence[CodedText], n_items: float) -> TextBatch:
        batch = sentence_batch([one.ids for one in coded], n_items)
        for column, one in enumerate(coded):
            if not one.is_counted:
                batch.next_ids[:, column] = NO_LOSS
        return batch

    def uncounted(self, one: CodedText) -> CodedText:
        return replace(one, is_counted=False)

    def _n_unknown(self, one: TextSentence) -> int:
        return int((self.vocabulary.ids(one.words) == UNKNOWN_ID).sum())


def _check_share(share: float | None) -> None:
    if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1):
        raise BadValue("task.datamodule.max_unknown_share", share, "null or a number from 0 to 1, such as 0.05")


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
