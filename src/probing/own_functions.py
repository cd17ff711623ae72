"""Functions of the user's as encoders and predictors: what they compute is kept by its content and read from there.

So a function that changes never meets what it computed before, and the command of a run does the same again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from polyprobe.display.progress import watched
from polyprobe.encoders.base.build import checked_encoder
from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import NoRoom, write_text
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.vectors.vectors_folder import not_written, write
from polyprobe.items import Item, TokenInContext, words_of
from polyprobe.named import faults_told
from polyprobe.predictors.base.predictor import Question, text_of
from polyprobe.probing.settings import ProbeSettings

BLOCK = 1024  # items, or sentences, of a call
EncoderFunction = Callable[[list[Any]], Any]
PredictorFunction = Callable[[list[str]], Any]


@dataclass(frozen=True)
class OwnModel:
    """A function of the user's in place of a choice, or an encoder object."""

    group: str
    """Of conf/: "encoder" or "predictor"."""
    own: Any
    name: str

    @property
    def choice(self) -> str:
        """The choice that reads what it computes."""
        return {"encoder": "vectors", "predictor": "log_probabilities"}[self.group]

    def kept(self, settings: ProbeSettings) -> Path:
        """Computes what a command needs, and keeps it below the cache of its work folder; returns where.

        Raises:
            PolyprobeError: it fails, or returns something else.
        """
        keep = {"encoder": kept_vectors, "predictor": kept_log_probabilities}[self.group]
        return keep(self.own, self.name, settings)


def own_model(group: str, given: Any, name: str | None) -> OwnModel | None:
    """Returns a function, or an encoder object, in place of a choice; None for a choice.

    Raises:
        PolyprobeError: it is a choice, with another name.
    """
    if not isinstance(given, str) and (callable(given) or hasattr(given, "encode")):
        return OwnModel(group, given, name or getattr(given, "__name__", type(given).__name__).strip("<>"))
    if name is not None:
        raise PolyprobeError(f"name={name} is for a function. {group}={given} has a name of its own: leave it out.")
    return None


def kept_vectors(own: Any, name: str, settings: ProbeSettings) -> Path:
    """Encodes all items of a command, and keeps the vectors; returns their folder.

    Args:
        own: a function, or an object with `layers`, `accepts`, `fingerprint` and `encode`. The function is called with
            a list: the text of each form or sentence, of a word in a sentence the words of the sentence and its index.
            It returns `[items, width]` or `[layers, items, width]`.
    """
    from polyprobe.probing.asked_items import items_to_encode  # what reads tests takes a while

    items, layers = items_to_encode(settings), list[str]()
    blocks: Iterator[Sequence[np.ndarray]]
    if hasattr(own, "encode"):
        encoder = checked_encoder(own)
        if isinstance(encoder, CountEncoder):
            raise PolyprobeError(f"{name} counts, and has no vectors to keep. Expected encoder=own.")
        layers = [one.name if one.epoch is None else f"{one.name}/{one.epoch}" for one in encoder.layers]
        blocks = ([np.asarray(matrix, np.float32) for matrix in part] for part in encoder.encode(items))
    else:
        blocks = _blocks(own, name, items)
    with faults_told(getattr(own, "__module__", ""), name), watched("encoding", "items", len(items)) as progress:
        parts = []
        for part in blocks:
            parts.append(part)
            progress.advance(len(part[0]))
    if len({tuple(matrix.shape[1] for matrix in part) for part in parts}) > 1:
        raise PolyprobeError(f"{name} returned layers or widths that differ between items. Expected the same.")
    matrices = [np.concatenate(of_layer) for of_layer in zip(*parts, strict=True)]
    layers = layers or ([name] if len(matrices) == 1 else [f"layer_{number}" for number in range(len(matrices))])
    try:
        return write(settings.workspace.vectors, name, items, dict(zip(layers, matrices, strict=True)))
    except (OSError, NoRoom, SafetensorError) as error:
        raise not_written(str(settings.workspace.vectors), error) from error


def kept_log_probabilities(own: PredictorFunction, name: str, settings: ProbeSettings) -> Path:
    """Scores all sentences of a command, and keeps the log-probabilities; returns their file.

    Args:
        own: a function, called with a list of sentences. It returns a number for each, its log-probability in nats, or
            for each a list with a number for each word.
    """
    from polyprobe.probing.asked_items import questions_to_score  # what reads sets takes a while

    questions, lines = questions_to_score(settings), []
    with watched("scoring", "sentences", len(questions)) as progress:
        for start in range(0, len(questions), BLOCK):
            some = questions[start : start + BLOCK]
            with faults_told(getattr(own, "__module__", ""), name):
                found = list(own(list(map(text_of, some))))
            if len(found) != len(some):
                raise PolyprobeError(f"{name} returned {len(found)} log-probabilities for {len(some)} sentences.")
            lines += [_line(name, question, one) for question, one in zip(some, found, strict=True)]
            progress.advance(len(some))
    text = "".join(lines)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = settings.workspace.log_probabilities / f"{file_name(name)}-{digest}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def _blocks(own: EncoderFunction, name: str, items: Sequence[Item]) -> Iterator[Sequence[np.ndarray]]:
    """Yields the vectors of blocks of items, float32 `[block items, width]` for each layer."""
    for start in range(0, len(items), BLOCK):
        some = items[start : start + BLOCK]
        given = [
            ([*item.words], item.index) if isinstance(item, TokenInContext) else " ".join(words_of(item))
            for item in some
        ]
        vectors = _array(name, own(given))
        if vectors.ndim not in (2, 3) or vectors.shape[-2] != len(some) or 0 in vectors.shape:
            expected = f"[{len(some)}, width] or [layers, {len(some)}, width]"
            raise PolyprobeError(f"{name} returned an array {list(vectors.shape)}. Expected {expected}.")
        if not np.isfinite(vectors).all():
            raise PolyprobeError(f"{name} returned a number that is not finite. Expected finite float32 values.")
        yield [*vectors] if vectors.ndim == 3 else [vectors]


def _array(name: str, found: Any) -> np.ndarray:
    if hasattr(found, "detach"):  # a tensor of torch, perhaps on a GPU
        found = found.detach().float().cpu().numpy()
    try:
        numbers = np.asarray(found)
    except (TypeError, ValueError) as error:
        raise PolyprobeError(f"{name} returned no array of numbers ({error}).") from error
    if numbers.dtype.kind not in "biuf":
        raise PolyprobeError(f"{name} returned values of type {numbers.dtype}. Expected real numbers.")
    with np.errstate(over="ignore"):  # which the check for finite numbers finds
        return numbers.astype(np.float32)


def _line(name: str, question: Question, found: Any) -> str:
    sentence, numbers = text_of(question), _array(name, found)
    is_well_formed = numbers.shape in ((), (len(question.words),))
    if not is_well_formed or not np.isfinite(numbers).all() or (numbers > 0).any():
        expected = f"a log-probability, or {len(question.words)}, one for each word: finite numbers not above 0"
        raise PolyprobeError(f"{name} returned {found!r} for '{sentence}'. Expected {expected}.")
    key = "words" if numbers.ndim else "log_probability"
    return f"{json.dumps({'sentence': sentence, key: numbers.tolist()}, ensure_ascii=False)}\n"
