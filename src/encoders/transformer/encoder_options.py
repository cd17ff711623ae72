"""The options of a transformer; how its sentences are read: as a user asks, else as sentence-transformers files say."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.encoders.base.encoder import SENTENCE, checked_context
from polyprobe.encoders.transformer.files import MODULES
from polyprobe.encoders.transformer.named_checkpoints import ModelOptions
from polyprobe.encoders.transformer.sentence_modules import (
    HeadModule,
    SentenceModules,
    has_modules,
    is_lowercase,
    read_sentence_modules,
    reads_modules,
)
from polyprobe.encoders.transformer.sequences import WORD_POOLING
from polyprobe.encoders.transformer.text_reading import TYPED, TextReading
from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.items import Form, Sentence, TokenInContext

LEVELS = ("sentence", "token", "type")
DEFAULT_POOLING = "mean_with_special_tokens"
_EVERY = frozenset({Form, TokenInContext, Sentence})
_NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """The options of a transformer that say how sentences are read; see `TransformerOptions`."""

    pooling: str | None
    """None for the folder's."""
    prompt: str | None
    """Its name or text; None for the folder's default."""
    level: str

    def check(self) -> None:
        """Checks the options alone.

        Raises:
            PolyprobeError: one is out of its range, or has no effect.
        """
        check_choice("encoder.sentence_pooling", self.pooling or DEFAULT_POOLING, TYPED)
        check_choice("encoder.level", self.level, LEVELS)
        if not isinstance(self.prompt, str | None):
            raise BadValue("encoder.prompt", self.prompt, "a text, the name of one of the folder's prompts, or null")
        if self.prompt and self.level != "sentence":
            raise BadValue("encoder.prompt", self.prompt, "null with tests of words: a prompt stands before sentences")

    def is_enough(self, folder: Path) -> bool:
        """Says whether the folder has all files of its modules that are read."""
        return not reads_modules(self.level, self.pooling, self.prompt) or has_modules(folder)


@dataclass(frozen=True, slots=True)
class SentenceChoice:
    """How sentences are read."""

    accepts: frozenset[type] = _EVERY
    """Items that have vectors."""
    reading: TextReading | None = None
    """Of sentences as texts; None where they are read word by word."""
    heads: Mapping[int | None, tuple[HeadModule, ...]] | None = None
    """The modules after the pooling for each epoch; empty where there is no layer of the whole model's."""
    is_lowercase: bool = False
    """Whether the folder asks for lower case."""
    in_words: str | None = None
    """What the folder decided, for rows; None for nothing."""

    def in_fingerprint(self) -> dict[str, object]:
        """Returns what fingerprints say of it: nothing where only the words are read, as it always was."""
        lower = {"lower_case": True} if self.is_lowercase else {}
        if self.reading is None:
            return lower
        heads = [[str(epoch), [one.identity() for one in head]] for epoch, head in (self.heads or {}).items()]
        return {"text": self.reading.identity(), "heads": heads, **lower}


def sentence_choice(folders: Mapping[int | None, Path], width: int, options: SentenceOptions) -> SentenceChoice:
    """Settles how sentences are read."""
    first = next(iter(folders.values()))
    if options.level != "sentence":
        is_whole = options.pooling is None and (first / MODULES).is_file()
        return SentenceChoice(_EVERY - {Sentence}, is_lowercase=is_lowercase(first)) if is_whole else SentenceChoice()
    if options.pooling is not None and not options.prompt:
        return SentenceChoice()
    told = {epoch: read_sentence_modules(folder, width) for epoch, folder in folders.items()}
    _check_alike(told)
    modules = told[next(iter(folders))]
    prompt = _prompt_text(options, modules)
    words = _EVERY - {Form, TokenInContext}
    if options.pooling is None and modules is not None:
        reading = TextReading(modules.modes, True, prompt, modules.counts_prompt, modules.limit)
        heads = {epoch: one.head for epoch, one in told.items()}
        return SentenceChoice(words, reading, heads, modules.is_lowercase, _in_words(reading, modules))
    if not prompt:
        return SentenceChoice()
    mode, counts_special = TYPED[options.pooling or DEFAULT_POOLING]
    reading = TextReading((mode,), counts_special, prompt, modules is None or modules.counts_prompt, None)
    return SentenceChoice(words, reading, in_words=" ".join(_of_prompt(reading)))


