"""python generate.py as a user runs it."""

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import with_mini
from tests.generation import syllabified
from tests.generation.type_tests.lexica import write_lexicon

HENS = "vary: V[]\nS[] the hen V[s]\nV[s] eats | walks\nV[p] eat | walk\n"


@pytest.fixture
def grammar(tmp_path):
    path = tmp_path / "hens.avg"
    path.write_text(HENS)
    return path


def test_a_grammar_of_ones_own_becomes_a_file_of_sets(grammar, work):
    done = run_script(
        "generate", "suite=own", f"grammar={grammar}", "end_of_sentence=.", f"paths.work={work}", "report=true"
    )
    assert done.returncode == 0, done.stderr
    assert len(list(work.rglob("report.html"))) == 1
    assert ["hens", "1", "2", "4", "0", "0"] in [line.split() for line in done.stdout.splitlines()]
    (sets,) = work.rglob("hens.txt")
    (config,) = work.rglob("config.yaml")
    assert "code: und" in config.read_text()
    assert str(sets.parent) in done.stdout
    assert sets.read_text().splitlines()[:2] == ["True\tthe hen eats .", "False\tthe hen eat ."]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["grammer=x"], 2, "Did you mean grammar"),
        (["suite=clams", "report=yes please"], 1, "report must be true or false"),
        (["lang=quz"], 2, "Of your own files (data=, suite=own, made_from.…=) any code will do"),
        (["lang=quz", "suite=own"], 1, "grammar must be a file or a folder with suite=own"),
        (["lang=english", "suite=own", "grammar=hens.avg"], 2, "Did you mean lang=en (English)?"),
        (["suite=own", "grammar=absent.avg"], 1, "absent.avg is not there"),
        (["suite=senteval"], 1, "linspector_type, linspector_token, sentences"),
        (["suite=linspector_type", "lang=ja"], 1, "made_from.unimorph"),
        (["suite=linspector_type", "lang=tr", "made_from.unimorph=absent.txt"], 1, "absent.txt is missing"),
    ],
)
def test_a_mistake_is_told_in_a_paragraph(work, arguments, code, words):
    done = run_script("generate", *arguments, f"paths.work={work}")
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not work.exists()


def test_type_level_tests_are_made_from_a_lexicon_and_read_by_the_suite_of_ones_own(tmp_path, work):
    unimorph, words = write_lexicon(tmp_path, lemmas=40)
    lexicon = [f"made_from.unimorph={unimorph}", f"made_from.frequency={words}", f"paths.work={work}"]
    arguments = ["suite=linspector_type", *lexicon, "tests=[Case,Mood,OddFeat]", "type_level.sizes=scaled"]
    done = run_script("generate", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Mood: 1 label left (Indicative)" in done.stdout
    (run,) = (work / "runs/generate").iterdir()
    assert sorted(path.name for path in (run / "sets").iterdir()) == ["Case", "OddFeat"]
    rows = (run / "sets/Case/train.txt").read_text(encoding="utf-8").splitlines()
    assert next(line for line in done.stdout.splitlines() if line.split()[:1] == ["Case"]).split()[2] == str(
        len({row.split("\t")[1] for row in rows})
    )
    again = run_script("generate", *arguments)
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.splitlines()[1:] == done.stdout.splitlines()  # below a line that says that it is finished
    own = ["suite=own", f"suite.path={run / 'sets'}", "suite.format=linspector", "suite.level=type", "list=true"]
    listed = run_script("probe", *own, f"paths.work={work}")
    assert {"Case", "OddFeat"} <= set(listed.stdout.split()), listed.stdout + listed.stderr


def test_pseudowords_are_made_from_a_lexicon_and_read_by_the_suite_of_ones_own(mini_folder, tmp_path, work):
    with_mini(mini_folder, work)
    lexicon = syllabified.write_lexicon(tmp_path / "lexicon.txt", syllabified.rule_made_words(420))
    arguments = ["suite=pseudowords", f"made_from.syllables={lexicon}", "pseudowords.sizes=scaled"]
    done = run_script("generate", *arguments, f"paths.work={work}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert next(line.split()[1] for line in done.stdout.splitlines() if line.split()[:1] == ["Pseudo"]) == "800"
    (run,) = (work / "runs/generate").iterdir()
    assert sorted(path.name for path in (run / "sets").iterdir()) == ["Pseudo", "pseudowords.tsv"]
    own = ["suite=own", f"suite.path={run / 'sets'}", "suite.format=linspector", "suite.level=type", "list=true"]
    listed = run_script("probe", *own, f"paths.work={work}")
    assert "Pseudo" in listed.stdout.split(), listed.stdout + listed.stderr


def test_a_lexicon_too_small_for_the_test_has_its_list_of_pseudowords(mini_folder, tmp_path, work):
    with_mini(mini_folder, work)
    lexicon = syllabified.write_lexicon(tmp_path / "lexicon.txt", syllabified.rule_made_words(90))
    arguments = ["suite=pseudowords", "pseudowords.sizes=scaled", f"made_from.syllables={lexicon}"]
    done = run_script("generate", *arguments, f"paths.work={work}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(minimum 300). pseudowords.tsv lists the" in " ".join(done.stdout.split())
    (run,) = (work / "runs/generate").iterdir()
    assert [path.name for path in (run / "sets").iterdir()] == ["pseudowords.tsv"]


def test_a_suite_that_is_made_is_not_probed_by_its_name(work):
    done = run_script("probe", "suite=pseudowords", f"paths.work={work}")
    assert done.returncode == 1
    assert "generate.py suite=pseudowords lang=" in done.stderr
    assert "suite.format=linspector suite.level=type" in done.stderr
