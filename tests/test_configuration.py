"""Every file of conf/ composes, and what it builds can be built."""

import re
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.named import built
from polyprobe.probing.design import own_probes, shared_probe
from polyprobe.runs.command.choice_options import EXAMPLES
from polyprobe.runs.command.help import help_text
from polyprobe.runs.command.overrides import CONF, CommandLineError, check_overrides
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from tests.section_comments import SECTIONS, commented

GROUPS = {
    "train": ["task", "trainer", "logger", "suite", "probe", "model"],
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


@pytest.mark.parametrize(
    ("command", "choice"), [(command, choice) for command in GROUPS for choice in choices(command)]
)
def test_every_choice_composes_and_resolves(command, choice):
    assert resolved(composed(command, choice))


@pytest.mark.parametrize("file", SECTIONS)
def test_comments_on_keys_are_the_texts_of_their_fields(file):
    text = (CONF.parent / file).read_text(encoding="utf-8")
    assert text == commented(text, SECTIONS[file]), "python -m tests.section_comments writes them"


def test_every_language_fits_in_the_configuration_of_a_probing_run():
    config = composed("probe")
    for file in sorted((CONF / "lang").glob("*.yaml")):
        config.lang = OmegaConf.load(file)
        lang = resolved(config)["lang"]
        assert {"code", "name", "linspector", "generator"} <= set(lang), file
        assert lang["code"] == file.stem


EXPERIMENTS = [(command, name) for command in (*GROUPS, "generate") for name in experiments(command)]


@pytest.mark.parametrize(("command", "name"), EXPERIMENTS)
def test_every_experiment_composes(command, name):
    resolved(composed(command, f"experiment={name}"))


def test_every_experiment_is_of_a_command():
    assert {name for _, name in EXPERIMENTS} == {file.stem for file in (CONF / "experiment").glob("*.yaml")}


@pytest.mark.parametrize("file", sorted((CONF / "task_lang").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_pair_of_task_and_language_names_its_corpora(file):
    task, _, lang = file.stem.rpartition("_")
    data = composed("train", f"task={task}", f"lang={lang}").data
    assert data.corpus in data.corpora
    splits = {"train"} if task == "word_vectors" else {"train", "dev", "test"}
    assert all({"reader", *splits} <= set(corpus) for corpus in data.corpora.values())


@pytest.mark.parametrize("choice", [choice for choice in choices("probe") if choice.startswith(("suite", "probe"))])
def test_suites_and_probes_can_be_built(choice, tmp_path):
    (tmp_path / "toy.txt").write_text("te\tA\ta b\n")
    group = choice.partition("=")[0]
    more = [f"suite.path={tmp_path}"] if choice in ("suite=own", "suite=pairs", "suite=table") else []
    settings = resolved(composed("probe", choice, *more))[group]
    if settings["_target_"] in MADE_ONLY:
        with pytest.raises(PolyprobeError, match=f"generate.py {choice} "):
            built(settings, group)
    elif group == "probe":
        assert shared_probe(settings)
        of_tests = (settings.get("of_tests") or {}).keys()
        assert own_probes(settings, ["WC", "Gapping", "TreeDepth"]).keys() == of_tests
    else:
        assert built(settings, group)


def test_folders_of_languages_are_named_for_languages_that_have_a_file():
    for suite in choice_files("suite"):
        assert set(choice_settings("suite", suite).get("codes") or {}) <= set(choice_files("lang")), suite
    folders = choice_settings("suite", "multiblimp")["codes"]
    assert (folders["ar"], folders["cu"], folders["sh"]) == ("arb", "chu", "hbs")  # its table of languages


@pytest.mark.parametrize("suite", ["multiblimp", "blimp_nl", "zhoblimp"])
def test_a_copy_of_published_pairs_may_have_other_names(suite):
    settings = resolved(composed("probe", f"suite={suite}", "suite.columns.good=right"))["suite"]
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


@pytest.mark.parametrize("model", ["word2vec", "fasttext", "subword"])
def test_models_of_word_vectors_can_be_built(model):
    config = composed("train", "task=word_vectors", f"model={model}")
    settings = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
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


@pytest.mark.parametrize("file", sorted(CONF.rglob("*.yaml")), ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_first_lines_say_in_a_sentence_what_a_file_is(file):
    comments = [line for line in file.read_text(encoding="utf-8").splitlines()[:2] if line.startswith("# ")]
    assert any(
        line.rstrip().endswith((".", ":", "compose.")) or ":" in line for line in comments if "@package" not in line
    )


def test_help_is_the_commented_configuration():
    text = help_text("train")
    assert "  logger=csv            only metrics.csv in the run directory (default)\n" in text
    assert (Path(CONF) / "train.yaml").read_text(encoding="utf-8") in text


def test_there_is_an_example_of_everything_that_must_be_given():
    for file in sorted(CONF.rglob("*.yaml")):
        for key in re.findall(r"^(\w+): \?\?\?", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert EXAMPLES.get(f"{file.stem}.{key}") or EXAMPLES.get(key), f"{file}: {key}"


@pytest.mark.parametrize("predictor", ["lstm", "random"])
def test_the_example_of_a_predictors_run_is_a_language_model(predictor):
    assert EXAMPLES[f"{predictor}.run"].startswith("runs/train/lm-")


@pytest.mark.parametrize(
    ("typed", "probe"),
    [([], "rusenteval_linear"), (["probe=rusenteval"], "rusenteval"), (["encoder=fasttext"], "rusenteval_linear")],
)
def test_counts_of_rusenteval_are_probed_as_its_article_does(typed, probe):
    same = composed("probe", "experiment=rusenteval_counts", *typed, f"probe={probe}")
    assert composed("probe", "experiment=rusenteval_counts", *typed).probe == same.probe


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["sed=1"], "Did you mean seed"),
        (["data.corpsu=x"], "Did you mean data.corpus"),
        (["lang=fii"], "Did you mean lang=fi (Finnish)?"),
        (["seed=[1"], "seed=[1"),
        (
            ["probe_each_epoch=[Case,", "Tense]"],
            "Quote a list that contains blanks: 'probe_each_epoch=[first, second]'.",
        ),
        (["probe_each_epoch=[x=y]"], "digits, - and _: 'probe_each_epoch=[\"a=b\"]'."),
        (['+data.corpora.a={reader_options: {labels: {"yes": x}}}'], "names stand without quotes ({yes: "),
        (["seed=1,2"], "Add -m, or write one list of them: 'seed=[…,…]'."),
        (["Tense]"], "Quote a list that contains blanks: 'tests=[first, second]'."),
        (["logger=null"], "logger must be one of csv, mlflow, tensorboard, wandb, wandb_offline, got null."),
        (["lang=1"], "lang must be one of af, "),
    ],
)
def test_a_wrong_override_is_refused_with_the_nearest_choice(overrides, words):
    with pytest.raises(CommandLineError, match=re.escape(words)):
        check_overrides("train", overrides)


def test_an_analysis_takes_its_language_from_the_runs():
    for choice in ("fi", "xno"):
        with pytest.raises(CommandLineError, match=r"analyze\.py has no lang=, which is read from the runs"):
            check_overrides("analyze", [f"lang={choice}"])


def test_learned_inputs_are_no_choice_of_probing():
    assert check_overrides("train", ["encoder=learned"]).hydra.runtime.choices.encoder == "learned"
    with pytest.raises(CommandLineError, match=r"^encoder=learned is for train\.py, not for probe\.py\.$"):
        check_overrides("probe", ["encoder=learned"])


def test_a_list_in_place_of_a_group_of_keys_is_told_with_the_keys():
    words = "type_level.items must be a group of keys, such as {train: …, dev: …, test: …}, got [1, 2, 3]."
    with pytest.raises(CommandLineError, match=re.escape(words)):
        check_overrides("generate", ["suite=linspector_type", "type_level.items=[1,2,3]"])
