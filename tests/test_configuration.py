"""Every file of conf/ composes, and what it builds can be built."""

import re

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.named import built
from polyprobe.probing.design import own_probes, shared_probe
from polyprobe.runs.names.conf_folders import CONF, choice_files, choice_settings, corpora_of_task

GROUPS = {
    "train": ["task", "trainer", "callbacks", "logger", "suite", "probe", "model", "debug"],
    "probe": ["encoder", "predictor", "suite", "probe", "trainer"],
}


MADE_ONLY = tuple(f"polyprobe.probing.suites.chosen.{one}" for one in ("refuse_to_probe", "refuse_text"))
READER = {
    "_target_": "polyprobe.models.inputs.learned_words.LearnedWords",
    "words": ["a"],
    "ngrams": ["^a", "a$"],
    "word_size": 4,
}


def choices(command):
    return [f"{group}={file.stem}" for group in GROUPS[command] for file in sorted((CONF / group).glob("*.yaml"))]


def experiments(command):
    """Names the experiments that say first how this command runs them."""
    files = choice_files("experiment")
    return [
        name for name, file in files.items() if re.findall(r"python (\w+)\.py", file.read_text("utf-8"))[0] == command
    ]


def composed(command, *arguments):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(command, [*arguments, "paths.data=data"])


def resolved(config):
    for key in OmegaConf.missing_keys(config):  # what only the user knows: a run, a file
        OmegaConf.update(config, key, "given")
    return OmegaConf.to_container(config, resolve=True, throw_on_missing=True)


def test_every_choice_composes_and_resolves():
    typed = [(command, choice) for command in GROUPS for choice in choices(command)]
    assert [one for one in typed if not resolved(composed(*one))] == []


def test_every_language_fits_in_the_configuration_of_a_probing_run():
    config = composed("probe")
    for code in choice_files("lang"):
        config.lang = choice_settings("lang", code)
        lang = resolved(config)["lang"]
        assert {"code", "name", "linspector", "generator"} <= set(lang), code
        assert lang["code"] == code


def test_a_row_of_the_table_of_languages_is_a_choice_as_a_file_is():
    assert composed("probe", "lang=tr").lang == {
        "code": "tr",
        "name": "Turkish",
        "linspector": {"type": "turkish", "token": "turkish"},
        "eger2020": "eger2020/tr",
        "xprobe": "xprobe/tr",
        "generator": None,
        "dotless_i": True,
        "made_from": {
            "unimorph": ["unimorph/tur/tur.txt"],
            "frequency": "frequency/tr.txt",
            "treebanks": ["ud/tr_imst"],
            "trees": [],
            "syllables": "wuggy/turkish.txt",
        },
    }
    assert composed("probe", "lang=no").lang == {  # no boolean, as YAML has it
        "code": "no",
        "name": "Norwegian",
        "linspector": {"type": None, "token": "norwegian"},
        "generator": None,
    }


def test_every_experiment_is_of_a_command_and_composes():
    of_commands = {command: experiments(command) for command in (*GROUPS, "generate")}
    assert sorted(name for names in of_commands.values() for name in names) == sorted(choice_files("experiment"))
    for command, names in of_commands.items():
        for name in names:
            assert resolved(composed(command, f"experiment={name}")), name


def test_every_pair_of_task_and_language_names_its_corpora():
    pairs = [(task, lang) for task in choice_files("task") for lang in corpora_of_task(task)]
    assert len(pairs) == 47
    for task, lang in pairs:
        data = composed("train", f"task={task}", f"lang={lang}").data
        assert data.corpus in data.corpora, (task, lang)
        splits = {"train"} if task == "word_vectors" else {"train", "dev", "test"}
        assert all({"reader", *splits} <= set(corpus) for corpus in data.corpora.values()), (task, lang)


