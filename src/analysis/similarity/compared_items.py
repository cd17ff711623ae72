"""The items on which representations are compared: of a test that all runs have, or the lines of a text file."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.analysis.similarity.compared_runs import ComparedRun, TestSource
from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.display.shown import say
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.reading.tokenised import check_words, words_of
from polyprobe.items import Item, Sentence
from polyprobe.probing.suites.tests import load_test
from polyprobe.seeds import derived_seed

TEXT = "text"  # what rows have for the suite and the split of a file of sentences


@dataclass(frozen=True, eq=False)
class ItemSet:
    """Items on which layers are compared, not read yet."""

    suite: str
    test: str
    split: str
    level: str
    """"type", "token" or "sentence"."""
    version: str
    """A digest of the files."""
    read: Callable[[], Sequence[Item]]
    """Returns the items, all distinct, in the order of the file."""


def item_sets(runs: Sequence[ComparedRun], settings: SimilaritySettings) -> list[ItemSet]:
    """Finds the items: those of each test that is named, of the first test that all runs have, or of a text file."""
    if settings.text is not None:
        return [_item_set_of_text(settings.text, settings)]
    sources = _sources(runs, settings)
    return [_item_set_of_test(sources, test, settings) for test in _common_tests(sources, settings.tests)]


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


def _sources(runs: Sequence[ComparedRun], settings: SimilaritySettings) -> dict[str, TestSource]:
    """Returns the tests of each run, by its name: a trained model is compared on those of the runs that were probed."""
    probed = {run.directory.name: run.tests() for run in runs if not run.is_trained}
    found = probed or {run.directory.name: run.tests() for run in runs}
    (first, one), *others = found.items()
    if settings.suite not in (None, one.suite.name):
        raise BadValue("of_similarity.suite", settings.suite, f"that of {first}, {one.suite.name}, or null")
    for name, other in others:
        if (other.suite.name, other.lang["code"]) != (one.suite.name, one.lang["code"]):
            raise PolyprobeError(
                f"{first} has suite={one.suite.name} of lang={one.lang['code']}, {name} suite={other.suite.name} of "
                f"lang={other.lang['code']}: no items in common. Expected runs on the same tests, or a file of "
                "sentences for all: of_similarity.items=sentences.txt"
            )
    return found


def _common_tests(sources: Mapping[str, TestSource], names: Sequence[str] | None) -> list[str]:
    first, *others = sources.values()
    common = [test for test in first.names if all(test in other.names for other in others)]
    if not common:
        listed = "; ".join(f"{run}: {', '.join(source.names)}" for run, source in sources.items())
        raise PolyprobeError(
            f"The runs have no test in common ({listed}). of_similarity.items takes a file of sentences."
        )
    for name in names or ():
        if name not in common:
            raise UnknownChoice("test of all runs", str(name), common)
    return list(dict.fromkeys(names or common[:1]))


def _item_set_of_test(sources: Mapping[str, TestSource], test: str, settings: SimilaritySettings) -> ItemSet:
    (first, source), *others = sources.items()
    version = source.version(test)
    for name, other in others:
        if other.version(test) != version:
            raise PolyprobeError(
                f"{test}: {first} and {name} have other items: the files differ (lang={source.lang['code']}, "
                f"suite={source.suite.name}). Expected runs on the same files, or of_similarity.items=sentences.txt"
            )

    def read() -> Sequence[Item]:
        found = load_test(source.suite, source.lang, test, source.root, source.mirror, refuse)
        labels: dict[Item, int] = {}  # an item that occurs again counts once, with its first label
        for items, label in zip(found.test.items, found.test.label_ids, strict=True):
            for item in items:
                labels.setdefault(item, label)
        n_read = sum(map(len, found.test.items))
        return _sampled(list(labels), list(labels.values()), n_read, settings, f"The test split of {test}")

    return ItemSet(source.suite.name, test, "test", source.suite.level, version, read)


def _item_set_of_text(path: Path, settings: SimilaritySettings) -> ItemSet:
    if not path.is_file():
        raise PolyprobeError(f"of_similarity.items: there is no file {path}. Expected one with one sentence per line.")

    def read() -> Sequence[Item]:
        read = list(_sentences(path))
        sentences = list(dict.fromkeys(read))
        return _sampled(sentences, [0] * len(sentences), len(read), settings, str(path))

    return ItemSet(TEXT, path.name, TEXT, "sentence", content_version([path]), read)


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
        say(f"{where} has {len(items):,} distinct items{again}: all are used (of_similarity.sample={settings.sample}).")
        return items
    generator = np.random.default_rng(derived_seed(settings.seed, "similarity", "items"))
    return [items[place] for place in stratified(np.asarray(labels), settings.sample, generator)]
