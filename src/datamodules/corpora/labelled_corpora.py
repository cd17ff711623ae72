"""A labelled corpus from its configuration: files fetched where they are missing, read, counted."""

import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from polyprobe.datamodules.corpora.further_files import (
    NO_FILES,
    SINGLE,
    are_files,
    check_further_files,
    check_reader_options,
    files_of,
    further_files,
    given_options,
)
from polyprobe.display.shown import cut
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice, check_at_least, check_choice
from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.formats.reading.malformed import TREATMENTS, Handler, KnownPlaces, handler_named
from polyprobe.formats.roles.propositions import LabelledSentence
from polyprobe.formats.texts import word_list
from polyprobe.named import faults_told, object_at
from polyprobe.resources.download import ensure, place_of
from polyprobe.resources.pinned_files import AssembledFile, PinnedFile, source_of
from polyprobe.runs.names.foreign_names import READER, known
from polyprobe.runs.names.identity import is_ours
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

WHOLE = (0, 1)  # the share of a file that is read unless an entry says otherwise
_SHARES = "{train: [0, 0.8], dev: [0.8, 0.9], test: [0.9, 1]}"
_KEYS = (
    "reader", "reader_options", "split_options", "share", "shares", "split_seed", *SPLITS, SINGLE, "further_files",
    "treebank", "more_train", "beside", "vocabulary", "objective", "target", "targets", "otherwise",
    "known_malformed_lines", "dev_documents_left_out",
)  # fmt: skip
_GROUPS = {
    "reader_options": "{tokenised_by: blanks}",
    "split_options": "{train: {…}}",
    "shares": _SHARES,
    "further_files": "{target: {replace: .en, by: .fi}}",
    "more_train": f"{{more: {{reader: …, {SINGLE}: …}}}}",
    "beside": f"{{more: {{reader: …, {SINGLE}: …}}}}",
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Corpus:
    """The sentences of a corpus."""

    name: str
    """As in the configuration ("finnish_up")."""
    train: Sequence[LabelledSentence]
    dev: Sequence[LabelledSentence]
    test: Sequence[LabelledSentence]
    beside: Mapping[str, Sequence[LabelledSentence]]
    """Further test sets, by name: reported, never tuned on. Where documents are left out of dev, "dev_whole" is dev
    with them."""
    files: tuple[Path, ...]
    """Every file that was read."""
    malformed: tuple[str, ...]
    """The skipped lines, in the words of the reader."""
    vocabulary: tuple[str, ...] | None = None
    """Of a text, where it comes with one: distinct words in the order of its files; None: it does not."""


@dataclass
class CorpusReader:
    """Reads the files of one corpus and keeps account of them."""

    root: Path
    """The data folder, see `place_of`."""
    mirror: str | None
    """Another address to fetch from, or None."""
    on_malformed: Callable[[MalformedLine], None]
    """Called with every malformed line."""
    max_words: int | None = None
    """Of a sentence; a longer one is a malformed line. None: no limit."""
    files: list[Path] = field(default_factory=list)
    """What was read so far."""

    def split(self, settings: Mapping[str, Any], split: str) -> list[Any]:
        """Reads the file of a split, or its files one after the other; see `sentences`."""
        files = zip(files_of(settings, split), further_files(settings, split), strict=True)
        return [one for target, further in files for one in self.sentences(settings, target, further)]

    def sentences(self, settings: Mapping[str, Any], target: str, further: Mapping[str, str] = NO_FILES) -> list[Any]:
        """Reads one file with the function and the options of an entry, and further files where it is not whole.

        Args:
            settings: `reader`, the name of a function; perhaps `reader_options`, its further arguments, and `share`,
                the part of a file that is read, in its order: [0, 0.85] is the first 85 %, rounded down; with
                `split_seed` the part of a draw in which equal sentences stay together.
            target: the file, as for `place_of`.
            further: other files, by the argument of the function that takes them; see `further_files`.
        """
        read, path = reader_function(settings["reader"]), self._file(target)
        options = dict(settings.get("reader_options", {}))
        options |= {argument: self._file(file) for argument, file in further.items()}
        read = read if is_ours(settings["reader"]) else _with_faults_told(read, settings["reader"])
        kept = []
        for one in read(path, on_malformed=self.on_malformed, **options):
            if place := too_long(path, one, self.max_words):
                self.on_malformed(place)
            else:
                kept.append(one)
        share, seed = settings.get("share", WHOLE), settings.get("split_seed")
        if seed is not None:
            return _drawn_part(kept, share, seed)
        start, end = (int(part * len(kept)) for part in share)
        return kept[start:end]

    def vocabulary(self, settings: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Reads the files of words that an entry names as `vocabulary`, one after the other; None: it names none."""
        files = _vocabulary_files(settings)
        words = (word for file in files for word in word_list.read_in_order(self._file(file)))
        return tuple(dict.fromkeys(words)) if files else None

    def _file(self, target: str) -> Path:
        path = ensure(self.root, target, self.mirror)
        if path not in self.files:
            self.files.append(path)
        return path


def chosen_corpus(data: Mapping[str, Any], root: Path) -> str:
    """Returns the name of the corpus of the configuration's `data` section.

    A corpus whose train file is neither in the data folder nor a pinned published one names another one under
    `otherwise`.

    Raises:
        UnknownChoice: `data.corpus` is not one of `data.corpora`, or `data.on_malformed` neither refuse nor skip.
        PolyprobeError: the entry lacks a reader or a train file.
    """
    name, corpora = data["corpus"], data["corpora"]
    check_choice("data.corpus", name, corpora)
    if data["on_malformed"] is not None:
        check_choice("data.on_malformed", data["on_malformed"], TREATMENTS)
    _check_entry(name, corpora[name], ["train"])
    train, otherwise = corpora[name]["train"], corpora[name].get("otherwise")
    if not otherwise or place_of(root, train).exists() or isinstance(source_of(train), PinnedFile | AssembledFile):
        return name
    return otherwise


def read_corpus(
    name: str,
    settings: Mapping[str, Any],
    on_malformed: str | None,
    root: Path,
    mirror: str | None,
    max_words: int | None = None,
) -> Corpus:
    """Reads the splits and the further test sets, and the vocabulary that a text may name.

    The entry may add files of other formats to train: `more_train`, each with `reader`, `file` and what else a further
    test set has.

    Args:
        settings: its entry in `data.corpora`.
        on_malformed: "refuse", "skip", or None: leave out the places that the entry knows, refuse all others.
        root: the data folder; missing files are fetched into it.
        mirror: another address to fetch from, or None.
        max_words: of a sentence, of each side of a pair; a longer one is a malformed line. None: no limit.

    Raises:
        MalformedLine: a file has a malformed line and these are refused.
        PolyprobeError: the entry lacks what it needs, a file is missing and cannot be fetched, or a split has no
            sentence.
    """
    if max_words is not None:
        check_at_least("data.max_words", max_words, 1)
    _check_entry(name, settings, SPLITS)
    _tell_splits_in_common(name, settings)
    handle = malformed_handler(on_malformed, settings, root)
    reader = CorpusReader(root, mirror, handle, max_words)
    with options_named(f"data.corpora.{name}", settings):
        splits, beside = _splits_and_beside(reader, settings)
    vocabulary = reader.vocabulary(settings)
    malformed = tuple(str(place) for place in handle.places)
    return Corpus(name, **splits, beside=beside, files=tuple(reader.files), malformed=malformed, vocabulary=vocabulary)


def _splits_and_beside(reader: CorpusReader, settings: Mapping[str, Any]) -> tuple[dict[str, list], dict[str, list]]:
    splits = {split: reader.split(with_options_of(split, settings), split) for split in SPLITS}
    for entry in settings.get("more_train", {}).values():
        splits["train"] += reader.split(entry, SINGLE)
    beside = {key: reader.split(entry, SINGLE) for key, entry in settings.get("beside", {}).items()}
    if left_out := frozenset(settings.get("dev_documents_left_out") or ()):
        beside["dev_whole"] = splits["dev"]
        splits["dev"] = [one for one in splits["dev"] if one.identifier.rpartition(".")[0] not in left_out]
    for split in SPLITS:
        if not splits[split]:
            raise PolyprobeError(f"{settings[split]}: {split} has no sentence. Expected at least one.")
    return splits, beside


def splits_in_common(settings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Returns each two splits that have sentences of a file in common, with the file.

    Of splits whose readers have different `split_options` nothing is known: these may part the rows.
    """
    return [
        (one, other, file)
        for one, other in combinations(SPLITS, 2)
        if _overlap(with_options_of(one, settings), with_options_of(other, settings))
        for file in files_of(settings, one)
        if file in files_of(settings, other)
    ]


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    (start, end), (other_start, other_end) = one["share"], other["share"]
    return one["reader_options"] == other["reader_options"] and max(start, other_start) < min(end, other_end)


def _tell_splits_in_common(name: str, settings: Mapping[str, Any]) -> None:
    places = [f"{one} and {other} both have sentences of {file}" for one, other, file in splits_in_common(settings)]
    if places:
        _log.warning(
            "data.corpora.%s: %s. Scores on them say nothing of unseen sentences. Expected other files, or shares that "
            "do not overlap, such as shares: %s",
            *(name, "; ".join(places), _SHARES),
        )


def file_names(name: str, settings: Mapping[str, Any]) -> list[str]:
    """Returns the files of a corpus, with further files, more of train, test sets beside, vocabulary; see `place_of`.

    Raises:
        PolyprobeError: the entry lacks what it needs.
    """
    _check_entry(name, settings, SPLITS)
    parts = [(settings, split) for split in SPLITS]
    parts += [(entry, SINGLE) for entry in entries_of(settings)[1:]]
    files = chain.from_iterable(files_of(*part) for part in parts)
    further = chain.from_iterable(one.values() for part in parts for one in further_files(*part))
    return list(dict.fromkeys([*files, *further, *_vocabulary_files(settings)]))


def entries_of(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns all that has a reader of its own: the entry itself, more of train, and the test sets beside."""
    return [settings, *settings.get("more_train", {}).values(), *settings.get("beside", {}).values()]


def _check_entry(name: str, settings: Any, splits: Sequence[str]) -> None:
    """Checks that an entry of `data.corpora` names a reader and files, and further files as it should."""
    key = f"data.corpora.{name}"
    _check_part(key, settings, splits)
    if settings.get("vocabulary") is not None and not are_files(settings["vocabulary"]):
        raise BadValue(f"{key}.vocabulary", settings["vocabulary"], "a file of words, a list of such files, or null")
    for split, share in settings.get("shares", {}).items():
        check_choice(f"{key}.shares", split, SPLITS)
        _check_share(f"{key}.shares.{split}", share)
    if "split_seed" in settings:
        check_at_least(f"{key}.split_seed", settings["split_seed"], 0)
    for part in ("more_train", "beside"):
        for one, entry in settings.get(part, {}).items():
            _check_part(f"{key}.{part}.{one}", entry, [SINGLE])
            _check_share(f"{key}.{part}.{one}.share", entry.get("share", WHOLE))


def _check_part(key: str, entry: Any, splits: Sequence[str]) -> None:
    """Checks the reader, its options and the files of an entry: those of some splits, or a single one."""
    needed = ("reader", *splits)
    if not isinstance(entry, Mapping):
        raise BadValue(key, entry, f"an entry such as {{{', '.join(f'{one}: …' for one in needed)}}}")
    for one, value in entry.items():
        check_choice(key, one, _KEYS)
        if one in _GROUPS and not isinstance(value, Mapping):
            raise BadValue(f"{key}.{one}", value, f"a group of keys, such as {_GROUPS[one]}")
    if missing := [one for one in needed if entry.get(one) in (None, "", [])]:
        raise PolyprobeError(f"{key} has no {', no '.join(missing)}. Expected {', '.join(needed)}.")
    if not isinstance(entry["reader"], str):
        raise BadValue(f"{key}.reader", entry["reader"], f"the name of a function, such as {EXAMPLE}")
    for split in splits:
        if not are_files(entry[split]):
            raise BadValue(f"{key}.{split}", entry[split], "a file or a list of files")
    named = splits if SINGLE in splits else [split for split in SPLITS if split in entry]
    check_further_files(key, entry, named)
    check_reader_options(key, entry, reader_function(entry["reader"]))


def _check_share(key: str, share: Any) -> None:
    are_numbers = isinstance(share, Sequence) and all(type(one) in (int, float) for one in share)
    if not are_numbers or len(share) != 2 or not 0 <= share[0] < share[1] <= 1:
        raise BadValue(key, share, "two numbers from 0 to 1, the smaller first, such as [0, 0.85]")


def _vocabulary_files(settings: Mapping[str, Any]) -> list[str]:
    """Returns the files of words of an entry."""
    named = settings.get("vocabulary")
    return [named] if isinstance(named, str) else list(named or ())


def with_options_of(split: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Adds what distinguishes the splits of one file: `split_options` to the options of the reader, or `shares`."""
    options = {**settings.get("reader_options", {}), **settings.get("split_options", {}).get(split, {})}
    return {**settings, "reader_options": options, "share": settings.get("shares", {}).get(split, WHOLE)}


@contextmanager
def options_named(key: str, settings: Mapping[str, Any]) -> Iterator[None]:
    """Says of an option that a reader refuses under which key of the configuration it stands."""
    try:
        yield
    except (BadValue, UnknownChoice) as error:
        option = re.split(r"[ .]", str(error), maxsplit=1)[0]
        places = [place for place, name in given_options(key, settings) if name == option]
        if not places:
            raise
        raise PolyprobeError(f"{places[0]}.{error}") from error


def _with_faults_told(read: Callable[..., Iterable[Any]], name: str) -> Callable[..., Iterator[Any]]:
    """Makes a user's own reader report its faults in one line; what it yields has to be something that a task reads."""

    def reading(path: Path, **options: Any) -> Iterator[Any]:
        with faults_told(name.rpartition(".")[0], name):
            for one in read(path, **options):
                if not (isinstance(one, LabelledPair | tuple) or hasattr(one, "words")):
                    raise PolyprobeError(f"{name} yields {cut(repr(one), 60)}. Expected what others of the task yield.")
                yield one

    return reading


def _drawn_part(sentences: Sequence[Any], share: Sequence[float], seed: int) -> list[Any]:
    """Returns a part of a draw, in the order of the file; sentences, or pairs, of the same words are in one part."""
    words = [(one.premise, one.hypothesis) if isinstance(one, LabelledPair) else tuple(one.words) for one in sentences]
    counts, n_before, drawn = Counter(words), 0, set()
    different = sorted(counts)
    random.Random(derived_seed(seed, "parts of a corpus")).shuffle(different)
    for one in different:
        if share[0] <= (n_before + counts[one] / 2) / len(words) < share[1]:
            drawn.add(one)
        n_before += counts[one]
    return [sentence for sentence, one in zip(sentences, words, strict=True) if one in drawn]


def too_long(path: Path, one: Any, max_words: int | None) -> MalformedLine | None:
    """Returns the place of a sentence, or a pair with a side, of more than `max_words`; None where it is shorter."""
    if max_words is None:
        return None
    n_words = max(len(one.premise), len(one.hypothesis)) if isinstance(one, LabelledPair) else len(one.words)
    if n_words <= max_words:
        return None
    return MalformedLine(path, one.line, f"the sentence has {n_words} words", f"at most {max_words} (data.max_words)")


def malformed_handler(on_malformed: str | None, settings: Mapping[str, Any], root: Path) -> Handler:
    """Returns the treatment of malformed lines, by `data.on_malformed` and the known ones of a corpus."""
    if on_malformed is None:
        known = settings.get("known_malformed_lines", {})
        return KnownPlaces({place_of(root, settings[split]): frozenset(lines) for split, lines in known.items()})
    return handler_named(on_malformed)


def reader_function(name: str) -> Callable[..., Iterator[LabelledSentence]]:
    """Returns the function that a `reader` of `data.corpora` names: one of ours, or module.function of a user's own."""
    if is_ours(name):
        return known(READER, name, "reader")
    return object_at(name, "reader", f"a function, such as mine.read for read of mine.py, or {EXAMPLE}")


EXAMPLE = "conll2009_word_sentences"
