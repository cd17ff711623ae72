"""What a dotted name stands for, and what is built from settings."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.named import built, object_at

MINE = """
class Length:
    def __init__(self, power=1, parts=()):
        if power == 0:
            raise ValueError("a power of 0 tells nothing")
        if power < 0:
            open("absent.bin")
        self.power, self.parts = power, parts
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "mine_of_test_named.py").write_text(MINE)
    (tmp_path / "misspelt_of_test_named.py").write_text("def f(:\n")
    (tmp_path / "broken_of_test_named.py").write_text("from mine_of_test_named import Width\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.mark.parametrize(
    ("dotted", "words"),
    [
        ("mine_of_test_named.Lenght", 'has no "Lenght"\\. Did you mean Length'),
        ("not_there_at_all.Length", 'there is no module "not_there_at_all" in .*module\\.Class'),
        ("not_there.at_all.Length", 'there is no module "not_there.at_all"'),
        ("mine_of_test_named.inner.Length", 'there is no module "mine_of_test_named.inner"'),
        ("Length", 'there is no module ""'),
        (".Length", 'there is no module ""'),
        (None, 'encoder._target_="None": there is no module ""'),
        (
            "broken_of_test_named.Length",
            "broken_of_test_named cannot be imported: ImportError: cannot import name 'Width'",
        ),
        ("misspelt_of_test_named.Length", "misspelt_of_test_named cannot be imported: SyntaxError"),
    ],
)
def test_a_class_that_is_not_there_is_said(here, dotted, words):
    with pytest.raises(PolyprobeError, match=words):
        object_at(dotted, "encoder._target_")


def test_a_folder_without_the_repository_on_its_path_is_searched(here):
    script = "from polyprobe.named import object_at; object_at('mine_of_test_named.Length', 'encoder._target_')"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONSAFEPATH": "1"}
    searched = subprocess.run(
        [sys.executable, "-c", script], check=False, cwd=here, env=environment, capture_output=True, text=True
    )
    assert searched.returncode == 0, searched.stderr


def of_mine(**options) -> dict:
    return {"_target_": "mine_of_test_named.Length", **options}


def test_what_has_a_target_itself_is_built_first(here):
    parts = [of_mine(power=3), {"inner": of_mine(power=4)}, "plain"]
    one = built(of_mine(power=2, parts=parts, _convert_="all"), "encoder")
    assert (one.power, one.parts[0].power, one.parts[1]["inner"].power, one.parts[2]) == (2, 3, 4, "plain")
    assert parts[0] == of_mine(power=3)


def test_what_is_partial_waits_for_the_other_arguments(here):
    waiting = built(of_mine(power=2, _partial_=True), "task.datamodule")
    assert isinstance(waiting, partial)
    assert waiting(parts=(1,)).parts == (1,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"height": 3}, "^suite: mine_of_test_named.Length does not take these options: .*'height'"),
        ({"power": 0}, "^suite: .* cannot be built: ValueError: a power of 0 tells nothing. Check suite._target_ and"),
        ({"parts": [of_mine(height=3)]}, "^suite.parts: .* does not take these options"),
    ],
)
def test_options_that_are_not_taken_are_said_with_their_key(here, options, words):
    with pytest.raises(PolyprobeError, match=words):
        built(of_mine(**options), "suite")


@pytest.mark.parametrize("dotted", ["os.system", "subprocess.Popen", "yaml.load", "polyprobe.named.Path", "sys.path"])
def test_nothing_of_pythons_own_library_is_built(here, dotted):
    with pytest.raises(PolyprobeError, match=f'suite._target_="{dotted}" cannot be built'):
        built({"_target_": dotted, "command": "touch it-ran"}, "suite")
    assert not (here / "it-ran").exists()
