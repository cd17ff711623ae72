"""The published grammars give the published sets byte for byte; the cases of their language give what they should."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.grammars.avg import grammar_files, read
from polyprobe.formats.minimal_sets.clams import read_published
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.grammars.sentences import classic_blocks, minimal_sets, patterns, warn
from tests.formats.written_units import published_lines

pytestmark = pytest.mark.real_data


def classic_lines(path):
    grammar = read(path)
    templates = patterns(grammar)
    warn(grammar, templates)
    return [line for block in classic_blocks(templates) for line in block.removesuffix("\n").split("\n")]


def published(data_folder):
    grammars = [
        file for lang in ("de", "fr", "he", "ru") for file in grammar_files(data_folder / "clams/grammars" / lang)
    ]
    assert len(grammars) == 28
    return [(file, data_folder / "clams/eval" / file.parent.name / f"{file.stem}.txt") for file in grammars]


def test_every_published_set_is_generated_byte_for_byte(data_folder):
    for grammar, sets in published(data_folder):
        made = "".join(classic_blocks(patterns(read(grammar))))
        assert made.encode() == sets.read_bytes(), grammar


def test_published_sets_are_read_as_the_sets_of_their_grammars(data_folder):
    for grammar, sets in published(data_folder):
        read_back = read_published(sets, refuse)
        for made, found in zip(minimal_sets(patterns(read(grammar))), read_back, strict=True):
            assert [one.sentence for one in made.variants] == [one.sentence for one in found.variants]
            (start, end), slot = made.focus[0], made.grammatical.positions[0]
            assert slot <= start < end <= slot + made.grammatical.forms[0].count(" ") + 1


def test_every_published_english_set_is_read_and_written_byte_for_byte(data_folder):
    files = sorted((data_folder / "clams/eval/en").glob("*.txt"))
    assert len(files) == 22
    for file in files:
        lines = "\n".join(published_lines(read_published(file, refuse)))
        assert lines.encode() == file.read_bytes(), file


def test_every_case_of_the_grammar_language_gives_what_it_should(data_folder):
    cases = sorted((data_folder / "avg_cases").glob("*.avg"))
    assert len(cases) == 43
    for case in cases:
        wanted, released, error = (case.with_suffix(f".{kind}.txt") for kind in ("want", "expected", "error"))
        if error.is_file() and not wanted.is_file():
            with pytest.raises(PolyprobeError, match=case.name):
                classic_lines(case)
        else:
            target = wanted if wanted.is_file() else released
            assert "".join(line + "\n" for line in classic_lines(case)) == target.read_text(encoding="utf-8"), case
