"""Word-level LSTM language model (Mueller et al. 2020; Gulordava et al. 2018)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torchmetrics import MeanMetric

from src.formats.errors import PolyprobeError, check_above_zero
from src.formats.text_sentences import TextSentence
from src.metrics.perplexity import Surprise, SurpriseSum, perplexity_scores, surprise_of
from src.metrics.task_score import TaskScore
from src.models.frozen import run_frozen
from src.models.layers.text_lstm import State, TextLSTM
from src.models.proposition_batch import blocks_of_sentences
from src.models.text_batch import TextBatch, sentence_batch
from src.models.text_vocabulary import UNKNOWN_ID, TextVocabulary


class RateDecay(Protocol):
    """A rule of `src.models.rate_decay`."""

    def factor_after(self, score: float) -> float: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class LanguageModel(pl.LightningModule):
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
        n_layers: LSTM layers.
        dropout: share of the numbers that is dropped in training.
        tied: whether the vectors of words are also the weights of the output; needs equal widths.
        first_range: vectors and output weights start as uniform numbers between this and its negative.
        clip_norm: gradients longer than this, all together, are scaled down to it.
        seed: of the initialisation.
        optimizer: takes the parameters.
        rate_decay: takes minus the dev surprisal per word after each epoch.
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
        optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
        rate_decay: RateDecay,
    ):
        super().__init__()
        check_above_zero("model.clip_norm", clip_norm)
        self.vocabulary = TextVocabulary(words)
        self.clip_norm, self.optimizer, self.rate_decay = clip_norm, optimizer, rate_decay
        self.network = TextLSTM(len(self.vocabulary), word_size, hidden_size, n_layers, dropout, tied)
        self.network.initialise(first_range, torch.Generator().manual_seed(seed))
        self.train_loss = MeanMetric(nan_strategy="disable")
        self.dev_surprise, self.test_surprise = SurpriseSum(), SurpriseSum()
        self._carried: list[State] | None = None

    @property
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        """Names and widths of the layers that can be probed, lowest first."""
        names = ("words", *(f"lstm{number}" for number in range(1, len(self.network.widths))))
        return tuple(zip(names, self.network.widths, strict=True))

    @property
    def word_layers(self) -> tuple[str, ...]:
        """The layers that read a word without its sentence."""
        return ("words",)

    def loss(self, batch: TextBatch, begin: Sequence[State]) -> tuple[Tensor, list[State]]:
        """Negative log-likelihood of the next words in nats, over `n_items`; and the states after the batch."""
        outputs, ends = self.network(batch.word_ids, begin)
        is_real = batch.next_ids >= 0
        return self.network.loss(outputs[-1][is_real], batch.next_ids[is_real], batch.n_items), ends

    def surprisals(self, batch: TextBatch) -> tuple[Tensor, Tensor]:
        """Gives the surprisal of every next word in nats, float32, and its id: `[words]`, column after column."""
        outputs, _ = self.network(batch.word_ids, self.network.zero_states(batch.word_ids.shape[1]))
        is_real = (batch.next_ids >= 0).t()
        states, ids = outputs[-1].transpose(0, 1)[is_real], batch.next_ids.t()[is_real]
        return -self.network.log_probabilities(states, torch.arange(len(ids), device=ids.device), ids), ids

    def answers(self, sentences: Sequence[TextSentence]) -> list[np.ndarray]:
        """Gives the log-probabilities in nats of the words of each sentence and of its end: `[words + 1]`."""
        coded = [self.vocabulary.coded(one.words) for one in sentences]
        found = []
        for block in blocks_of_sentences(coded, list(map(len, coded))):
            surprisals, _ = run_frozen(self, self.surprisals, sentence_batch(block, 1.0))
            found += np.split(-surprisals.cpu().numpy(), np.cumsum([len(ids) - 1 for ids in block])[:-1])
        return found

    def scores(self, sentences: Sequence[TextSentence]) -> list[TaskScore]:
        """Gives the perplexity per word and that of known words alone."""
        by_length = sorted(sentences, key=lambda one: len(one.words))
        total = SurpriseSum()
        for sentence, found in zip(by_length, self.answers(by_length), strict=True):
            ids = self.vocabulary.coded(sentence.words)[1:]
            total.update(-torch.from_numpy(found), torch.from_numpy(ids == UNKNOWN_ID))
        return perplexity_scores(surprise_of(total.compute()))

    def layer_vectors(self, sentences: Sequence[Sequence[str]]) -> dict[str, Tensor]:
        """Gives the vectors of all words of all sentences, in order, in evaluation mode.

        A state at a word knows the words up to it, and `<eos>` before the first.

        Returns:
            For each exposed layer float32 `[words, width]`, on the CPU. A word's vectors do not depend on the other
            sentences (to rounding).
        """
        coded = [self.vocabulary.coded(words) for words in sentences]
        blocks = blocks_of_sentences(coded, list(map(len, coded)))
        parts = [run_frozen(self, self._layers, sentence_batch(block, 1.0)) for block in blocks]
        return {name: torch.cat([part[name] for part in parts]) for name, _ in self.exposed_layers}

    def training_step(self, batch: TextBatch, batch_index: int) -> Tensor:
        """Gives the loss of a stretch of text, read on from the stretch before."""
        if batch.begins or self._carried is None:
            self._carried = self.network.zero_states(batch.word_ids.shape[1])
        loss, ends = self.loss(batch, self._carried)
        self._carried = [(hidden.detach(), cells.detach()) for hidden, cells in ends]
        self.train_loss.update(loss.detach(), batch.n_items)
        return loss

    def validation_step(self, batch: TextBatch, batch_index: int) -> None:
        """Sums surprisals."""
        self._count(self.dev_surprise, batch)

    def test_step(self, batch: TextBatch, batch_index: int) -> None:
        """Sums surprisals."""
        self._count(self.test_surprise, batch)

    def on_train_epoch_start(self) -> None:
        """Forgets the epoch before."""
        self.train_loss.reset()
        self._carried = None

    def on_validation_epoch_end(self) -> None:
        """Logs the epoch; inside a training run also lets the dev score act on the learning rate.

        The rate changes here, before any checkpoint of the epoch is taken, so that a resumed run goes on exactly.

        Raises:
            PolyprobeError: the parameters are no numbers any more.
        """
        surprise = self._logged("dev", self.dev_surprise)
        if self.trainer.state.fn != "fit" or self.trainer.sanity_checking:
            return
        groups = self.optimizers().param_groups
        self.log("learning_rate", groups[0]["lr"])
        self.log("train/loss", self.train_loss.compute())
        factor = self.rate_decay.factor_after(-surprise.nats_a_word)
        for group in groups:
            group["lr"] *= factor

    def on_test_epoch_end(self) -> None:
        """Logs the perplexity."""
        self._logged("test", self.test_surprise)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Adds the state of the rate rule."""
        checkpoint["rate_decay"] = self.rate_decay.state_dict()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restores the rate rule."""
        self.rate_decay.load_state_dict(checkpoint["rate_decay"])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Gives the optimiser over all parameters."""
        return self.optimizer(self.parameters())

    def configure_gradient_clipping(self, optimizer: torch.optim.Optimizer, *_: Any, **__: Any) -> None:
        """Clips by the norm of all gradients together; the model's own `clip_norm` counts, not the Trainer's."""
        nn.utils.clip_grad_norm_(self.parameters(), self.clip_norm)

    def _count(self, metric: SurpriseSum, batch: TextBatch) -> None:
        surprisals, ids = self.surprisals(batch)
        metric.update(surprisals, ids == UNKNOWN_ID)

    def _logged(self, split: str, metric: SurpriseSum) -> Surprise:
        surprise = surprise_of(metric.compute())
        metric.reset()
        if not np.isfinite(surprise.nats):
            raise PolyprobeError("The perplexity is no number any more. Lower model.optimizer.lr or model.clip_norm.")
        for score in perplexity_scores(surprise):
            self.log(f"{split}/{score.metric}", score.value, prog_bar=True)
        return surprise

    def _layers(self, batch: TextBatch) -> dict[str, Tensor]:
        """Reads `<eos> w … w`; what stands at `<eos>` is no word's."""
        outputs, _ = self.network(batch.word_ids, self.network.zero_states(batch.word_ids.shape[1]))
        is_word = (batch.next_ids >= 0).t().clone()
        is_word[:, 0] = False
        names = [name for name, _ in self.exposed_layers]
        return {name: one.transpose(0, 1)[is_word].float().cpu() for name, one in zip(names, outputs, strict=True)}
