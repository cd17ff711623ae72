"""The runs that a user compares, and the items: of a test that all runs have, or the lines of a text file."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import split_reference
from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.analysis.similarity.similarity_grid import LayerPlace
from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.reading.tokenised import check_words, words_of
from polyprobe.items import Item, Sentence
from polyprobe.probing.design import versions_of_tests
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.probing.suites.tests import load_test
from polyprobe.runs.directory import RunDirectory
from polyprobe.seeds import derived_seed

TEXT = "text"  # what rows have for the suite and the split of a file of sentences


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run of probe.py that a user names, once or several times with layers and epochs."""

    earlier: EarlierRun
    selections: Sequence[str]
    """The layers and epochs that are named ("8", "encoding", "encoding/8"); empty: all."""

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.earlier.directory.name

    @cached_property
    def chosen(self) -> dict[int, LayerPlace]:
        """The layers that are named, or all, by their numbers.

        Raises:
            UnknownChoice: there is no such layer or epoch.
        """
        row = next((row for row in self.earlier.directory.rows() if row["stage"] == "probing"), {})
        model = ", ".join(filter(None, [row.get("model"), row.get("options")])) or None
        encoder = self.earlier.settings.encoder_name
        layers = [LayerPlace(encoder, model, one.name, one.epoch) for one in self.earlier.encoder.layers]
        numbers = {number for one in self.selections for number in self._selected(one, layers)}
        return {number: layer for number, layer in enumerate(layers) if not self.selections or number in numbers}

    def _selected(self, selection: str, layers: Sequence[LayerPlace]) -> list[int]:
        """Returns the numbers of the layers that "encoding/8", "encoding" or "8" names: an epoch where no layer is."""
        names = [one.name for one in layers]
        for said in (names, [one.layer for one in layers], [str(one.epoch) for one in layers]):
            if selection in said:
                return [number for number, one in enumerate(said) if one == selection]
        raise UnknownChoice(f"layer of {self.name}", selection, dict.fromkeys(names))


def compared_runs(settings: SimilaritySettings) -> list[ComparedRun]:
    """Finds the runs that a user names, each once, in the order in which they are named first."""
    selections: dict[Path, list[str | None]] = {}
    for reference in settings.references:
        name, selection = split_reference(reference)
        folder = find_run(settings.workspace.work, name)
        selections.setdefault(folder.resolve(), []).append(selection)
    for folder, named in selections.items():
        if len(set(named)) < len(named) or (None in named and len(named) > 1):
            raise PolyprobeError(
                f"runs: {folder.name} is named twice. Expected each run once, or its layers and epochs one by "
                f"one: [{folder.name}:0,{folder.name}:8]."
            )
    return [
        ComparedRun(earlier_run(RunDirectory(folder), settings.workspace), [one for one in named if one is not None])
        for folder, named in selections.items()
    ]


@dataclass(frozen=True, eq=False)
class ItemSet:
    """Items on which layers are compared, not read yet."""

    suite: str
    test: str
    split: str
    version: str
    """A digest of the files."""
    read: Callable[[], Sequence[Item]]
    """Returns the items, all distinct, in the order of the file."""


def item_sets(runs: Sequence[ComparedRun], settings: SimilaritySettings) -> list[ItemSet]:
    """Finds the items: those of each test that is named, of the first test that all runs have, or of a text file."""
    if settings.text is not None:
        return [_item_set_of_text(settings.text, settings)]
    return [_item_set_of_test(runs, test, settings) for test in _common_tests(runs, settings.tests)]


