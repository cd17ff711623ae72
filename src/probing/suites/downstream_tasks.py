"""SentEval's downstream tasks: which files belong to which, what is done with their rows, and the tasks themselves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from polyprobe.display.shown import plural
from polyprobe.errors import Impossible, PolyprobeError, check_choice, distinct_choices
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.probing_sets.downstream import DownstreamItem, as_shown_by_cat, read
from polyprobe.formats.reading.case import Lowercase
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.reading.tokenised import penn_words, tokeniser, words_of
from polyprobe.probing.suites.availability import TestStatus
from polyprobe.resources.download import ensure

Words = Callable[[str], tuple[str, ...]]


def without_quotes(sentence: str) -> tuple[str, ...]:
    """Deletes apostrophes and backquotes, then splits at blanks (TREC).

    >>> without_quotes("What is `` a bee 's '' knee ?")
    ('What', 'is', 'a', 'bee', 's', 'knee', '?')
    """
    return words_of(sentence.replace("'", "").replace("`", ""))


def moses(sentence: str) -> tuple[str, ...]:
    """Cuts as `tokenizer.perl -l en -no-escape` (SICK)."""
    return tokeniser("moses", "en")(sentence)


def moses_lower(sentence: str) -> tuple[str, ...]:
    """Cuts as `moses` and lower-cases (STS)."""
    return tuple(word.lower() for word in moses(sentence))


WORDS: dict[str, Words] = {
    "blanks": words_of,
    "penn": penn_words,
    "moses": moses,
    "moses_lower": moses_lower,
    "without_quotes": without_quotes,
}


FORMAT = "downstream"
CORRECTED, RELEASED = "corrected", "released"
_SICK_SETS = {"train": "TRAIN", "dev": "TRIAL", "test": "TEST"}
_FILLER = (".",)  # what the toolkit's example encoders put in the place of a sentence without words
_RELEASED_SCORES = (1, 5)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """One task, as `conf/suite/senteval_downstream.yaml` describes it."""

    fit: str
    """How it is scored, by the parts that its items come in: nested_folds (all), folds_then_test (train, test), split
    or regression (train, dev, test), cosine (any)."""
    features: Sequence[str]
    """Of first, second, difference and product, in the order in which they are joined; none where nothing is fitted."""
    reader: str
    """One of `polyprobe.formats.probing_sets.downstream.READERS`."""
    words: str
    """One of `WORDS`."""
    encoding: str
    """Of the files of `sentences` and `questions`."""
    labels: Sequence[str] | None
    """All that there are, in the order of their ids; of `sentences`, in the order of the files."""
    scores: Sequence[int] | None
    """The lowest and the highest; None for a task with labels."""
    files: Mapping[str, Sequence[str]]
    """Paths below the data folder, by part; of `cosine` by data set."""

    @property
    def targets(self) -> tuple[str, ...]:
        """All files, each once, relative to the data folder."""
        return tuple(dict.fromkeys(chain.from_iterable(self.files.values())))


@dataclass(frozen=True, slots=True)
class DownstreamSuite:
    """The tasks; `downstream_suite` makes them from a file of conf/suite."""

    name: str
    format: str
    """What tells this kind of suite from others, `FORMAT`."""
    tasks: Mapping[str, TaskSettings]
    """Settings by name, in the order of the published table."""
    languages: Sequence[str]
    """Codes of those there are."""
    cut_by: str | None
    """One of `WORDS`, for all tasks; None: as each task says."""
    folds: int
    inner_folds: int
    dev_share: float
    folds_seed: int
    """See `polyprobe.probing.downstream.cross_validation.FitSettings`."""
    classifier: Mapping[str, Any]
    """The arguments of a `GridProbe`."""
    regression: Mapping[str, Any]
    """The fields of a `ProbeSpec`."""
    level: str
    """Of the items: sentence; what the files of conf/encoder read."""
    lowercase: Lowercase
    """What encoders of words do with capitals: true, python or false."""


def downstream_suite(
    tasks: Mapping[str, Mapping[str, Any]], cut_by: str | None, **others: Annotated[Any, DownstreamSuite]
) -> DownstreamSuite:
    """Makes the suite that a file of conf/suite describes.

    Args:
        tasks: the fields of each `TaskSettings`, by name.
        cut_by: one of `WORDS` in the place of every task's own; None: as each task says.
        others: the other fields of `DownstreamSuite`.

    Raises:
        UnknownChoice: a word of the settings is none of the known ones.
    """
    if cut_by is not None:
        check_choice("suite.cut_by", cut_by, WORDS)
    settings = {name: TaskSettings(**{**one, "words": cut_by or one["words"]}) for name, one in tasks.items()}
    return DownstreamSuite(tasks=settings, cut_by=cut_by, **others)


@dataclass(frozen=True, slots=True)
class DownstreamTask:
    """One task, read; it knows no vectors."""

    name: str
    """As in the published tables ("SICK-E")."""
    version: str
    """16 hexadecimal digits that follow its files."""
    settings: TaskSettings
    """What is fitted to it, on which features."""
    parts: Mapping[str, tuple[DownstreamItem, ...]]
    """Its items with words and a label, by part or data set."""
    note: str
    """What was done with rows, in words; "" where nothing was."""
    files: tuple[Path, ...]

    @property
    def items(self) -> tuple[DownstreamItem, ...]:
        """The items of all parts, in their order."""
        return tuple(chain.from_iterable(self.parts.values()))


def available_tasks(suite: DownstreamSuite, language: Mapping[str, Any], root: Path) -> list[TestStatus]:
    """Lists the tasks with their files; those that are not here and cannot be fetched, too.

    Args:
        language: the settings of `lang=<code>`.
    """
    if language["code"] not in suite.languages:
        expected = " or ".join(f"lang={known}" for known in suite.languages)
        raise Impossible(f"suite={suite.name} has no tasks in lang={language['code']}. Expected {expected}.")
    statuses = [TestStatus.of(name, settings.targets, root, {}) for name, settings in suite.tasks.items()]
    if all(status.state == "missing" for status in statuses):
        first = next(iter(suite.tasks.values())).targets[0]
        raise Impossible(
            f"suite={suite.name}: no task has all its files below {root}, and they cannot be fetched. Expected "
            f"{first} and others; conf/suite/{suite.name}.yaml names them."
        )
    return statuses


def chosen_tasks(statuses: Sequence[TestStatus], names: Sequence[str] | None) -> list[str]:
    """Returns the names to score: the requested ones, in that order, or all that have their files."""
    if names is None:
        return [status.name for status in statuses if not status.missing]
    by_name = {status.name: status for status in statuses}
    names = distinct_choices("test", names, by_name)
    for status in (by_name[name] for name in names):
        if status.missing:
            raise PolyprobeError(f"{status.name} lacks {', '.join(status.absent)}, which cannot be fetched.")
    return names


def files_of_task(settings: TaskSettings, root: Path, mirror: str | None) -> dict[str, Path]:
    """Returns the path of each file of a task, by its target, after fetching those that are missing."""
    return {target: ensure(root, target, mirror) for target in settings.targets}


def load_task(
    suite: DownstreamSuite, name: str, root: Path, mirror: str | None, protocol: str, on_malformed: OnMalformed
) -> DownstreamTask:
    """Reads a task; files that are not in the data folder are fetched into it.

    Args:
        mirror: another address to fetch from, or None.
        protocol: "corrected", or "released": blank lines are items with the word ".", characters beyond ASCII of
            the tasks cut by `penn` are what `cat -v` makes of them, and all regressions have scores of 1 to 5.
        on_malformed: called with every bad line; the line is left out unless it raises.
    """
    settings = suite.tasks[name]
    if protocol == RELEASED and settings.fit == "regression":
        settings = replace(settings, scores=_RELEASED_SCORES)
    paths = files_of_task(settings, root, mirror)
    found = {part: list(_read(settings, part, paths, protocol, on_malformed)) for part in settings.files}
    parts = {part: tuple(_kept(items, protocol)) for part, items in found.items()}
    for part, items in parts.items():
        if not items:
            where = ", ".join(str(paths[target]) for target in settings.files[part])
            raise PolyprobeError(f"{where}: no item of {part} of {name} can be read. Expected at least one.")
    version = content_version(dict.fromkeys(paths.values()))
    return DownstreamTask(name, version, settings, parts, _note(found, protocol), tuple(paths.values()))


def _read(
    settings: TaskSettings, part: str, paths: Mapping[str, Path], protocol: str, on_malformed: OnMalformed
) -> Iterator[DownstreamItem]:
    words, encoding = WORDS[settings.words], "utf-8"
    if settings.reader in ("sentences", "questions"):
        encoding = settings.encoding
    if settings.reader == "sentences" and protocol == RELEASED:
        words, encoding = lambda sentence: WORDS[settings.words](as_shown_by_cat(sentence)), "latin-1"
    known, of_set = settings.labels or (), _SICK_SETS.get(part)
    for place, target in enumerate(settings.files[part]):
        labels = known[place : place + 1] if settings.reader == "sentences" else known
        yield from read(settings.reader, paths[target], on_malformed, words, encoding, labels, of_set)


def _kept(items: Sequence[DownstreamItem], protocol: str) -> Iterator[DownstreamItem]:
    for item in items:
        if item.label is None:
            continue
        if all(item.sentences):
            yield item
        elif protocol == RELEASED:
            yield replace(item, sentences=tuple(words or _FILLER for words in item.sentences))


def _note(read: Mapping[str, Sequence[DownstreamItem]], protocol: str) -> str:
    items = list(chain.from_iterable(read.values()))
    n_blank = sum(not all(item.sentences) for item in items)
    n_unscored = sum(item.label is None for item in items)
    notes = []
    if n_blank:
        done = "are items with the word ." if protocol == RELEASED else "left out"
        notes.append(f"{plural(n_blank, 'blank line')} {done}")
    if n_unscored:
        notes.append(f"{plural(n_unscored, 'pair')} without a score left out")
    return "; ".join(notes)
