"""What causal and masked transformers share as predictors: their options, their files, and what rows say of them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any

from annotated_types import Ge

from polyprobe.encoders.base.device import token_budget_of
from polyprobe.encoders.transformer.files import (
    digests,
    model_folder,
    model_label,
    model_name,
    with_epoch,
)
from polyprobe.encoders.transformer.model import Weights, architecture, read_config, sizes
from polyprobe.encoders.transformer.model_options import ModelOptions
from polyprobe.encoders.transformer.pieces import Pieces, log_special
from polyprobe.errors import BadValue
from polyprobe.predictors.base.predictor import Predictor, Question, text_of


class PredictorOptions(ModelOptions, key="predictor"):
    """The options of a transformer as a predictor.

    `folders` and `revisions` are among them for their text in the help: of what they list, `MinimalSetSettings` makes
    a predictor each, without them.
    """

    seed: Annotated[int, Ge(0)]
    """Random seed of initialisation; no effect with pretrained weights; several as [1,2,3]: mean and standard
    deviation.
    """
    epoch: int | None = None
    """Of a checkpoint among those of a training, which are a predictor each; None for a model alone."""

    def __post_init__(self):
        super().__post_init__()
        for name in ("folders", "revisions"):
            if getattr(self, name) is not None:
                raise BadValue(f"predictor.{name}", getattr(self, name), "null: each checkpoint is a predictor")


class TransformerPredictor(Predictor):
    """A transformer of a folder or of the hub; its weights are loaded when they are first needed.

    Raises:
        NotATransformer: the folder holds none.
        PolyprobeError: options contradict each other, or the hub's model cannot be fetched.
    """

    pieces: Pieces
    """Its tokenizer."""

    def __init__(self, options: PredictorOptions):
        self.weights = Weights.of(options)
        self.seed, self.epoch = self.weights.seed, options.epoch
        self.token_budget = token_budget_of(options.token_budget, self.weights.device)
        self.folder = model_folder(options.model, options.revision, "predictor")
        self.config = read_config(self.folder)
        self.label, self.model_name = model_label(options.model, options.epoch), model_name(options.model, self.folder)

    def log_special(self, questions: Iterable[Question]) -> None:
        """Logs in how many distinct sentences special tokens are written."""
        log_special(self.pieces.n_with_special(set(map(text_of, questions))))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Digests of the files that answers depend on."""
        return digests(self.folder, with_weights=self.seed is None)

    @property
    def provenance(self) -> Mapping[str, Any]:
        return {**sizes(self.config), "files": with_epoch(self.epoch, self.files)}

    @cached_property
    def architecture(self) -> Mapping[str, object]:
        return architecture(self.folder, self.config, self.pieces.backend)
