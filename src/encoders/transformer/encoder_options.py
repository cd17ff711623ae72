"""The options of a transformer; how its sentences are read: as a user asks, else as sentence-transformers files say."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from polyprobe.encoders.base.context_encoder import SENTENCE
from polyprobe.encoders.transformer.files import MODULES
from polyprobe.encoders.transformer.model_options import ModelOptions
from polyprobe.encoders.transformer.pieces import TEXT
from polyprobe.encoders.transformer.sentence_modules import (
    SentenceModules,
    is_lowercase,
    read_sentence_modules,
)
from polyprobe.encoders.transformer.text_reading import TYPED, TextReading
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext
from polyprobe.section import Expected

LEVELS = ("sentence", "token", "type")
DEFAULT_POOLING = "mean_with_special_tokens"
_Sites = Annotated[
    list[str],
    MinLen(1),
    Expected(
        "a list such as [residual,attention,mlp], or of names of modules such as [h.*.attn.c_proj], or null",
        of_parts=True,
    ),
]
_EVERY = frozenset({Form, TokenInContext, Sentence})
_NAME = re.compile(r"[\w-]+")


class TransformerOptions(ModelOptions, key="encoder"):
    """What a user chooses; checked as far as it can be without the model."""

    layers: Annotated[Any, Expected("a list or null")]
    """Layers, such as [0,6,12]; 0 is the embedding layer; null: all; [sentence_embedding] for sentence-transformers."""
    sites: _Sites | None = None
    """Sites inside each layer, beside or instead of its output: such as [residual,attention,mlp]; or names of modules,
    such as [h.*.attn.c_proj], where * is each layer's number; null: residual.
    """
    word_pooling: Literal["first", "last", "mean", "max"]
    """Subword pooling: first, last, mean or max; mean as in the released code of LINSPECTOR."""
    sentence_pooling: Literal["mean", "mean_with_special_tokens", "max", "cls", "last"] | None
    """Sentence pooling: mean and max (without special tokens); mean_with_special_tokens, as in the
    released code of RuSentEval; cls: the initial special token; last: the last subword, for causal models; null: as
    configured by sentence-transformers, otherwise mean_with_special_tokens.
    """
    reading: Literal["text", "words"] = TEXT
    """Sentences: text: as running text, as the tokenizer reads it; words: word by word, each as after a blank; with a
    prompt or the modules of sentence-transformers always text.
    """
    prompt: Annotated[str, Expected("a text, the name of one of the folder's prompts, or null")] | None = None
    """Prompt before each sentence: a name defined by the model (query), or a text: 'encoder.prompt="query: "'."""
    level: Literal["sentence", "token", "type"] = "sentence"
    """Level of the items: sentence, token, type; without a suite the words of a task."""
    context: Literal["sentence", "none"] = SENTENCE
    """sentence: words are encoded in their sentence; none: in isolation; no difference in type-level tests."""
    lowercase: Annotated[Any, Expected("true, false or python")]
    """false: as the tokenizer does; true or python: lower-case before tokenization."""
    dotless_i: Annotated[Any, Expected("true or false")]
    """Whether i and İ, ı and I are pairs of lower and upper case, as in Turkish."""
    over_long: Literal["split", "refuse"]
    """Sentences longer than the model's limit: split: encode in parts (counted and logged); refuse: stop at the first.

    Parts end at borders of words, each is a separate sequence. Running texts are not split but cut, as
    sentence-transformers cuts them."""

    def __post_init__(self):
        super().__post_init__()
        if self.prompt and self.level != "sentence":
            raise BadValue("encoder.prompt", self.prompt, "null with tests of words: a prompt stands before sentences")


@dataclass(frozen=True, slots=True)
class SentenceChoice:
    """How sentences are read."""

    accepts: frozenset[type] = _EVERY
    """Items that have vectors."""
    reading: TextReading | None = None
    """Of sentences as texts; None where they are read word by word."""
    modules: Mapping[int | None, SentenceModules] | None = None
    """Those of sentence-transformers for each epoch; None where there is no layer of the whole model's."""
    is_lowercase: bool = False
    """Whether the folder asks for lower case."""
    in_words: str | None = None
    """What the folder decided, for rows; None for nothing."""

    def in_fingerprint(self) -> dict[str, object]:
        """Returns what fingerprints say of it: nothing where only the words are read, as it always was."""
        lower = {"lower_case": True} if self.is_lowercase else {}
        if self.reading is None:
            return lower
        heads = [[str(epoch), [list(part) for part in one.head]] for epoch, one in (self.modules or {}).items()]
        return {"text": self.reading.identity(), "heads": heads, **lower}


def sentence_choice(folders: Mapping[int | None, Path], width: int, options: TransformerOptions) -> SentenceChoice:
    """Settles how sentences are read."""
    first = next(iter(folders.values()))
    if options.level != "sentence":
        is_whole = options.sentence_pooling is None and (first / MODULES).is_file()
        return SentenceChoice(_EVERY - {Sentence}, is_lowercase=is_lowercase(first)) if is_whole else SentenceChoice()
    if options.sentence_pooling is not None and not options.prompt:
        return SentenceChoice()
    told = {epoch: read_sentence_modules(folder, width) for epoch, folder in folders.items()}
    _check_alike(told)
    modules = told[next(iter(folders))]
    prompt = _prompt_text(options, modules)
    words = _EVERY - {Form, TokenInContext}
    if options.sentence_pooling is None and modules is not None:
        reading = TextReading(modules.modes, True, prompt, modules.counts_prompt, modules.limit)
        return SentenceChoice(words, reading, told, modules.is_lowercase, _in_words(reading, modules))
    if not prompt:
        return SentenceChoice()
    mode, counts_special = TYPED[options.sentence_pooling or DEFAULT_POOLING]
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


def _prompt_text(options: TransformerOptions, modules: SentenceModules | None) -> str:
    prompts = modules.prompts if modules is not None else {}
    if options.prompt is None:
        default = modules.default_prompt if modules is not None and options.sentence_pooling is None else None
        return prompts[default] if default is not None else ""
    if options.prompt in prompts or not _NAME.fullmatch(options.prompt):
        return prompts.get(options.prompt, options.prompt)
    known = f"one of the folder's prompts ({', '.join(prompts)})" if prompts else "a text (the folder has no prompts)"
    expected = f"{known}, or a text with the blank that it ends with: 'encoder.prompt=\"query: \"'"
    raise BadValue("encoder.prompt", options.prompt, expected)


def _in_words(reading: TextReading, modules: SentenceModules) -> str:
    """Names what a folder decided: "folder=cls,Dense(256,Tanh),Normalize max_seq_length=128"."""
    parts = [f"folder={','.join([*reading.modes, *modules.head_in_words()])}"]
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
