"""Labels new text with the kept probes of a finished run: `python analyze.py job=apply run=a text=words.txt`."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from polyprobe.errors import PolyprobeError, check_choice, distinct_choices, layer_name
from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.file_names import absence, file_name
from polyprobe.formats.reading.cells import read_cells
from polyprobe.formats.reading.lines import numbered_bytes
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.reading.tokenised import words_of, words_of_line
from polyprobe.formats.treebanks import conllu
from polyprobe.items import Form, Item, Sentence, TokenInContext
from polyprobe.probing.earlier_run import EarlierRun, earlier_run, kept_probes, layer_of
from polyprobe.probing.settings import Application, check_tests
from polyprobe.probing.suites.chosen import chosen_suite
from polyprobe.runs.directory import RunDirectory

if TYPE_CHECKING:
    from polyprobe.probing.kept_probe import KeptProbe

_LEVELS = ("type", "token", "sentence")
_COLUMNS = {1: ("word",), 2: ("first word", "second word")}


@dataclass(frozen=True, slots=True)
class TextToLabel:
    """The examples of a text, each with its line in the answers, to which its label is added."""

    examples: Sequence[tuple[Item, ...]]
    """For each its items: one, or the two words of a pair."""
    lines: Sequence[str]
    """Of an item its word or sentence, of a pair both words, a tab between."""
    ends: frozenset[int] = frozenset()
    """The examples that end a sentence of tokens: an empty line follows them."""


def apply(asked: Application) -> Iterator[str]:
    """Writes label and probability of every item of a text, a file for each test. Yields lines about it.

    Raises:
        PolyprobeError: there is no such run, it has kept no probes, its encoder is another one now, the text cannot be
            read, or there is a file of such answers already.
    """
    earlier = earlier_run(RunDirectory(asked.run), asked.workspace)
    chosen = _chosen(asked, earlier.directory)
    path = Path(asked.text)
    if not path.is_file():
        raise PolyprobeError(
            f"text={asked.text}: {absence(path)} ({path.absolute()}). Expected words or sentences, one per line."
        )
    text = _text(path, _level(earlier))
    from polyprobe.models.base.torch_process import flush_denormals, set_threads
    from polyprobe.probing.kept_probe import load_probe

    flush_denormals()
    set_threads(asked.threads or earlier.asked.bank.threads)
    probes = {path: load_probe(path) for path in chosen}
    fitting = {path: one for path, one in probes.items() if one.parts == len(text.examples[0])}
    _check_probes(earlier, probes, fitting, text)
    if others := [one.test for path, one in probes.items() if path not in fitting]:
        kind = "single words" if len(text.examples[0]) == 2 else "pairs of words"
        yield f"left out, as tests of {kind}: {', '.join(others)}"
    answers = {path: _place(earlier.directory, asked.text, path) for path in fitting}
    for path, vectors in _vectors(earlier, text, fitting):
        with earlier.directory.held():
            answers[path].parent.mkdir(parents=True, exist_ok=True)
            write_text(answers[path], _answers(text, fitting[path], vectors))
        layer, dev = chosen[path], f"{100 * fitting[path].dev_accuracy:.1f} % on dev"
        yield f"{len(text.examples):,} items of {asked.text} labelled: {fitting[path].test}, layer {layer}, {dev}"
        yield f"labels   {answers[path]}"


def _chosen(asked: Application, run: RunDirectory) -> dict[Path, str]:
    """Returns the files of the probes that label, one for each test, with their layers."""
    check_tests(asked.tests, "[Case,Tense]")
    kept = {path: row for path, row in kept_probes(run).items() if path.is_file()}
    if not kept:
        raise PolyprobeError(f"{run.path} has no kept probes. Repeat its command with probe.keep=true.")
    known = dict.fromkeys(row["test"] for row in kept.values())
    chosen = {}
    for test in distinct_choices("test", known if asked.tests is None else asked.tests, known):
        of_test = {path: row for path, row in kept.items() if row["test"] == test}
        layers = {path: layer_of(row) for path, row in of_test.items()}
        named = None if asked.layer is None else layer_name("layer", asked.layer, dict.fromkeys(layers.values()))
        dev = {path: row.get("dev", 0.0) for path, row in of_test.items()}
        means = {one: fmean(dev[path] for path in of_test if layers[path] == one) for one in layers.values()}
        layer = max(means, key=lambda one: means[one]) if named is None else named
        best = max((path for path in of_test if layers[path] == layer), key=lambda path: dev[path])
        chosen[best] = layers[best]
    return chosen


def _level(run: EarlierRun) -> str:
    """Returns the level of the tests of a run, whose files may be gone; a suite that does not say it is built."""
    suite = run.asked.suite.options
    level = suite["level"] if "level" in suite else chosen_suite(suite).level
    check_choice("suite.level", level, _LEVELS)
    return level


def _text(path: Path, level: str) -> TextToLabel:
    """Reads a text for tests of a level.

    Raises:
        MalformedLine: a line is empty, or has another number of words than the first, or is not clean UTF-8; or there
            is none.
    """
    if level == "type":
        n_columns = 2 if b"\t" in next(numbered_bytes(path))[1] else 1
        rows = list(read_cells(path, _COLUMNS[n_columns], refuse, lambda path, line, *cells: cells))
        return TextToLabel([tuple(map(Form, row)) for row in rows], ["\t".join(row) for row in rows])
    sentences = list(_sentences(path, level))
    if level == "sentence":
        return TextToLabel([(Sentence(words),) for words in sentences], [" ".join(words) for words in sentences])
    tokens = [TokenInContext(words, index) for words in sentences for index in range(len(words))]
    ends = frozenset(number for number, one in enumerate(tokens) if one.index == len(one.words) - 1)
    return TextToLabel([(one,) for one in tokens], [one.words[one.index] for one in tokens], ends)


def _sentences(path: Path, level: str) -> Iterator[tuple[str, ...]]:
    if level == "token" and path.suffix == ".conllu":
        for sentence in conllu.read_stripped(path, refuse):
            yield tuple(word.form for word in sentence.words)
        return
    for number, content in numbered_bytes(path):
        yield words_of_line(path, number, content, words_of)


def _check_probes(
    earlier: EarlierRun, probes: Mapping[Path, "KeptProbe"], fitting: Mapping[Path, "KeptProbe"], text: TextToLabel
) -> None:
    if not fitting:
        names = ", ".join(one.test for one in probes.values())
        expected = "a word" if len(text.examples[0]) == 2 else "two words with a tab between them"
        raise PolyprobeError(f"{names}: each item is {expected}. Expected a text that has that in each line.")
    layers = [(one.name, one.epoch, one.width) for one in earlier.encoder.layers]
    for path, one in fitting.items():
        if file_name(one.fingerprint) != earlier.encoder.fingerprint:
            found = f"it was trained on vectors of fingerprint {one.fingerprint}"
            raise PolyprobeError(f"{path}: {found}, and its run's are of {earlier.encoder.fingerprint}.")
        if (one.layer, one.epoch, one.width // one.parts) not in layers:
            raise PolyprobeError(f"{path}: it is a probe of {one.layer}, {one.width} numbers, which its run lacks.")


def _place(run: RunDirectory, text: str, probe: Path) -> Path:
    """Returns the file of the answers of a probe: below `labelled/` and the whole path of the text.

    Raises:
        PolyprobeError: it is there already.
    """
    source = Path(os.path.abspath(text))
    path = run.labelled / source.relative_to(source.anchor) / f"{probe.stem}.tsv"
    if path.exists():
        raise PolyprobeError(f"{path} already exists. Remove it, or rename the text.")
    return path


def _vectors(
    earlier: EarlierRun, text: TextToLabel, probes: Mapping[Path, "KeptProbe"]
) -> Iterator[tuple[Path, np.ndarray]]:
    """Encodes a text, and yields for each probe the vectors of its layer, `[examples, width]`."""
    items = [item for example in text.examples for item in example]
    encoded = earlier.encoded(items)
    rows = encoded.rows(items)
    layers = [(one.name, one.epoch) for one in encoded.layers]
    for path, probe in probes.items():
        matrix = encoded.matrix(layers.index((probe.layer, probe.epoch)))
        yield path, matrix[rows].reshape(len(text.examples), -1)


def _answers(text: TextToLabel, probe: "KeptProbe", vectors: np.ndarray) -> str:
    shares = probe.probabilities(vectors).max(axis=1)
    lines = []
    for number, (line, label, share) in enumerate(zip(text.lines, probe.predict(vectors), shares, strict=True)):
        lines += [f"{line}\t{label}\t{share:.6f}\n", *(["\n"] if number in text.ends else [])]
    return "".join(lines)
