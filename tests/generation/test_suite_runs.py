"""What all suites of made tests ask of a configuration and of their files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyprobe.analysis.tables.made_sets import tables_of_tests
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import Skipped
from polyprobe.generation.door import making_settings
from polyprobe.generation.made_tests.writing import write_test
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.generation.sentence_tests.sentence_splits import write_sentence_test
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.run_record import DamagedRun
from polyprobe.splits import SPLITS
from tests.generation.given_tests import GivenTests, run_of

GROUPS = {key: {} for key in ("made_from", "token_level", "pseudowords", "sentence_level")}
GOOD = {
    "seed": 1,
    "tests": None,
    "suite": {"path": None},
    "grammar": None,
    "choices": {"suite": "linspector_type"},
    "lang": {"code": "xx"},
    "rules": "article",
    "on_malformed": "refuse",
    "dotless_i": False,
    "paths": {"data": "data", "work": ".", "mirror": None},
    **GROUPS,
    "type_level": {"decoding": {"prox": None}, "items": {"train": 210, "dev": 60, "test": 30}},
}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("seed", -1, "seed must be an integer of at least 0"),
        ("tests", [], "tests must be a list"),
    ],
)
def test_a_key_out_of_its_range_is_refused(key, value, words):
    making_settings(GOOD)
    making_settings({**GOOD, "tests": ["Case", "Mood"]})
    with pytest.raises(BadValue, match=words):
        making_settings({**GOOD, key: value})


def made(
    folder: Path, *paths: Path, tests: Callable[[Path], Iterator[Written | LeftOut]] = lambda _: iter(())
) -> RunDirectory:
    """Returns the run that makes tests, none unless they are given, from these files."""
    config = {**GOOD, "paths": {"data": str(folder), "work": str(folder / "work")}}
    return run_of(making_settings(config), GivenTests(paths, tests))


def digests(folder: Path, *paths: Path) -> tuple[str, dict[str, str]]:
    """Makes no test of these files; returns the name of the run and the digests that it records."""
    run = made(folder, *paths)
    return run.name, run.record()["data"]


def test_two_files_of_one_name_are_told_apart(tmp_path):
    one, other = tmp_path / "one/um/tur.txt", tmp_path / "other/um/tur.txt"
    for path, text in ((one, "a"), (other, "b")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    before, data = digests(tmp_path, one, other)
    assert set(data) == {str(one), str(other)}
    one.write_text("c")
    after, _ = digests(tmp_path, one, other)
    assert before != after
    with pytest.raises(PolyprobeError, match="made_from has a file twice"):
        digests(tmp_path, one, one)


def is_cut_off(sets: Path) -> Iterator[Written | LeftOut]:
    sets.mkdir()
    (sets / "Case.txt").write_text("")
    raise PolyprobeError("the disk is full")


@pytest.mark.parametrize("is_finished", [True, False])
def test_a_run_goes_on_with_files_that_were_moved_or_renamed(is_finished, tmp_path):
    names = ("um/tur.txt", "um/copy.txt", "new/lexicon.txt", "new/other.txt")
    tur, copy, moved, other = paths = [tmp_path / name for name in names]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("a")
    if is_finished:
        begun = made(tmp_path, tur, copy)
    else:
        with pytest.raises(PolyprobeError, match="the disk is full"):
            made(tmp_path, tur, copy, tests=is_cut_off)
        (begun,) = map(RunDirectory, (tmp_path / "work/runs/generate").iterdir())
    assert begun.is_finished == is_finished
    finished = made(tmp_path, moved, other)
    assert finished.path == begun.path
    assert finished.is_finished
    assert set(finished.record()["data"]) == {"um/tur.txt", "um/copy.txt"}


def in_a_folder(sets: Path) -> Iterator[Written]:
    write_test(sets / "Case", {split: [("ev", "A"), ("at", "B")] for split in SPLITS}, [], {})
    yield Written("Case", {})


def in_a_file(sets: Path) -> Iterator[Written]:
    write_sentence_test(sets, "Tense", {split: [("ev", "A"), ("at", "B")] for split in SPLITS}, [], {})
    yield Written("Tense", {})


@pytest.mark.parametrize(("tests", "name"), [(in_a_folder, "Case/dev.txt"), (in_a_file, "Tense.txt")])
def test_rows_of_a_finished_run_that_changed_are_refused_and_missing_ones_made_again(tests, name, tmp_path):
    source = tmp_path / "lexicon.txt"
    source.write_text("a")
    file = made(tmp_path, source, tests=tests).sets / name
    rows = file.read_bytes()
    file.unlink()
    made(tmp_path, source, tests=tests)
    assert file.read_bytes() == rows
    file.write_bytes(rows + b"\n")
    with pytest.raises(DamagedRun, match=rf"{name}: its SHA-256 is .* Remove the run's results\.jsonl"):
        made(tmp_path, source, tests=tests)
    (file.parents[len(Path(name).parts)] / "results.jsonl").unlink()
    made(tmp_path, source, tests=tests)
    assert file.read_bytes() == rows


def test_the_record_counts_malformed_rows_and_the_report_says_them(tmp_path):
    (tmp_path / "tur.txt").write_text("a")
    skipped = Skipped()

    def tests(sets: Path) -> Iterator[Written]:
        for line in range(1, 1338):
            skipped(MalformedLine("tur.txt", line, "the row has 1 column", "3"))
        yield from in_a_folder(sets)

    config = {**GOOD, "lang": {"code": "xx"}, "paths": {"data": str(tmp_path), "work": str(tmp_path / "work")}}
    record = run_of(making_settings(config), GivenTests([tmp_path / "tur.txt"], tests, skipped)).record()
    assert record["malformed_rows_left_out"] == 1337
    *_, sources = tables_of_tests({**record, "tests": {}})
    assert list(sources.notes) == ["Malformed rows skipped: 1,337."]
