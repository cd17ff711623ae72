"""The options of a pretrained transformer as an encoder: conf/encoder/transformer.yaml."""

from collections.abc import Sequence
from dataclasses import dataclass

from src.encoders.base.context import SENTENCE, checked_context
from src.encoders.transformer.named_checkpoints import ModelOptions
from src.encoders.transformer.sentence_choice import SentenceOptions
from src.encoders.transformer.sequences import WORD_POOLING
from src.errors import check_choice

OVER_LONG = ("split", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerOptions:
    """What a user chooses; checked as far as it can be without the model.

    Attributes:
        model: a folder, or the name of a model on the hub; None with `folders`.
        revision: of the hub's model; None for its newest.
        layers: numbers of layers, 0 the embedding layer, and "sentence_embedding" where there is one; None for all.
        word_pooling: pieces of a word: "first", "last", "mean" or "max".
        sentence_pooling: pieces of a sentence: "mean" or "max" without special tokens, "mean_with_special_tokens" as
            the released code of RuSentEval, "cls" for the special token that the tokenizer begins with, "last" for the
            last piece, a special token if the tokenizer ends with one (of models that read from left to right). None
            for what a folder of sentence-transformers says, of others "mean_with_special_tokens".
        lowercase, dotless_i: see `case_rule`; applied before the tokenizer's own rules.
        token_budget: positions of a batch, padding included; None for what suits the device.
        number_type: of weights and hidden states, "float32", "bfloat16" or "float16"; vectors are float32.
        device: see `device_of`.
        over_long: what happens to a sentence that is longer than the model allows: "split" at borders of words, each
            part then is a separate sequence (counted and logged), or "refuse". Running texts are not split but cut, as
            sentence-transformers cuts them.
        weights: "pretrained", or "random": the same architecture, initialised by `seed`.
        seed: of random weights; ignored for pretrained ones.
        context: "sentence", or "none"; not said by runs of earlier versions, which read the sentence.
        folders, revisions: of the checkpoints of a training, see `ModelOptions`; None for one model.
        prompt: before each sentence: the name of one of the folder's, or a text; "" for none; None for the one that a
            folder of sentence-transformers takes by default.
        level: of the items: "sentence", or "token" or "type" of words, for which only the transformer of a folder of
            sentence-transformers is read.

    Raises:
        PolyprobeError: an option is out of its range.
    """

    model: str | None
    revision: str | None
    layers: Sequence[int] | None
    word_pooling: str
    sentence_pooling: str | None
    lowercase: bool | str
    dotless_i: bool
    token_budget: int | None
    number_type: str
    device: str | None
    over_long: str
    weights: str
    seed: int
    context: str = SENTENCE
    folders: Sequence[str] | None = None
    revisions: Sequence[str] | None = None
    prompt: str | None = None
    level: str = "sentence"

    def __post_init__(self):
        checked_context(self.context)
        self.of_sentences.check()
        check_choice("encoder.word_pooling", self.word_pooling, WORD_POOLING)
        check_choice("encoder.over_long", self.over_long, OVER_LONG)

    @property
    def of_sentences(self) -> SentenceOptions:
        """How sentences are read."""
        return SentenceOptions(self.sentence_pooling, self.prompt, self.level)

    @property
    def of_models(self) -> ModelOptions:
        """Which models are meant."""
        return ModelOptions("encoder", self.model, self.revision, self.folders, self.revisions, self.weights)