def test_suites_and_probes_can_be_built(tmp_path):
    (tmp_path / "toy.txt").write_text("te\tA\ta b\n")
    for choice in (one for one in choices("probe") if one.startswith(("suite", "probe"))):
        group = choice.partition("=")[0]
        more = [f"suite.path={tmp_path}"] if choice in ("suite=own", "suite=pairs", "suite=table") else []
        settings = resolved(composed("probe", choice, *more))[group]
        if settings["_target_"] in MADE_ONLY:
            with pytest.raises(PolyprobeError, match=f"generate.py {choice} "):
                built(settings, group)
        elif group == "probe":
            assert shared_probe(settings), choice
            of_tests = (settings.get("of_tests") or {}).keys()
            assert own_probes(settings, ["WC", "Gapping", "TreeDepth"]).keys() == of_tests
        else:
            assert built(settings, group), choice


def test_folders_of_languages_are_named_for_languages_that_have_a_file():
    for suite in choice_files("suite"):
        assert set(choice_settings("suite", suite).get("codes") or {}) <= set(choice_files("lang")), suite
    folders = choice_settings("suite", "multiblimp")["codes"]
    assert (folders["ar"], folders["cu"], folders["sh"]) == ("arb", "chu", "hbs")  # its table of languages


def test_a_copy_of_published_pairs_may_have_other_names():
    settings = resolved(composed("probe", "suite=multiblimp", "suite.columns.good=right"))["suite"]
    assert built(settings, "suite").reading.columns.good == "right"


@pytest.mark.parametrize(
    ("typed", "probe"),
    [
        (["encoder=char_ngrams"], "mlp"),
        (["encoder=tfidf"], "logistic_regression"),
        (["encoder=tfidf_released"], "logistic_regression"),
        (["encoder=length"], "logistic_regression"),
        (["encoder=nb_bigrams"], "naive_bayes"),
        (["encoder=tfidf", "probe=rusenteval"], "rusenteval"),
        (["probe=rusenteval_linear", "encoder=tfidf"], "rusenteval_linear"),
    ],
)
def test_counts_have_their_own_probe_unless_another_is_chosen(typed, probe):
    assert resolved(composed("probe", *typed))["probe"] == resolved(composed("probe", f"probe={probe}"))["probe"]


def test_models_of_word_vectors_can_be_built():
    for model in ("word2vec", "fasttext", "subword"):
        settings = resolved(composed("train", "task=word_vectors", f"model={model}"))
        assert built(settings["model"], "model").files


@pytest.mark.parametrize(
    ("encoder", "n_layers", "word_size"), [("learned", 1, 200), ("static_vectors", 2, None), ("transformer", 2, None)]
)
def test_roles_are_labelled_over_trigrams_or_in_two_layers_over_frozen_vectors(encoder, n_layers, word_size):
    config = composed("train", "task=srl", f"encoder={encoder}")
    assert (config.model.n_layers, config.model.word_size) == (n_layers, word_size)
    assert ("trigram_size" in config.encoder) == (encoder == "learned")


@pytest.mark.parametrize(
    ("task", "inputs"),
    [
        ("srl", {"reader": READER, "roles": ["_", "A0"]}),
        ("pos", {"reader": READER, "labels": ["DET", "_"]}),
        ("nli", {"reader": READER, "labels": ["neutral", "entailment"]}),
        ("ner", {"reader": READER, "types": ["PER"]}),
        ("dep", {"reader": READER, "upos": ["DET"], "relations": ["det"]}),
        ("lm", {"words": ["a"]}),
    ],
)
def test_the_model_of_a_task_can_be_built_and_has_the_layers_to_probe(task, inputs):
    config = OmegaConf.to_container(composed("train", f"task={task}"), resolve=True)
    model = build_model(config["model"], inputs)
    assert set(config["probe_layers"]) <= dict(model.exposed_layers).keys()


@pytest.mark.parametrize(
    ("typed", "probe"),
    [([], "rusenteval_linear"), (["probe=rusenteval"], "rusenteval"), (["encoder=fasttext"], "rusenteval_linear")],
)
def test_counts_of_rusenteval_are_probed_as_its_article_does(typed, probe):
    same = composed("probe", "experiment=rusenteval_counts", *typed, f"probe={probe}")
    assert composed("probe", "experiment=rusenteval_counts", *typed).probe == same.probe
