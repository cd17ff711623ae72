"""Your own choices: a folder laid out like conf/, languages without a file, tests without a language."""

import json
from pathlib import Path

import pytest

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import PolyprobeError
from polyprobe.probing.door import probe_settings
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.command.compose import compose, composing, with_own_language
from polyprobe.runs.command.help import help_text
from polyprobe.runs.command.overrides import CommandLineError, with_flags_first, without_own_folder
from polyprobe.runs.command.sweep_start import jobs_of
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import OWN_CONF, conf_folders
from polyprobe.training.run import chosen_inputs, train
from polyprobe.training.settings import InputSettings
from tests.commands.forked import run_script
from tests.probed import probe

CORPUS = "1\tkala\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\tui\t_\tVERB\t_\t_\t1\tdep\t_\t_\n\n" * 6
POS_XYZ = """\
pos:
  data:
    corpus: mine
    corpora:
      mine:
        reader: polyprobe.formats.treebanks.labelled_words.universal_pos_sentences
        train: {elsewhere}/train.conllu
        dev: dev.conllu
        test: dev.conllu
"""
EXPERIMENT = """\
# @package _global_
defaults:
  - override /task: pos
  - override /lang: xyz
trainer:
  max_epochs: 1
"""
SMALL = ["encoder.word_size=8", "model.hidden_size=8", "trainer.threads=1"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder of own choices beside the corpora that they name, taken from the current folder."""
    files = {
        "conf/lang/xyz.yaml": "code: xyz\nname: Xyzish\nlinspector: null\ngenerator: null\n",
        "conf/corpora/xyz.yaml": POS_XYZ.format(elsewhere=tmp_path / "elsewhere"),
        "conf/experiment/swim.yaml": EXPERIMENT,
        "elsewhere/train.conllu": CORPUS,
        "dev.conllu": CORPUS,
        "Tails.txt": "".join(f"{part}\t{n % 2}\tkala ui\r\n" for part in ("tr", "va", "te") for n in range(8)),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(OWN_CONF, "")  # so that it is put back as it was
    without_own_folder(["--config-dir=conf"])
    return tmp_path


def rows(run):
    return [json.loads(line) for line in run.results.read_text(encoding="utf-8").splitlines()]


def test_a_language_of_ones_own_is_trained_and_probed(own, tmp_path):
    work = [f"paths.work={tmp_path}/work", f"paths.data={tmp_path}/data"]
    run = train(compose("train", ["experiment=swim", *SMALL, *work]))
    assert run.name.startswith("pos-xyz-learned-s1-")
    assert {row["lang"] for row in rows(run)} == {"xyz"}
    asked = ["suite=own", "suite.path=Tails.txt", "lang=xyz", "encoder=checkpoint", f"encoder.run={run.path}"]
    config = compose("probe", [*asked, "encoder.epochs=[1]", "probe.max_epochs=1", *work])
    probed = probe(ProbingSettings.of(probe_settings(config)))
    assert {row["lang"] for row in rows(probed) if row["stage"] == "probing"} == {"xyz"}


def test_the_name_of_a_run_follows_the_choices_and_not_their_folder(own, tmp_path):
    before = compose("train", ["experiment=swim"])
    (tmp_path / "conf").rename(tmp_path / "moved")
    without_own_folder([f"--config-dir={tmp_path}/moved"])
    assert compose("train", ["experiment=swim"]) == before


def test_own_choices_are_listed_and_near_ones_named(own):
    assert "  experiment=swim " in help_text("train", ["experiment"])
    with pytest.raises(CommandLineError, match="Did you mean xyz"):
        compose("train", ["task=pos", "lang=xyy"])
    with composing():
        assert jobs_of(["lang=glob(xy*)"]) == [("lang=xyz",)]


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (["--config-dir", "conf", "task=pos"], ["task=pos"]),
        (["task=pos", "--config-dir=conf", "-m"], ["-m", "task=pos"]),
        (["-cd", "conf"], []),
        (["task=pos"], ["task=pos"]),
    ],
)
def test_the_folder_is_taken_from_what_is_typed_as_a_whole_path(typed, left, own):
    assert without_own_folder(with_flags_first(typed)) == left
    assert conf_folders()[1] == own / "conf"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--config-dir", "absent"], "there is no folder .*/absent"),
        (["--config-dir"], "there is no folder named"),
        (["--config-dir=elsewhere"], "elsewhere has no choice of any group. Expected .*lang"),
        (["--config-dir", "dev.conllu"], "there is no folder .*/dev.conllu"),
    ],
)
def test_a_folder_that_is_none_is_refused_in_one_line(typed, words, own):
    with pytest.raises(CommandLineError, match=words) as raised:
        without_own_folder(with_flags_first(typed))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("corpora/xyz.yaml", "data: {corpus: a}\n", 'xyz.yaml: task "data" is unknown'),
        ("corpora/mini.yaml", "pos: {data: {corpus: a}}\n", "mini.yaml: pos is in corpora/mini.yaml of another folder"),
        ("corpora/xyz.yaml", "pos: {}\npos: {}\n", "xyz.yaml cannot be read as YAML: found pos twice"),
        ("lang/fi.yaml", "code: fi\n", r"a choice that is there already \(lang=fi\)"),
    ],
)
def test_settings_by_task_that_cannot_be_used_are_refused(name, content, words, own):
    file = own / "conf" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")
    with pytest.raises(PolyprobeError, match=words):
        compose("train", without_own_folder(["--config-dir=conf", "task=pos", f"lang={file.stem}"]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"code: [\n", "cannot be read"),
        (b"code: \xff\n", "cannot be read"),
    ],
)
def test_a_file_of_a_language_that_cannot_be_used_is_refused(content, words, own, tmp_path):
    (tmp_path / "conf/lang/xyz.yaml").write_bytes(content)
    with pytest.raises(CommandLineError, match=words):
        compose("generate", ["suite=linspector_type", "lang=xyz"])


def test_a_language_without_a_file_is_a_name_for_own_tests_corpora_and_lexica_alone(capsys):
    reader = "polyprobe.formats.treebanks.labelled_words.universal_pos_sentences"
    own_corpus = f"+data.corpora.mine={{reader: {reader}, train: x, dev: x, test: x}}"
    for name, code, own in (("probe", "qaa", "suite=own"), ("train", "qab", own_corpus)):
        more = ["suite.path=."] if name == "probe" else ["task=pos", "data.corpus=mine"]
        with pytest.raises(CommandLineError, match=f'lang "{code}" is unknown'):
            compose(name, [f"lang={code}"])
        config = compose(name, [f"lang={code}", own, *more])
        assert config["lang"] == {"code": code, "name": code, "linspector": None, "generator": None}
        assert f"Note: '{code}' is not a built-in language" in capsys.readouterr().err
    compose("generate", ["suite=linspector_type", "lang=qac", "made_from.unimorph=x"])
    assert "Note: 'qac' is not a built-in language" in capsys.readouterr().err
    with pytest.raises(CommandLineError, match=r'lang "\.\./up" is unknown'):
        compose("probe", ["lang='../up'", "suite=own", "suite.path=."])


@pytest.mark.parametrize(
    ("name", "typed", "is_added"),
    [
        ("probe", ["suite=own", "suite.path=x"], True),
        ("probe", ["-m", "seed=1,2", "suite=own"], True),
        ("probe", ["suite=own", "lang=mini"], False),
        ("probe", ["suite=own", "experiment=mini_agreement"], False),
        ("probe", ["suite=senteval"], False),
        ("generate", ["suite=own", "grammar=x"], True),
        ("generate", ["suite=linspector_token", "made_from.treebanks=x"], True),
        ("train", ["suite=own"], False),
    ],
)
def test_own_tests_without_a_language_are_of_an_undetermined_one(name, typed, is_added):
    assert with_own_language(name, typed) == [*typed, *(["lang=und"] if is_added else [])]


def test_a_sweep_from_another_folder_finds_own_choices_and_names(own, tmp_path, monkeypatch):
    monkeypatch.delenv(OWN_CONF)
    asked = ["suite=own", "suite.path=Tails.txt", "encoder=length", f"paths.work={tmp_path}/work"]
    done = run_script("probe", "-m", "--config-dir", "conf", "lang=xyz,qac", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    runs = sorted(run.name.split("-")[1] for run in (tmp_path / "work/runs/probe").iterdir())
    assert runs == ["qac", "xyz"]


def learned(settings: dict):
    choice = Choice("encoder", "learned", settings)
    return chosen_inputs(InputSettings(choice=choice, tune=False, cache=VectorCache(folder=Path("cache"))))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("encoder: length", r'A file of choices says "encoder: length"\. Expected .*- override /encoder: length\.'),
    ],
)
def test_a_file_that_says_a_choice_as_a_value_is_refused(own, content, expected):
    (own / "conf/experiment/wrong.yaml").write_text(f"# @package _global_\n{content}\n", encoding="utf-8")
    with pytest.raises(CommandLineError, match=expected):
        compose("probe", ["experiment=wrong"])
