"""A language model of words in memory, as a predictor."""

import hashlib
from functools import cached_property

import numpy as np

from src.encoders.base.fingerprint import fingerprint
from src.models.language_model import LanguageModel
from src.predictors.word_level.id_rows import IdRows
from src.predictors.word_level.predictor import WordOptions, WordPredictor
from src.predictors.word_level.prefix_tree import prefix_log_probabilities

_VERSION = 1


class LanguageModelPredictor(WordPredictor):
    """Runs every distinct prefix of the questions once.

    Args:
        name: of the predictor, for messages.
        model: on the device where it is to run; it is not changed, and must not change from one answer to the next.
        options: see `WordPredictor`.
        seed, epoch: see `Predictor`.
    """

    def __init__(
        self,
        name: str,
        model: LanguageModel,
        options: WordOptions,
        seed: int | None,
        epoch: int | None,
    ):
        super().__init__(name, model.vocabulary, options)
        self.model, self.seed, self.epoch = model, seed, epoch

    @cached_property
    def weights(self) -> str:
        """A digest of vocabulary and tensors."""
        return _digest(self.model)

    @property
    def provenance(self) -> dict[str, dict[str, str]]:
        """See `Predictor`."""
        name = self.model_name or self.name
        return {"files": {name if self.epoch is None else f"{self.epoch}/{name}": self.weights}}

    @property
    def fingerprint(self) -> str:
        """See `Predictor`; equal weights have one fingerprint, from any source."""
        return fingerprint("language_model", _VERSION, model=self.weights, **self.of_fingerprint)

    def log_probabilities(self, rows: IdRows) -> np.ndarray:
        """See `WordPredictor`."""
        was_training = self.model.training
        self.model.eval()
        try:
            return prefix_log_probabilities(self.model.network, rows, self.options.start)
        finally:
            self.model.train(was_training)


def _digest(model: LanguageModel) -> str:
    digest = hashlib.sha256("\n".join(model.vocabulary.words).encode())
    for name, tensor in sorted(model.network.state_dict().items()):
        digest.update(f"\0{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(tensor.detach().cpu().contiguous().numpy())
    return digest.hexdigest()
