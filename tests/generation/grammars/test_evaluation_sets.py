"""The job behind generate.py: what is written, what is said of it, what is refused before anything is written."""

import json
import re

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.formats.minimal_sets import json_sets
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.door import grammar_settings
from polyprobe.generation.grammars.evaluation_sets import GrammarStudy
from polyprobe.runs.command.script import CONF
from polyprobe.runs.study import done

HENS = "vary: V[]\nS[] the N[s] V[s]\nN[s] hen | cow\nV[s] eats | is old\nV[p] eat | are old\n"


@pytest.fixture(scope="module")
def as_shipped():
    """The configuration of the command, for each suite."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        suites = {suite: compose("generate", [f"suite={suite}"]) for suite in ("own", "clams", "senteval")}
    plain = {suite: OmegaConf.to_container(config, resolve=True) for suite, config in suites.items()}
    return {suite: {**config, "choices": {"suite": suite}} for suite, config in plain.items()}


@pytest.fixture
def made(as_shipped, work, tmp_path):
    """Runs the job with some options on a grammar, or on a data folder that has it for English."""

    def run(text, suite="own", lang="en", words_of_run=None, **options):
        file = tmp_path / "clams/grammars/en/hens.avg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        given = {"lang": {"code": lang, "generator": None}, "grammar": str(file) if suite == "own" else None}
        paths = {"work": str(work), "data": str(tmp_path), "mirror": None}
        settings = grammar_settings({**as_shipped[suite], **given, "paths": paths, **options})
        return done(GrammarStudy(settings, words_of_run))

    return run


def text_of(run, name="hens.txt"):
    return (run.path / "sets" / name).read_text(encoding="utf-8")


def test_sets_are_written_as_published_and_counted(made):
    run = made(HENS, suite="clams")
    assert run.name.startswith("clams-en-")
    assert text_of(run).splitlines()[:3] == ["True\tthe hen eats", "False\tthe hen eat", "True\tthe hen is old"]
    counts = {"n_templates": 1, "n_sets": 4, "n_sentences": 8, "n_alone": 0, "n_identical": 0}
    assert run.record()["constructions"] == {"hens": counts}
    assert run.record()["status"] == "finished"
    assert "hens.avg" in run.record()["data"]


def test_capitals_and_full_stops_are_options_and_another_run(made):
    plain, prepared = made(HENS), made(HENS, capitalise=True, end_of_sentence=".")
    assert plain.name != prepared.name
    assert text_of(prepared).splitlines()[-1] == "False\tThe cow are old ."


def test_json_lines_keep_what_the_grammar_knows(made):
    run = made(HENS, format="json_lines")
    last = list(json_sets.read(run.path / "sets/hens.jsonl", refuse))[-1]
    assert (last.template, last.lexemes) == (2, ("cow", "is old"))
    assert json.loads(text_of(run, "hens.jsonl").splitlines()[-1])["positions"] == [2]


def test_the_same_command_finds_its_run_and_a_changed_grammar_makes_another(made, capsys):
    first = made(HENS)
    written = (first.path / "sets/hens.txt").stat().st_mtime_ns
    assert made(HENS).path == first.path
    assert "is finished" in capsys.readouterr().out
    assert (first.path / "sets/hens.txt").stat().st_mtime_ns == written
    assert made(HENS.replace("cow", "ewe")).path != first.path


def test_a_set_that_was_lost_is_made_again(made):
    first = made(HENS)
    (first.path / "sets/hens.txt").unlink()
    assert text_of(made(HENS)).count("\n") == 8


def test_a_vocabulary_tells_which_sets_its_words_cost(made, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("the\nhen\neats\neat\nis\nold\n")
    run = made(HENS, check_vocabulary=str(words))
    assert run.record()["missing"] == {"hens": {"focus": 2, "other": 2, "any": 3}}
    assert run.missing_words.read_text().splitlines() == [
        "construction\tword\tpreterminals\tlines\tfocus\tsets",
        "hens\tcow\tN\thens.avg:3\tother\t2",
        "hens\tare\tV\thens.avg:5\tfocus\t2",
    ]


def test_the_words_of_a_language_model_are_checked_by_the_folder_of_its_run(made, tmp_path):
    folder = tmp_path / "lm-run"
    folder.mkdir()
    asked = {"check_vocabulary": str(folder)}
    run = made(HENS, words_of_run=lambda path: ("the", "hen", "eats", "eat") if path == folder else (), **asked)
    assert run.record()["missing"] == {"hens": {"focus": 2, "other": 2, "any": 3}}
    assert made(HENS, words_of_run=lambda path: ("the",), **asked).path != run.path


def test_capitals_count_when_a_vocabulary_is_checked(made, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("The\nhen\ncow\neats\neat\nis\nare\nold")
    assert made(HENS, capitalise=True, check_vocabulary=str(words)).record()["missing"]["hens"]["any"] == 0
    assert made(HENS, check_vocabulary=str(words)).record()["missing"]["hens"]["any"] == 4


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (HENS.replace("vary: V[]\n", ""), {}, "hens.avg: the grammar has no vary statement"),
        (HENS.replace("V[s] eats", "V[s] eats |"), {}, "hens.avg, line 4: empty alternative"),
        (HENS, {"end_of_sentence": ". ."}, "end_of_sentence must be one word"),
        (HENS, {"grammar": None}, "grammar must be a file or a folder"),
        (HENS, {"grammar": f"{__file__}/no"}, f"{__file__}/no is not there"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_written(made, work, text, options, words):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        made(text, **options)
    assert not work.exists()


def test_a_language_without_grammars_names_those_that_have_some(made):
    with pytest.raises(PolyprobeError, match="published for de, fr, he, ru; lang=mini has its own"):
        made(HENS, suite="clams", lang="fi")
