"""Word-level LSTM language model (Mueller et al. 2020; Gulordava et al. 2018), and its batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from polyprobe.errors import PolyprobeError
from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.metrics.perplexity import SurpriseSum, perplexity_scores, surprise_of
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.task_coder import InputCoder, TaskCoder, blocks_of_sentences
from polyprobe.models.base.task_model import Optimizer, RateDecay, TaskModel
from polyprobe.models.batches.text_vocabulary import END_ID, UNKNOWN_ID, TextVocabulary
from polyprobe.models.inputs.word_batch import NO_LOSS
from polyprobe.models.layers.packing import Batch
from polyprobe.models.layers.text_lstm import State, TextLSTM


@dataclass(frozen=True, slots=True)
class TextBatch(Batch):
    """Columns of text; time runs down.

    word_ids    <eos>  Mary         next_ids    the    sleeps
                the    sleeps                   dog    <eos>
                dog    (padding)                <eos>  NO_LOSS
    """

    word_ids: Tensor
    """`[steps, columns]`, what is read."""
    next_ids: Tensor
    """`[steps, columns]`, the words to predict; `NO_LOSS` for none."""
    n_items: float
    """What the loss is divided by."""
    begins: bool
    """Whether every column begins here; else it continues from the batch before."""


def sentence_batch(coded: Sequence[np.ndarray], n_items: float) -> TextBatch:
    """Returns a batch with one column for each coded sentence (`TextVocabulary.coded`), padded at its end."""
    shape = max(map(len, coded)) - 1, len(coded)
    word_ids, next_ids = np.full(shape, END_ID, dtype=np.int64), np.full(shape, NO_LOSS, dtype=np.int64)
    for column, ids in enumerate(coded):
        word_ids[: len(ids) - 1, column] = ids[:-1]
        next_ids[: len(ids) - 1, column] = ids[1:]
    return TextBatch(torch.from_numpy(word_ids), torch.from_numpy(next_ids), n_items, begins=True)


@dataclass(frozen=True, slots=True)
class CodedText:
    """A sentence as integers, `[1 + words + 1]`, and whether it is counted."""

    ids: np.ndarray
    is_counted: bool = True


class TextCoder(TaskCoder):
    """Turns sentences into batches in which each has a column of its own.

    Args:
        vocabulary: of the model, which has its own vectors of words: no other vocabulary could lack some.
    """

    def __init__(self, vocabulary: TextVocabulary):
        super().__init__(InputCoder())
        self.vocabulary = vocabulary

    def coded(self, sentence: TextSentence) -> CodedText:
        return CodedText(self.vocabulary.coded(sentence.words))

    def bare(self, sentence: TextSentence) -> CodedText:
        return self.coded(sentence)  # its words are what is predicted

    def batch(self, coded: Sequence[CodedText], n_items: float) -> TextBatch:
        batch = sentence_batch([one.ids for one in coded], n_items)
        for column, one in enumerate(coded):
            if not one.is_counted:
                batch.next_ids[:, column] = NO_LOSS
        return batch

    def uncounted(self, one: CodedText) -> CodedText:
        return replace(one, is_counted=False)

    def length(self, one: CodedText) -> int:
        return len(one.ids)

    def weight(self, one: CodedText) -> int:
        return len(one.ids) - 1

    def size(self, one: CodedText) -> int:
        return self.weight(one)


class LanguageModel(TaskModel):
    """Reads text word by word and predicts the word that follows, or the end of the sentence.

        word -> vector                                      "words"
        -> dropout -> LSTM layers, dropout between them     "lstm1", "lstm2", …
        -> dropout -> linear -> every word of the vocabulary

    A sentence is read after `<eos>`, from a state of zeros; so its first word is predicted as every other. In training
    the text is one stream, `<eos> w w w <eos> w …`, and the state is carried from one stretch of it to the next.

    Differs from the released code, which visits the stretches in random order while it carries the state, leaves the
    vectors 200 wide where it means 800, and measures dev text as a stream. Dev and test are read sentence by sentence.

    Args:
        words: of the vocabulary, without `<unk>` and `<eos>`.
        word_size: width of a vector.
        hidden_size: width of a state.
        dropout: share of the numbers that is dropped in training.
        tied: whether the vectors of words are also the weights of the output; needs equal widths.
        first_range: vectors and output weights start as uniform numbers between this and its negative.
        clip_norm: gradients longer than this, all together, are scaled down to it.
        rate_decay: takes minus the dev perplexity after each epoch.
    """

    def __init__(
        self,
        words: list[str],
        word_size: int,
        hidden_size: int,
        n_layers: int,
        dropout: float,
        tied: bool,
        first_range: float,
        clip_norm: float,
        seed: int,
        optimizer: Optimizer,
        rate_decay: RateDecay,
    ):
        super().__init__(optimizer, clip_norm, rate_decay)
        self.vocabulary = TextVocabulary(words)
        self.coder = TextCoder(self.vocabulary)
        self.network = TextLSTM(len(self.vocabulary), word_size, hidden_size, n_layers, dropout, tied)
        self.network.initialise(first_range, torch.Generator().manual_seed(seed))
        self.dev_metric, self.test_metric = SurpriseSum(), SurpriseSum()
        self._carried: list[State] | None = None

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        names = ("words", *(f"lstm{number}" for number in range(1, len(self.network.widths))))
        return tuple(zip(names, self.network.widths, strict=True))

    def loss(self, batch: TextBatch) -> Tensor:
        """Negative log-likelihood of the next words in nats, over `n_items`; reads on where the batch before ended."""
        if batch.begins or self._carried is None:
            self._carried = self.network.zero_states(batch.word_ids.shape[1])
        outputs, ends = self.network(batch.word_ids, self._carried)
        self._carried = [(hidden.detach(), cells.detach()) for hidden, cells in ends]
        is_real = batch.next_ids >= 0
        return self.network.loss(outputs[-1][is_real], batch.next_ids[is_real], batch.n_items)

    def count(self, metric: SurpriseSum, batch: TextBatch) -> None:
        """Sums surprisals."""
        surprisals, ids = self.surprisals(batch)
        metric.update(surprisals, ids == UNKNOWN_ID)

    def measured(self, metric: SurpriseSum) -> dict[str, float]:
        """Returns the perplexity per word and that of known words alone.

        Raises:
            PolyprobeError: parameters are NaN or infinite.
        """
        surprise = metric.compute()
        if not np.isfinite(surprise.nats):
            raise PolyprobeError("The perplexity is NaN or infinite. Lower model.optimizer.lr or model.clip_norm.")
        return {score.metric: score.value for score in perplexity_scores(surprise)}

    def surprisals(self, batch: TextBatch) -> tuple[Tensor, Tensor]:
        """Returns the surprisal of every next word in nats, float32, and its id: `[words]`, column after column."""
        outputs, _ = self.network(batch.word_ids, self.network.zero_states(batch.word_ids.shape[1]))
        is_real = (batch.next_ids >= 0).t()
        states, ids = outputs[-1].transpose(0, 1)[is_real], batch.next_ids.t()[is_real]
        return -self.network.log_probabilities(states, torch.arange(len(ids), device=ids.device), ids), ids

    def answered(self, batch: TextBatch) -> list[np.ndarray]:
        """Returns the log-probabilities in nats of the words of each sentence and of its end: `[words + 1]`."""
        surprisals, _ = self.surprisals(batch)
        ends = (batch.next_ids >= 0).sum(0).cumsum(0).cpu().numpy()
        return np.split(-surprisals.cpu().numpy(), ends[:-1])

    def scores(self, sentences: Sequence[TextSentence]) -> list[TaskScore]:
        """Returns the perplexity per word and that of known words alone."""
        by_length = sorted(sentences, key=lambda one: len(one.words))
        ids = np.concatenate([self.vocabulary.coded(one.words)[1:] for one in by_length])
        surprisals = -np.concatenate(self.answers(by_length))
        return perplexity_scores(surprise_of(surprisals, ids == UNKNOWN_ID))

    def known(self, words: Sequence[str]) -> np.ndarray:
        """Says which words the vocabulary has; all others share one vector."""
        return np.array([self.vocabulary.knows(word) for word in words], dtype=bool)

    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[TextBatch]:
        """Yields batches of sentences, in their order, each sentence from its beginning."""
        coded = [self.vocabulary.coded(words) for words in sentences]
        for block in blocks_of_sentences(coded, list(map(len, coded))):
            yield sentence_batch(block, 1.0)

    def layers_of(self, batch: TextBatch) -> dict[str, Tensor]:
        """Returns the vectors of all words. A state at a word has read the words up to it, and `<eos>` first."""
        outputs, _ = self.network(batch.word_ids, self.network.zero_states(batch.word_ids.shape[1]))
        is_word = (batch.next_ids >= 0).t().clone()
        is_word[:, 0] = False  # <eos> is read here
        names = [name for name, _ in self.exposed_layers]
        return {name: one.transpose(0, 1)[is_word].float().cpu() for name, one in zip(names, outputs, strict=True)}

    def on_train_epoch_start(self) -> None:
        """Forgets the epoch before."""
        super().on_train_epoch_start()
        self._carried = None

    def _logged(self, split: str, metric: SurpriseSum) -> float:
        """Returns minus the perplexity: the rules of the learning rate take what should rise."""
        return -super()._logged(split, metric)
