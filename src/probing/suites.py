"""Suites of probing tests: which tests a language has, which of their files are here, and the tests themselves."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.formats.errors import PolyprobeError, UnknownChoice
from src.formats.items import Form, Item, TokenInContext
from src.formats.linspector_probing import FormPairRow, FormRow, TokenRow, read_form_pairs, read_forms, read_tokens
from src.formats.malformed import OnMalformed
from src.resources.download import ensure
from src.resources.table import available_targets

SPLITS = ("train", "dev", "test")
LEVELS = ("type", "token")


@dataclass(frozen=True, slots=True)
class Examples:
    """One split of a test.

    Attributes:
        items: for each example its items: one, or two for a pair test.
        label_ids: positions in the test's `labels`.
        lines: of the file, from 1.
    """

    items: tuple[tuple[Item, ...], ...]
    label_ids: tuple[int, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProbingTest:
    """One classification data set, already split; it knows no vectors.

    Attributes:
        name: as in the published tables ("POS").
        version: 16 hexadecimal digits of the SHA-256 of its three files.
        labels: all that occur in any split, sorted: a label of dev or test may be unseen in train.
        train, dev, test: the splits.
    """

    name: str
    version: str
    labels: tuple[str, ...]
    train: Examples
    dev: Examples
    test: Examples


@dataclass(frozen=True, slots=True)
class TestStatus:
    """What is known of a test without reading it.

    Attributes:
        name: as in the published tables.
        state: "present" (all files are in the data folder), "downloadable" (the others can be fetched) or "missing".
        sizes: rows of each split whose file is present.
        absent: files that are not there, relative to the data folder.
    """

    __test__ = False  # pytest would collect the class by its name

    name: str
    state: str
    sizes: Mapping[str, int]
    absent: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """A named group of tests, as `conf/suite/*.yaml` describes it.

    Attributes:
        name: of the suite.
        source: the key of a language's configuration under which it names the language's folder for each level.
        level: "type" (forms) or "token" (words in sentences).
        files: pattern of the paths below the data folder, with `{level}`, `{language}`, `{test}` and `{split}`.
        tests: all names that any language may have, in the order of the published tables.
        pairs: tests whose examples are two forms.
        folders: folder of a test that is not named as the test.
        lowercase: what encoders of words do with capitals, see `case_rule`.
    """

    name: str
    source: str
    level: str
    files: str
    tests: Sequence[str]
    pairs: Sequence[str]
    folders: Mapping[str, str]
    lowercase: bool | str

    def __post_init__(self):
        if self.level not in LEVELS:
            raise UnknownChoice("suite.level", self.level, LEVELS)

    def targets(self, language: Mapping[str, Any], test: str) -> dict[str, str]:
        """Gives the path of each split's file, relative to the data folder.

        Raises:
            PolyprobeError: the language's configuration does not name its folder for this suite.
        """
        folder = (language.get(self.source) or {}).get(self.level)
        if folder is None:
            raise PolyprobeError(
                f"lang={language['code']} has no tests of suite={self.name}. Expected its file in conf/lang to name "
                f"its folder under {self.source}.{self.level}."
            )
        named = {"level": self.level, "language": folder, "test": self.folders.get(test, test)}
        return {split: self.files.format(split=split, **named) for split in SPLITS}


def available_tests(suite: Suite, language: Mapping[str, Any], root: Path) -> list[TestStatus]:
    """Lists the tests of a language in the suite's order: those with a file here or one that can be fetched.

    Args:
        suite: whose tests.
        language: the content of `conf/lang/<code>.yaml`.
        root: the data folder.

    Raises:
        PolyprobeError: the language has no test of this suite.
    """
    statuses = [_status(name, suite.targets(language, name), root) for name in suite.tests]
    statuses = [status for status in statuses if status is not None]
    if not statuses:
        folder = Path(suite.targets(language, suite.tests[0])["train"]).parents[1]
        raise PolyprobeError(
            f"lang={language['code']} has no tests of suite={suite.name}: nothing is in {root / folder}, and nothing "
            "there can be fetched. Expected a folder for each test with train.txt, dev.txt and test.txt."
        )
    return statuses


def chosen_tests(statuses: Sequence[TestStatus], names: Sequence[str] | None) -> list[str]:
    """Gives the names to probe with: those asked for, in that order, or all.

    Raises:
        UnknownChoice: the language has no test of that name.
    """
    known = [status.name for status in statuses]
    if names is None:
        return known
    for name in names:
        if name not in known:
            raise UnknownChoice("test", name, known)
    return list(dict.fromkeys(names))


def load_test(
    suite: Suite, language: Mapping[str, Any], name: str, root: Path, mirror: str | None, on_malformed: OnMalformed
) -> ProbingTest:
    """Reads a test; files that are not in the data folder are fetched into it.

    Args:
        suite, language, root: see `available_tests`.
        name: of the test.
        mirror: another address to fetch from, or None.
        on_malformed: called with every bad line; the line is left out unless it raises.

    Raises:
        MalformedLine: a file is empty, or whatever `on_malformed` raises.
        PolyprobeError: a file is missing and cannot be fetched, or no row of a split is left.
    """
    paths = {split: ensure(root, target, mirror) for split, target in suite.targets(language, name).items()}
    read = _reader(suite, name)
    rows = {split: tuple(read(path, on_malformed)) for split, path in paths.items()}
    for split, path in paths.items():
        if not rows[split]:
            raise PolyprobeError(f"{path} has no row that can be read. Expected at least one in each split.")
    labels = tuple(sorted({row.label for split in SPLITS for row in rows[split]}))
    splits = {split: _examples(rows[split], labels) for split in SPLITS}
    return ProbingTest(name=name, version=_version(paths.values()), labels=labels, **splits)


def _status(name: str, targets: Mapping[str, str], root: Path) -> TestStatus | None:
    sizes = {split: _line_count(root / target) for split, target in targets.items() if (root / target).is_file()}
    absent = tuple(target for split, target in targets.items() if split not in sizes)
    can_be_fetched = frozenset(available_targets(str(Path(targets["train"]).parent) + "/")) if absent else frozenset()
    if not sizes and not can_be_fetched:
        return None
    state = "missing" if set(absent) - can_be_fetched else "downloadable" if absent else "present"
    return TestStatus(name=name, state=state, sizes=sizes, absent=absent)


def _line_count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _reader(suite: Suite, test: str) -> Callable:
    if suite.level == "token":
        return read_tokens
    return read_form_pairs if test in suite.pairs else read_forms


def _examples(rows: Sequence[FormRow | FormPairRow | TokenRow], labels: Sequence[str]) -> Examples:
    label_ids = {label: number for number, label in enumerate(labels)}
    return Examples(
        items=tuple(_items(row) for row in rows),
        label_ids=tuple(label_ids[row.label] for row in rows),
        lines=tuple(row.line for row in rows),
    )


def _items(row: FormRow | FormPairRow | TokenRow) -> tuple[Item, ...]:
    if isinstance(row, FormRow):
        return (Form(row.form),)
    if isinstance(row, FormPairRow):
        return (Form(row.first), Form(row.second))
    return (TokenInContext(tuple(row.words), row.index),)


def _version(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
