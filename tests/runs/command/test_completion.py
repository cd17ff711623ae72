"""Completion in bash, as bash itself asks for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from polyprobe.runs.command.completion import completion
from polyprobe.runs.command.overrides import COMMANDS, CommandLineError

ROOT = Path(__file__).resolve().parents[3]
_TRY = """
python() { "$PYTHON" "$@"; }
eval "$(python probe.py -sc install=bash)"
COMP_LINE=$LINE COMP_POINT=${#LINE}
_polyprobe_complete
printf '%s\\n' "${COMPREPLY[@]}"
"""


def candidates(line, monkeypatch, name="probe"):
    monkeypatch.setenv("COMP_LINE", line)
    return completion(name, ["-sc", "query=bash"]).splitlines()


def in_bash(line, before="", after=_TRY):
    command = ["bash", "--norc", "-c", f"{before}\n{after}"]
    environment = {"LINE": line, "PYTHON": sys.executable, "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python probe.py encoder=transf", ["encoder=transformer"]),
        ("python probe.py encoder=length,transf", ["encoder=length,transformer"]),
        ("python probe.py suite=own suite.several=", ["suite.several=kept", "suite.several=left_out"]),
        ("python probe.py encoder=transformer encoder.word", ["encoder.word_pooling="]),
        ("python probe.py encoder=length encoder.word", []),
        ("python probe.py enc", ["encoder="]),
        ("python probe.py baselines=", ["baselines=all", "baselines=cheap"]),
        ("python probe.py list=enc", ["list=encoders"]),
        ("python probe.py --h", ["--help "]),
        ("python probe.py suite=lm_", []),
        ("python probe.py 'suite=cla", ["'suite=clams"]),
        ("polyprobe probe predictor=mas", ["predictor=masked"]),
    ],
)  # fmt: skip
def test_what_a_word_may_become(line, expected, monkeypatch):
    assert candidates(line, monkeypatch) == expected


def test_other_commands_have_their_own(monkeypatch):
    assert candidates("python generate.py suite=sent", monkeypatch, "generate") == ["suite=sentences"]
    assert candidates("python train.py --help reader=table", monkeypatch, "train") == ["reader=table_pairs"]
    assert candidates("python train.py task=ner task.datamodule.ba", monkeypatch, "train") == [
        "task.datamodule.batch_sentences="
    ]
    assert candidates("polyprobe ", monkeypatch, None) == [f"{one} " for one in COMMANDS]
    assert candidates("polyprobe analyze correl", monkeypatch, None) == ["correlate="]
    assert candidates("polyprobe analyse correl", monkeypatch, None) == []


def test_choices_of_an_own_folder_are_completed(tmp_path, monkeypatch):
    monkeypatch.setenv("POLYPROBE_CONF", "")
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "endings.yaml").write_text("# Last letters.\n_target_: mine.Endings\nletters: 2\n")
    line = f"python probe.py --config-dir {tmp_path} encoder=end"
    assert candidates(line, monkeypatch) == ["encoder=endings"]
    assert candidates(f"{line}ings encoder.", monkeypatch) == ["encoder.letters="]
    assert candidates(f"python probe.py --config-dir {tmp_path}/no encoder=tab", monkeypatch) == ["encoder=table"]


def test_bash_completes_the_word_before_the_cursor():
    assert in_bash("python probe.py encoder=transf") == ["transformer"]  # bash breaks words at =
    assert in_bash("python -m polyprobe gen") == ["generate"]
    assert in_bash("python other.py encoder=tr") == []
    without_breaks = "COMP_WORDBREAKS=' '"
    assert in_bash("python ./probe.py encoder=transf", after=f"{without_breaks}\n{_TRY}") == ["encoder=transformer"]


def test_it_is_registered_for_both_ways_to_start_a_command():
    shown = in_bash("", after='eval "$("$PYTHON" -m polyprobe -sc install=bash)"; complete -p polyprobe python')
    assert shown.count("_polyprobe_complete") == 2
    there_and_gone = 'for one in install uninstall; do eval "$("$PYTHON" probe.py -sc $one=bash)"; done; complete -p'
    assert in_bash("", after=f"{there_and_gone} || true") == []


def test_another_shell_is_refused_in_a_sentence():
    with pytest.raises(CommandLineError, match="Expected install=bash or uninstall=bash"):
        completion("probe", ["-sc", "install=fish"])
    assert completion("probe", ["encoder=length"]) is None


def test_a_key_stroke_imports_neither_torch_nor_hydra():
    command = [sys.executable, "-X", "importtime", "probe.py", "-sc", "query=bash"]
    environment = {"COMP_LINE": "python probe.py encoder=transformer encoder.", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "encoder.layers=\n" in done.stdout
    assert not any(f" {name}\n" in done.stderr for name in ("torch", "hydra", "numpy"))
