"""python generate.py as a user runs it."""

import pytest

from tests.commands.forked import run_script

HENS = "vary: V[]\nS[] the hen V[s]\nV[s] eats | walks\nV[p] eat | walk\n"


@pytest.fixture
def grammar(tmp_path):
    path = tmp_path / "hens.avg"
    path.write_text(HENS)
    return path


def test_a_grammar_of_ones_own_becomes_a_file_of_sets(grammar, work):
    done = run_script("generate", "suite=own", f"grammar={grammar}", "end_of_sentence=.", f"paths.work={work}")
    assert done.returncode == 0, done.stderr
    assert ["hens", "1", "2", "4", "0", "0"] in [line.split() for line in done.stdout.splitlines()]
    (sets,) = work.rglob("hens.txt")
    assert str(sets.parent) in done.stdout
    assert sets.read_text().splitlines()[:2] == ["True\tthe hen eats .", "False\tthe hen eat ."]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["grammer=x"], 2, "Did you mean grammar"),
        (["suite=clam"], 2, 'suite "clam" is unknown. Did you mean clams?'),
        (["suite=own", "grammar=absent.avg"], 1, "absent.avg is not there"),
    ],
)
def test_a_mistake_is_told_in_a_paragraph(work, arguments, code, words):
    done = run_script("generate", *arguments, f"paths.work={work}")
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not work.exists()
