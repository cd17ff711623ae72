"""Every choice of every group has a line, and options with a meaning, a type and an example that can be typed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from pydantic import ConfigDict, TypeAdapter

from polyprobe.errors import PolyprobeError
from polyprobe.generation.door import OF_GRAMMARS, OF_TESTS
from polyprobe.generation.suites import MAKERS
from polyprobe.probing.suites.chosen import has_minimal_sets
from polyprobe.runs.command.choice_options import choices_of, header, keys_of, options_of
from polyprobe.runs.command.declared_options import declared
from polyprobe.runs.command.help import help_text, list_text, listed, plurals, reader_names, usable
from polyprobe.runs.command.overrides import CONF, CommandLineError, check_overrides, choices, composing, groups
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.section import check_values

COMMANDS = ("train", "probe", "generate", "analyze")
SETTINGS = ("lang", "experiment")
WITH_OPTIONS = sorted({group for name in COMMANDS for group in groups(name)} - set(SETTINGS))
CHOICES = [(group, choice) for group in WITH_OPTIONS for choice in choice_files(group)]
BESIDE = {  # what a choice needs to have its place
    "objective": ("task=sentence",),
    "decoder": ("task=sentence", "objective=nmt"),
    "optimizer": ("task=sentence",),
    "sentence": ("objective=autoencoder",),
}
PLAIN = ("lang=af", "encoder=random")  # no file of conf/task_lang or conf/task_encoder changes what a choice says


def command_of(group, choice):
    return next(
        name for name in ("probe", "train", "analyze") if group in groups(name) and choice in choices(group, name)
    )


def composed(group, choice, *typed):
    command = command_of(group, choice)
    beside = (
        *BESIDE.get(group, ()),
        *BESIDE.get(choice, ()),
        *(PLAIN if command == "train" and group != "encoder" else ()),
    )
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(command, [*beside, f"{group}={choice}", *typed])


def typed_of(example):
    return example[1:-1] if example.startswith("'") else example


@pytest.mark.parametrize("group", sorted({group for name in COMMANDS for group in groups(name)}))
def test_every_choice_has_a_first_line_of_its_own(group):
    lines = [header(file).splitlines()[0] for file in choice_files(group).values()]
    assert all(lines)
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_option_has_a_meaning_and_the_default_of_its_file(group, choice):
    config = composed(group, choice)
    for option in options_of(group, choice):
        assert option.meaning, option.key
        parent, _, key = option.key.rpartition(".")
        node = (OmegaConf.select(config, parent) if parent else config)._get_node(key)
        found = node._value() if OmegaConf.is_config(node) is False else OmegaConf.to_container(node)
        assert found == option.default, option.key


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_default_is_of_the_type_that_is_shown_and_a_closed_list_is_closed(group, choice):
    for option in options_of(group, choice):
        if option.default != "???" and not str(option.default).startswith("${"):
            adapter = TypeAdapter(
                option.annotation | None, config=ConfigDict(strict=True, arbitrary_types_allowed=True)
            )
            assert adapter.validate_python(option.default) == option.default, option.key
        if choices_of(option.annotation):
            assert option.is_checked, option.key
            with pytest.raises(PolyprobeError, match="is unknown"):
                check_values(group, {"option": option.annotation}, {"option": "none_of_these"})


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_example_can_be_typed(group, choice):
    examples = [typed_of(option.example) for option in options_of(group, choice)]
    assert not any("…" in one for one in examples)
    assert composed(group, choice, *examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_key_of_a_command_that_has_a_field_says_its_meaning(name):
    assert all(option.meaning for option in keys_of(name) if option.annotation is not None and option.is_checked)


@pytest.mark.parametrize("reader", reader_names())
def test_every_reader_has_options_with_a_meaning(reader):
    text = help_text("train", ["--help", f"reader={reader}"])
    assert "see " not in text
    entries = re.split(r"\n  (?=\S)", text)[1:]
    assert all(len(entry.splitlines()) >= 3 for entry in entries), text
    assert "???" not in text


def test_help_on_a_choice_says_what_it_is_and_lists_its_options(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text = help_text("probe", ["--help", "encoder=transformer"])
    assert text.startswith(
        "encoder=transformer   (conf/encoder/transformer.yaml)\n\nA pretrained transformer, every layer"
    )
    assert (
        "  encoder.word_pooling=first\n"
        "        subword pooling: first, last, mean or max; mean as in the released code of LINSPECTOR\n"
        "        first, last, mean or max; default: mean\n"
    ) in text
    assert "  predictor.run=runs/train/lm-" in help_text("probe", ["--help", "predictor=lstm"])
    assert "; must be given" in help_text("probe", ["--help", "predictor=lstm"])


def test_several_choices_of_a_sweep_and_of_two_groups_are_each_explained():
    text = help_text("probe", ["-m", "--help", "encoder=length,random", "probe=mlp"])
    assert [line for line in text.splitlines() if "   (conf/" in line] == [
        "encoder=length   (conf/encoder/length.yaml)",
        "encoder=random   (conf/encoder/random.yaml)",
        "probe=mlp   (conf/probe/mlp.yaml)",
    ]
    assert "No options." in text
    assert "Also sets, unless overridden: probe=logistic_regression." in text


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("encoder=transfomer", "Did you mean transformer"),
        ("encodr", "Did you mean encoder"),
        ("encoder=length,none", 'encoder "none" is unknown'),
        ("encoder.widht", 'has no choice, group or key "encoder.widht". Did you mean encoder.width'),
        ("task=ner", "See python train.py --help task=ner."),
        ("encoder=learned", "encoder=learned is for train.py, not for probe.py."),
        ("suite=sentences", "python probe.py cannot use suite=sentences. Known: blimp, "),
    ],
)
def test_help_on_what_there_is_not_is_answered_by_the_nearest(typed, words):
    with pytest.raises(CommandLineError, match=re.escape(words)):
        help_text("probe", ["--help", typed])


@pytest.mark.parametrize("suite", usable("suite", "generate"))
def test_generate_explains_the_keys_that_are_about_what_a_suite_makes(suite):
    text = help_text("generate", ["--help", f"suite={suite}"])
    keys = {line.split(".")[0].split("=")[0].strip(" '") for line in text.splitlines() if re.match(r"  \S", line)}
    made = {"linspector_type": "type_level", "linspector_token": "token_level", "sentences": "sentence_level"}
    if suite not in MAKERS:
        assert keys == {*OF_GRAMMARS, "grammar", "dotless_i"}
    else:
        assert made.get(suite, suite) in keys
        assert keys <= {*OF_TESTS, made.get(suite, suite)}
        assert "made_from" in keys


def test_a_misspelt_reader_is_answered_by_the_nearest():
    with pytest.raises(CommandLineError, match="Did you mean table_pairs"):
        help_text("train", ["--help", "reader=tabel_pairs"])


def test_a_group_and_keys_have_help_of_their_own():
    assert help_text("probe", ["--help", "probe"]) == list_text("probe", "probes")
    assert "  cache.number=float16\n" in help_text("probe", ["--help", "cache"])
    assert "  encoder.width=300\n" in help_text("probe", ["--help", "encoder.width"])
    assert "experiment=learned_pos" in help_text("train", ["--help", "experiment=learned_pos"])
    assert "  lang.name=Finnish" in help_text("analyze" if "lang" in groups("analyze") else "train", ["lang=fi"])


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in COMMANDS for kind in plurals(name)])
def test_a_list_has_a_line_within_the_width_for_each_choice(name, kind):
    lines = list_text(name, kind).splitlines()
    entries = [line for line in lines if line.startswith("  ")]
    assert all(len(line) <= 120 for line in lines)
    assert all(re.fullmatch(r"  \w+=\S+ {2,}\S.*", line) for line in entries)
    if kind == "readers":
        assert len(entries) == len(reader_names())


def test_a_list_that_there_is_not_is_answered_by_the_nearest():
    with pytest.raises(CommandLineError, match="Did you mean encoders"):
        listed("probe", ["list=encodrs"])
    with pytest.raises(CommandLineError, match=r"Known: .*readers.*tasks"):
        listed("train", ["list=true"])
    assert listed("probe", ["list=languages"]) is None
    assert listed("probe", ["lang=fi"]) is None


def test_the_suites_that_are_listed_are_those_that_a_command_can_use():
    for choice in choice_files("suite"):
        is_made = choice in MAKERS or choice in ("clams", "own")
        assert (choice in usable("suite", "generate")) == is_made, choice
        settings = choice_settings("suite", choice)
        cannot_be_probed = "refuse" in settings["_target_"]
        assert (choice in usable("suite", "probe")) != cannot_be_probed, choice
        trains_probes = not cannot_be_probed and not has_minimal_sets(settings) and settings["format"] != "downstream"
        assert (choice in usable("suite", "train")) == trains_probes, choice


def test_counts_are_listed_for_probing_alone():
    counts = {"length", "tfidf", "tfidf_released", "nb_unigrams", "nb_bigrams"}
    assert set(usable("encoder", "probe")) - set(usable("encoder", "train")) == counts


def test_text_of_own_choices_steers_no_terminal(tmp_path, monkeypatch):
    folder = tmp_path / "conf" / "encoder"
    folder.mkdir(parents=True)
    (folder / "red.yaml").write_text("# Red \u202e.\n_target_: mine.Red\nshade: 3  # of \u202e red\n", encoding="utf-8")
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path / "conf"))
    assert "encoder=red              Red \\u202e" in help_text("probe")
    assert "of \\u202e red" in help_text("probe", ["--help", "encoder=red"])


def test_own_files_that_cannot_be_read_are_listed_like_others(tmp_path, monkeypatch):
    for group in ("encoder", "suite", "lang"):
        (tmp_path / group).mkdir()
        (tmp_path / group / "bad.yaml").write_bytes(b"# Caf\xe9.\ndefaults: [\n  x: {\n")
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path))
    for name in ("train", "probe"):
        assert "\n  encoder=bad " in help_text(name)
        assert ", bad, " in " ".join(help_text(name).split())
    with pytest.raises(PolyprobeError, match="cannot be read as YAML"):
        help_text("probe", ["--help", "encoder=bad"])


def test_a_wrong_key_names_the_help_on_its_choice():
    with pytest.raises(CommandLineError, match=re.escape("probe.py --help encoder=transformer lists its options.")):
        check_overrides("probe", ["encoder=transformer", "encoder.layrs=[1]"])
    with pytest.raises(CommandLineError, match=re.escape("train.py --help model=tagger lists its options.")):
        check_overrides("train", ["task=pos", "model.hiden_size=3"])
    with pytest.raises(CommandLineError, match=re.escape("probe.py --help encoder describes each in one line.")):
        check_overrides("probe", ["encoder=transformers"])
    with composing():
        pass


def test_the_source_is_read_as_it_is_declared():
    tagger = declared("polyprobe.models.tagger.Tagger")
    assert tagger["hidden_size"].is_checked
    assert tagger["hidden_size"].is_needed
    assert declared("polyprobe.predictors.lstm.LSTMPredictor")["unknown"].meaning.startswith("OOV words: scored")
    assert declared("torch.optim.Adam") == {}
    assert declared("no such thing") == {}


@pytest.mark.parametrize("typed", [["--help", "encoder=transformer"], ["list=encoders"], ["--help", "suite=own"]])
def test_help_on_choices_imports_neither_torch_nor_hydra(typed):
    command = [sys.executable, "-X", "importtime", "probe.py", *typed]
    done = subprocess.run(command, cwd=Path(CONF).parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"\| *(torch|hydra|numpy|transformers|scipy)\b", done.stderr)
