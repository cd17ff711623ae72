"""What `check=true` says of the data of a command: items, labels, splits, the first items, what is left out.

Nothing is encoded, trained or written.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyprobe.datamodules.corpora.labelled_corpora import (
    CorpusReader,
    malformed_handler,
    options_named,
    with_options_of,
)
from polyprobe.display.shown import cut, plural
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.detect import detect_format
from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.formats.reading.malformed import Handler, in_lines
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.frequency import note_on_labels
from polyprobe.probing.settings import ProbeSettings, ProbingSettings
from polyprobe.probing.suites.chosen import chosen_set_files, has_downstream_tasks, has_minimal_sets
from polyprobe.probing.suites.minimal_set_files import read_suite
from polyprobe.probing.suites.tests import inputs_in_words, load_test
from polyprobe.splits import SPLITS
from polyprobe.training.settings import DataSettings

_SHOWN, _LONGEST = 3, 100  # items, and characters of one
_MOST_LABELS, _MOST_PLACES = 12, 10


@dataclass(frozen=True, slots=True)
class SplitFound:
    """What a split has."""

    name: str
    items: Sequence[Hashable]
    first: Sequence[str]
    """The first items, as a reader sees them."""
    labels: Sequence[str]
    """All that there are, of words or items; none where nothing is labelled."""

    def __str__(self) -> str:
        counts = Counter(self.labels).most_common()
        shown = ", ".join(f"{label} {count:,}" for label, count in counts[:_MOST_LABELS])
        more = f" and {len(counts) - _MOST_LABELS} more" if len(counts) > _MOST_LABELS else ""
        of_labels = f"; {plural(len(counts), 'label')}: {shown}{more}" if counts else ""
        return f"  {self.name}: {plural(len(self.items), 'item')}{of_labels}"


def checked_tests(config: ProbeSettings) -> Iterator[str]:
    """Says what the tests or minimal sets of probe.py are.

    Raises:
        PolyprobeError: they cannot be read at all, or are downstream tasks.
    """
    if has_downstream_tasks(config.suite.options):
        raise PolyprobeError(f"suite={config.suite.name} has downstream tasks: check=true does not cover them.")
    if has_minimal_sets(config.suite.options):
        yield from _sets(config)
        return
    n_bad, settings = 0, ProbingSettings.of(config)
    suite, workspace = settings.suite, config.workspace
    for name in settings.tests:
        places: list[MalformedLine] = []
        try:
            test = load_test(suite, config.lang, name, settings.root, workspace.mirror, places.append)
        except PolyprobeError:
            yield from _left_out(places, config.on_malformed)
            raise
        yield f"{name}: items are {_ITEMS[suite.level]}"
        yield from (f"  {path}: {detect_format(path).description}" for path in test.files[:_SHOWN])
        parts = {split: getattr(test, split) for split in SPLITS}
        labels = {split: [test.labels[number] for number in part.label_ids] for split, part in parts.items()}
        starts = {split: inputs_in_words(replace(part, items=part.items[:_SHOWN])) for split, part in parts.items()}
        first = {split: [one.replace("\t", "  |  ") for one in start] for split, start in starts.items()}
        found = {split: SplitFound(split, part.items, first[split], labels[split]) for split, part in parts.items()}
        yield from _summary(found, lambda split, place: labels[split][place])  # noqa: B023
        yield from _left_out(places, config.on_malformed)
        yield from ([f"  notes: {test.note}"] if test.note else [])
        n_bad += len(places)
    _refuse(n_bad, config.on_malformed)


_ITEMS = {"type": "words alone", "token": "words in sentences", "sentence": "sentences"}


def _sets(config: ProbeSettings) -> Iterator[str]:
    files = chosen_set_files(config.suite.options)
    places: list[MalformedLine] = []
    suite = read_suite(files, config.lang, config.tests, config.workspace, places.append)
    yield f"{suite.name}: minimal sets, on which a language model (predictor=…) is evaluated"
    for construction in suite.constructions:
        yield f"  {construction.name}: {plural(len(construction.sets), 'set')}"
        for one in construction.sets[:_SHOWN]:
            yield cut(f"    + {one.grammatical.sentence}", _LONGEST)
            yield from (cut(f"    - {variant.sentence}", _LONGEST) for variant in one.ungrammatical)
    yield from _left_out(places, config.on_malformed)
    _refuse(len(places), config.on_malformed)


def checked_corpus(data: DataSettings) -> Iterator[str]:
    """Says what the corpus of train.py is.

    Raises:
        PolyprobeError: it cannot be read at all, or a split has no sentence.
    """
    places: list[MalformedLine] = []
    reader = CorpusReader(data.root, data.mirror, places.append, data.max_words)
    with options_named(f"data.corpora.{data.corpus}", data.entry):
        read = {one: reader.split(with_options_of(one, data.entry), one) for one in SPLITS if data.entry.get(one)}
    yield f"{data.corpus}: read by {data.entry['reader'].rpartition('.')[2]}"
    items = {split: [_written(one) for one in examples] for split, examples in read.items()}
    found = {
        split: SplitFound(
            split, items[split], items[split][:_SHOWN], [label for one in examples for label in _labels(one)]
        )
        for split, examples in read.items()
    }
    yield from _summary(found, lambda split, place: " ".join(_labels(read[split][place])))
    for split, examples in read.items():
        if n := sum(isinstance(one, LabelledPair) and one.label is None for one in examples):
            yield f"  {split}: {plural(n, 'pair')} without a label, left out"
    places = list({str(place): place for place in places}.values())  # a file of several splits is read for each
    treated = malformed_handler(data.on_malformed, data.entry, data.root)
    bad = [place for place in places if _stops(treated, place)]
    yield from _left_out([place for place in places if place not in bad], "skip")
    yield from _left_out(bad, data.on_malformed)
    for split, examples in read.items():
        if not examples:
            raise PolyprobeError(f"{data.entry[split]}: {split} has no sentence. Expected at least one.")
    _refuse(len(bad), data.on_malformed)


def _stops(treated: Handler, place: MalformedLine) -> bool:
    """Says whether a run stops at a place: none does at those that a published corpus is known for."""
    try:
        treated(place)
    except PolyprobeError:
        return True
    return False


def _written(one: Any) -> str:
    if isinstance(one, LabelledPair):
        return f"{' '.join(one.premise)} | {' '.join(one.hypothesis)}"
    words = " ".join(getattr(one, "words", one))
    return f"{words} | {' '.join(one.target)}" if isinstance(one, TargetedSentence) else words


def _labels(one: Any) -> Sequence[str]:
    """Returns the label of a pair, of each word of a sentence, or nothing."""
    if isinstance(one, LabelledPair):
        return [] if one.label is None else [one.label]
    return getattr(one, "labels", getattr(one, "relations", ()))


def _summary(found: Mapping[str, SplitFound], label_of: Callable[[str, int], str]) -> Iterator[str]:
    """Says what splits have, the first items, and which items two splits share."""
    yield from map(str, found.values())
    first, *others = found.values()
    for place, item in enumerate(first.first):
        label = label_of(first.name, place)
        yield f"    {cut(item, _LONGEST)}" + (f"  ->  {cut(label, _LONGEST)}" if label else "")
    if note := note_on_labels(Counter(label for split in found.values() for label in split.labels)):
        yield f"  {note}"
    labels = {label for split in others for label in split.labels}
    if labels and (alone := sorted(set(first.labels) - labels)):
        yield f"  in {first.name} alone: {plural(len(alone), 'label')}, {cut(', '.join(alone), _LONGEST)}"
    train = set(first.items)
    for split in others:
        if shared := sum(item in train for item in split.items):
            yield f"  leakage: {shared:,} of {plural(len(split.items), 'item')} of {split.name} also in train"


def _left_out(places: Sequence[MalformedLine], on_malformed: str | None) -> Iterator[str]:
    if not places:
        return
    stops = (
        "left out"
        if on_malformed == "skip"
        else "malformed, a run would stop there; data.on_malformed=skip skips such lines"
    )
    yield f"  {plural(len(places), 'place')} {stops}:"
    lines = in_lines(places)
    yield from (f"    {one}" for one in lines[:_MOST_PLACES])
    yield from ([f"    and {len(lines) - _MOST_PLACES:,} more"] if len(lines) > _MOST_PLACES else [])


def _refuse(n_places: int, on_malformed: str | None) -> None:
    """Ends a check with an error where a run would stop."""
    if n_places and on_malformed != "skip":
        found = f"check=true found {plural(n_places, 'bad place')}, at which a run stops"
        raise PolyprobeError(f"{found}. Expected none, or data.on_malformed=skip.")