def stratified(labels: Sequence[int], n: int, generator: np.random.Generator) -> np.ndarray:
    """Draws n items so that each label has its share, by the largest remainders; of equal ones the first label's.

    Returns:
        The places of the items, rising: int64 `[n]`.
    """
    found, counts = np.unique(np.asarray(labels), return_counts=True)
    shares = n * counts / counts.sum()
    numbers = np.floor(shares).astype(np.int64)
    largest_first = np.argsort(numbers - shares, kind="stable")
    numbers[largest_first[: n - numbers.sum()]] += 1
    drawn = [
        generator.permutation(np.flatnonzero(labels == label))[:number]
        for label, number in zip(found, numbers, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def _common_tests(runs: Sequence[ComparedRun], names: Sequence[str] | None) -> list[str]:
    first, *others = (run.earlier.settings for run in runs)
    for run, other in zip(runs[1:], others, strict=True):
        if (other.suite.name, other.lang["code"]) != (first.suite.name, first.lang["code"]):
            raise PolyprobeError(
                f"{runs[0].name} has suite={first.suite.name} of lang={first.lang['code']}, {run.name} "
                f"suite={other.suite.name} of lang={other.lang['code']}: no items in common. Expected runs on the same "
                "tests, or a file of sentences for all: items=sentences.txt"
            )
    common = [test for test in first.tests if all(test in other.tests for other in others)]
    if not common:
        listed = "; ".join(f"{run.name}: {', '.join(run.earlier.settings.tests)}" for run in runs)
        raise PolyprobeError(f"The runs have no test in common ({listed}). items takes a file of sentences.")
    for name in names or ():
        if name not in common:
            raise UnknownChoice("test of all runs", str(name), common)
    return list(dict.fromkeys(names or common[:1]))


def _item_set_of_test(runs: Sequence[ComparedRun], test: str, settings: SimilaritySettings) -> ItemSet:
    first = runs[0].earlier.settings
    version, *others = (versions_of_tests(replace(run.earlier.settings, tests=[test]))[test] for run in runs)
    for run, other in zip(runs[1:], others, strict=True):
        if other != version:
            raise PolyprobeError(
                f"{test}: {runs[0].name} and {run.name} have other items: the files differ. Expected runs on the same "
                "files, or items=sentences.txt"
            )

    def read() -> Sequence[Item]:
        found = load_test(first.suite, first.lang, test, first.root, first.workspace.mirror, refuse)
        labels: dict[Item, int] = {}  # an item that occurs again counts once, with its first label
        for items, label in zip(found.test.items, found.test.label_ids, strict=True):
            for item in items:
                labels.setdefault(item, label)
        n_read = sum(map(len, found.test.items))
        return _sampled(list(labels), list(labels.values()), n_read, settings, f"The test split of {test}")

    return ItemSet(first.suite.name, test, "test", version, read)


def _item_set_of_text(path: Path, settings: SimilaritySettings) -> ItemSet:
    if not path.is_file():
        raise PolyprobeError(f"items: there is no file {path}. Expected one with one sentence per line.")

    def read() -> Sequence[Item]:
        read = list(_sentences(path))
        sentences = list(dict.fromkeys(read))
        return _sampled(sentences, [0] * len(sentences), len(read), settings, str(path))

    return ItemSet(TEXT, path.name, TEXT, content_version([path]), read)


def _sentences(path: Path) -> Iterable[Sentence]:
    """Yields a sentence for each line: words between blanks."""
    for number, line in numbered_lines(path):
        check_words(path, number, line)
        yield Sentence(words_of(line))


def _sampled(
    items: Sequence[Item], labels: Sequence[int], n_read: int, settings: SimilaritySettings, where: str
) -> Sequence[Item]:
    """Draws the sample; where there are no more items, all are taken, and that is said, with those that came again."""
    if settings.sample is None or len(items) == settings.sample:
        return items
    if len(items) < settings.sample:
        again = f" ({n_read - len(items):,} of {n_read:,} occurred before)" if len(items) < n_read else ""
        say(f"{where} has {len(items):,} distinct items{again}: all are used (sample={settings.sample}).")
        return items
    generator = np.random.default_rng(derived_seed(settings.seed, "similarity", "items"))
    return [items[place] for place in stratified(np.asarray(labels), settings.sample, generator)]