def _check_alike(told: Mapping[int | None, SentenceModules | None]) -> None:
    (first, modules), *others = told.items()
    for epoch, other in others:
        if (modules is None) != (other is None) or (other is not None and not other.same_but_weights(modules)):
            raise PolyprobeError(
                f"encoder.folders or revisions: epochs {first} and {epoch} make vectors of sentences in different ways "
                "(modules.json and what it names). For their hidden layers: encoder.sentence_pooling=mean or another."
            )


def _prompt_text(options: SentenceOptions, modules: SentenceModules | None) -> str:
    prompts = modules.prompts if modules is not None else {}
    if options.prompt is None:
        default = modules.default_prompt if modules is not None and options.pooling is None else None
        return prompts[default] if default is not None else ""
    if options.prompt in prompts or not _NAME.fullmatch(options.prompt):
        return prompts.get(options.prompt, options.prompt)
    known = f"one of the folder's prompts ({', '.join(prompts)})" if prompts else "a text (the folder has no prompts)"
    expected = f"{known}, or a text with the blank that it ends with: 'encoder.prompt=\"query: \"'"
    raise BadValue("encoder.prompt", options.prompt, expected)


def _in_words(reading: TextReading, modules: SentenceModules) -> str:
    """Names what a folder decided: "folder=cls,Dense(256,Tanh),Normalize max_seq_length=128"."""
    parts = [f"folder={','.join([*reading.modes, *map(str, modules.head)])}"]
    if modules.limit is not None:
        parts.append(f"max_seq_length={modules.limit}")
    if modules.is_lowercase:
        parts.append("do_lower_case=true")
    return " ".join([*parts, *_of_prompt(reading)])


def _of_prompt(reading: TextReading) -> list[str]:
    if not reading.prompt:
        return []
    prompt = f"before={json.dumps(reading.prompt, ensure_ascii=False)}"
    return [prompt] if reading.counts_prompt else [prompt, "unpooled"]


OVER_LONG = ("split", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerOptions:
    """What a user chooses; checked as far as it can be without the model."""

    model: str | None
    """A folder, or the name of a model on the hub; None with `folders`."""
    revision: str | None
    """Of the hub's model; None for its newest."""
    layers: Sequence[int] | None
    """Numbers of layers, 0 the embedding layer, and "sentence_embedding" where there is one; None for all."""
    word_pooling: str
    """Pieces of a word: "first", "last", "mean" or "max"."""
    sentence_pooling: str | None
    """Pieces of a sentence: "mean" or "max" without special tokens, "mean_with_special_tokens" as the released code of
    RuSentEval, "cls" for the special token that the tokenizer begins with, "last" for the last piece, a special token
    if the tokenizer ends with one (of models that read from left to right). None for what a folder of
    sentence-transformers says, of others "mean_with_special_tokens"."""
    lowercase: bool | str
    dotless_i: bool
    """Both: see `case_rule`; applied before the tokenizer's own rules."""
    token_budget: int | None
    """Positions of a batch, padding included; None for what suits the device."""
    number_type: str
    """Of weights and hidden states, "float32", "bfloat16" or "float16"; vectors are float32."""
    device: str | None
    """See `device_of`."""
    over_long: str
    """What happens to a sentence that is longer than the model allows: "split" at borders of words, each part then is a
    separate sequence (counted and logged), or "refuse". Running texts are not split but cut, as sentence-transformers
    cuts them."""
    weights: str
    """Either "pretrained" or "random": the same architecture, initialised by `seed`."""
    seed: int
    """Of random weights; ignored for pretrained ones."""
    context: str = SENTENCE
    """Either "sentence" or "none"; not said by runs of earlier versions, which read the sentence."""
    folders: Sequence[str] | None = None
    revisions: Sequence[str] | None = None
    """Both of the checkpoints of a training, see `ModelOptions`; None for one model."""
    prompt: str | None = None
    """Before each sentence: the name of one of the folder's, or a text; "" for none; None for the one that a folder of
    sentence-transformers takes by default."""
    level: str = "sentence"
    """Of the items: "sentence", or "token" or "type" of words, for which only the transformer of a folder of
    sentence-transformers is read."""

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
