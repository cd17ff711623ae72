"""What a trained model predicts for new sentences, given as words where these are enough."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from polyprobe.display.shown import cut
from polyprobe.encoders.inputs.trained_models import open_model, source_of
from polyprobe.errors import PolyprobeError
from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.formats.roles.propositions import LabelledSentence
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.formats.treebanks.labelled_words import NO_LABEL, LabelledWords
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.workspace import Workspace
from polyprobe.training.callbacks.checkpoints import best_checkpoint

_SHOWN = 80  # characters of a sentence in a message
_WORDS = 'a list of words such as ["Anna", "met"]'
_EXPECTED = {
    "pos": _WORDS,
    "ner": _WORDS,
    "nli": 'a pair of lists of words such as (["Anna", "met"], ["Anna", "left"])',
    "dep": "what polyprobe.formats.treebanks.dependencies.dependency_sentences yields",
    "srl": "what polyprobe.formats.roles.universal_propbank.universal_propbank_sentences yields",
}
"""A sentence, by task."""


def predicted(run: RunDirectory, sentences: Sequence[Any]) -> list[Any]:
    """Returns the predictions of the best checkpoint of a training run, one for each sentence.

    Raises:
        PolyprobeError: the run trained no such model, its checkpoint or vectors cannot be read, or a sentence is no
            list of words.
    """
    task = run.configuration().get("task", {}).get("name")
    if task not in _EXPECTED:
        raise PolyprobeError(f"{run.name} is no run of task=pos, dep, ner, srl or nli, which predict labels.")
    if isinstance(sentences, str):
        found = cut(sentences, _SHOWN)
        raise PolyprobeError(f"The sentences are the text '{found}'. Expected a list; each is {_EXPECTED[task]}.")
    examples = [_example(task, number, one) for number, one in enumerate(sentences, start=1)]
    path = best_checkpoint(run)
    work = run.path.parents[2]  # its folder is <work>/runs/train/<name>
    model: Any = open_model(path, source_of(path, {}, Workspace(Path(), work, None).encodings))
    return model.answers(examples)


def _example(task: str, number: int, sentence: Any) -> Any:
    """Returns what a model of a task reads, from words alone where these are enough.

    Args:
        number: of the sentence among those given, from 1.

    Raises:
        PolyprobeError: it is no list of words, or no pair of them, or what has more is needed.
    """
    read = {"nli": LabelledPair, "dep": DependencySentence, "srl": LabelledSentence}.get(task, LabelledWords)
    if isinstance(sentence, read):
        return sentence
    if task in ("pos", "ner") and _are_words(sentence):
        return LabelledWords(tuple(sentence), (NO_LABEL,) * len(sentence), 0)
    if task == "nli" and isinstance(sentence, list | tuple) and len(sentence) == 2 and all(map(_are_words, sentence)):
        premise, hypothesis = map(tuple, sentence)
        return LabelledPair(premise, hypothesis, None, 0)
    raise PolyprobeError(f"Sentence {number} is {cut(repr(sentence), _SHOWN)}. Expected each to be {_EXPECTED[task]}.")


def _are_words(sentence: Any) -> bool:
    is_sized = isinstance(sentence, Collection) and not isinstance(sentence, str)
    return is_sized and len(sentence) > 0 and all(isinstance(word, str) and word for word in sentence)
