"""`--help` prints a page of examples, the choices of a group, or the file of a choice; nothing heavy is imported."""

import re
import subprocess
import sys

import pytest

from polyprobe.runs.command.compose import composing
from polyprobe.runs.command.help import first_comment, help_text
from polyprobe.runs.command.overrides import COMMANDS, CommandLineError
from polyprobe.runs.command.unknown_names import choices, groups
from polyprobe.runs.names.conf_folders import CONF, choice_files, choice_text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_hydras_template_with_examples_that_are_choices(name):
    from hydra import compose

    text = help_text(name)
    with composing():
        assert compose(name, return_hydra_config=True).hydra.help.template.rstrip() == text
    assert len(text.splitlines()) <= 30
    assert max(map(len, text.splitlines())) <= 120
    typed = re.findall(r"(?<!\.)\b(\w+)=([\w,]+)(?=\s|$)", text)
    of_groups = [(group, one) for group, values in typed if group in groups() for one in values.split(",")]
    assert [(group, one) for group, one in of_groups if one not in [*choices(group, name), "NAME"]] == []


@pytest.mark.parametrize("group", groups())
def test_every_choice_begins_with_a_comment_of_its_own(group):
    comments = [first_comment(choice_text(group, one)) for one in choice_files(group)]
    assert all(comments)
    assert len(set(comments)) == len(comments)


def test_help_on_a_group_has_a_line_for_each_choice_and_on_a_choice_its_file_behind_those_it_changes():
    lines = help_text("probe", ["--help", "encoder"]).splitlines()
    assert [line.split()[0] for line in lines] == [f"encoder={one}" for one in choices("encoder", "probe")]
    text = help_text("probe", ["-m", "--help", "encoder=bov,length", "probe=mlp"])
    shown = ["encoder=static_vectors", "encoder=bov", "encoder=length", "probe=mlp"]
    assert re.findall(r"^(\w+=\w+)   \(", text, re.MULTILINE)[: len(shown)] == shown
    assert (CONF / "probe/mlp.yaml").read_text(encoding="utf-8").rstrip() in text
    assert help_text("probe", ["--help", "encoder", "paths.work=x"]).splitlines() == lines
    assert help_text("train", ["--help", "keys"]) == (CONF / "train.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("encoder=transfomer", "Did you mean transformer"),
        ("encodr", "Did you mean encoder"),
        ("encoder=length,none", 'encoder "none" is unknown'),
        ("encoder=learned", "encoder=learned is for train.py, not for probe.py."),
    ],
)
def test_help_on_what_there_is_not_is_answered_by_the_nearest(typed, words):
    with pytest.raises(CommandLineError, match=re.escape(words)):
        help_text("probe", ["--help", typed])


def test_own_choices_are_listed_and_their_text_steers_no_terminal(tmp_path, monkeypatch):
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder/red.yaml").write_text("# Red \u202e.\n_target_: mine.Red\n", encoding="utf-8")
    (tmp_path / "encoder/bad.yaml").write_bytes(b"# Caf\xe9.\ndefaults: [\n  x: {\n")
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path))
    assert re.search(r"encoder=bad .*\n(.*\n)*.*encoder=red +Red \\u202e", help_text("probe", ["--help", "encoder"]))


@pytest.mark.parametrize("typed", [["--help"], ["--help", "encoder"], ["--help", "encoder=transformer"], ["--version"]])
def test_help_imports_nothing_heavy(typed):
    command = [sys.executable, "-X", "importtime", "probe.py", *typed]
    done = subprocess.run(command, cwd=CONF.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"\| *(torch|numpy|transformers|scipy)\b", done.stderr)


@pytest.mark.parametrize(("typed", "expected"), [("trainer=g", "trainer=gpu"), ("lang=sm", "lang=sme")])
def test_completion_is_hydras(typed, expected):
    line = f"python train.py {typed}"
    command = [sys.executable, "train.py", "-sc", "query=bash"]
    said = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "PATH": ""}
    done = subprocess.run(command, cwd=CONF.parent, env=said, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [expected]), done.stderr
