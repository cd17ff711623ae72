"""The door of train.py: its configuration becomes sections here, and is only kept behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import BadValue, Impossible, PolyprobeError, UnknownChoice, near_names
from polyprobe.probing.door import settings_in_training
from polyprobe.resources.data_root import data_root
from polyprobe.runs.command.chosen import chosen
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.identity import RunIdentity
from polyprobe.runs.trainer_settings import TrainerSettings
from polyprobe.runs.workspace import Workspace
from polyprobe.training.corpus_choice import check_corpus, check_decoder, joined_languages, with_one_corpus
from polyprobe.training.settings import (
    LEARNED,
    SUITES,
    DataSettings,
    EpochSettings,
    InputSettings,
    LoggerSettings,
    TaskSettings,
    TrainingSettings,
    WordVectorSettings,
)

PROBING = ("probe_each_epoch", "suite", "probe", "probe_layers", "seeds", "minimal_sets")


def data_settings(config: Mapping[str, Any]) -> DataSettings:
    """Reads which corpus a training would read; the files of a generated language are made.

    Raises:
        PolyprobeError: the language has no such corpus, or a value is out of its range.
    """
    workspace, lang = Workspace.of(config["paths"]), config["lang"]
    root = data_root(lang, workspace)
    data = with_one_corpus(config["task"]["name"], lang["code"], config["data"], root)
    return DataSettings.of_corpus(data, root, workspace.mirror)


def training_settings(config: Mapping[str, Any]) -> TrainingSettings:
    """Reads the resolved configuration of conf/train.yaml, plain values, of any task that has a datamodule.

    The files of a generated language are made, since the corpus is one of those whose files are there.

    Raises:
        PolyprobeError: a value is out of its range, the language has no such corpus, or no choice has that name.
    """
    task, experiment = config["task"]["name"], config["choices"]["experiment"]
    if own := config["studies"].get(task):
        raise PolyprobeError(f"experiment={experiment} lacks the settings of task={task}. Expected experiment={own}.")
    workspace, encoder = Workspace.of(config["paths"]), chosen(config, "encoder")
    task = TaskSettings.of_task(config["task"], config["monitor"], config.get("model_class"))
    cache = VectorCache.of(config["cache"], folder=workspace.encodings)
    parts = {
        "task": task,
        "inputs": InputSettings(choice=encoder, tune=encoder.options["tune"], cache=cache),
        "trainer": TrainerSettings.of(config["trainer"]),
        "callbacks": config.get("callbacks") or {},
        "logger": LoggerSettings.of(config["logger"]),
    }
    root = data_root(config["lang"], workspace)
    config = {**config, "data": with_one_corpus(task.name, config["lang"]["code"], config["data"], root)}
    measured = config["probe_each_epoch"]
    tests, suites = probing_tests_and_suites(measured if isinstance(measured, list) else ())
    return TrainingSettings(
        **{key: config[key] for key in ("seed", "probe_each_epoch", "probe_layers")},
        **parts,
        language=config["lang"],
        model=Choice("model", config["choices"]["model"], config["model"]),
        data=DataSettings.of_corpus(config["data"], root, workspace.mirror),
        tests=tests,
        probing=settings_in_training(config) if tests else None,
        minimal_sets=_epoch_settings(config, suites),
        workspace=workspace,
        identity=_identity(config, encoder.name),
        kept=config,
    )


def language_model_settings(config: Mapping[str, Any]) -> TrainingSettings:
    """Reads the configuration of task=lm, in which `data.languages` joins the texts of several languages.

    Raises:
        BadValue: gradients are to be accumulated. Stretches of a stream follow each other; they are no pieces of one.
        PolyprobeError: see `training_settings` and `joined_languages`.
    """
    if config["trainer"]["accumulate"] != 1:
        advice = "1 with task=lm; fewer task.datamodule.columns need less memory, too"
        raise BadValue("trainer.accumulate", config["trainer"]["accumulate"], advice)
    if config["data"]["languages"] is not None:
        root = data_root(config["lang"], Workspace.of(config["paths"]))
        lang, data = joined_languages(config["lang"], config["data"], root)
        config = {**config, "lang": lang, "data": data}
    return training_settings(config)


def sentence_encoder_settings(config: Mapping[str, Any]) -> TrainingSettings:
    """Reads the configuration of task=sentence, whose objective and corpus must fit.

    Raises:
        PolyprobeError: see `training_settings`, `check_decoder` and `check_corpus`.
    """
    objective = config["task"]["objective"]
    check_decoder(objective, config["choices"].get("decoder"))
    check_corpus(objective, config["data"], config["lang"]["code"])
    return training_settings(config)


def word_vector_settings(config: Mapping[str, Any]) -> WordVectorSettings:
    """Reads the configuration of task=word_vectors, as `training_settings` does.

    Raises:
        PolyprobeError: something is requested that gensim cannot do, or the language has no such text.
    """
    if (config["trainer"]["accelerator"], config["trainer"]["devices"]) != ("cpu", 1):
        raise PolyprobeError(
            "task=word_vectors trains in one process on the CPU, with model.workers threads: trainer=cpu."
        )
    if config["probe_each_epoch"]:
        raise BadValue("probe_each_epoch", config["probe_each_epoch"], "[] with task=word_vectors")
    if config.get("callbacks") or config["trainer"].keys() - TrainerSettings.own_keys():
        raise PolyprobeError("task=word_vectors is trained by gensim: callbacks and +trainer.… are for Lightning.")
    task, lang, workspace = config["task"]["name"], config["lang"]["code"], Workspace.of(config["paths"])
    root = data_root(config["lang"], workspace)
    data = with_one_corpus(task, lang, config["data"], root)
    config = {**config, "data": data}
    model = Choice("model", config["choices"]["model"], config["model"])
    return WordVectorSettings(
        seed=config["seed"],
        lang=lang,
        task=task,
        model=model,
        data=DataSettings.of_corpus(data, root, workspace.mirror),
        **{key: data[key] for key in ("lowercase", "dotless_i")},
        logger=LoggerSettings.of(config["logger"]),
        workspace=workspace,
        identity=_identity({**config, "encoder": None}, model.name),  # a text is read, no vectors
        kept=config,
    )


def _epoch_settings(config: Mapping[str, Any], suites: Mapping[str, Sequence[str] | None]) -> EpochSettings | None:
    if not suites:
        return None
    if config["task"]["name"] != "lm":
        found = f"probe_each_epoch={list(suites)}: language models are scored on minimal sets"
        raise Impossible(f"{found}. Expected task=lm.")
    codes, how = config["data"]["languages"], config["minimal_sets"]
    languages = [config["lang"]] if codes is None else [choice_settings("lang", str(code)) for code in codes]
    rules = {key: how[key] for key in ("ties", "unknown_focus", "predictor")}
    return EpochSettings(suites, **rules, languages=languages, workspace=Workspace.of(config["paths"]))


def _identity(config: Mapping[str, Any], inputs: str) -> RunIdentity:
    """Returns what a training run is known by: `srl-fi-learned-s1`, with task (and objective), language, inputs, seed.

    Args:
        config: the resolved configuration of conf/train.yaml, with its one corpus.
        inputs: the name of what words are read with; of word vectors that of their model.
    """
    task, lang, seed = config["task"], config["lang"]["code"], config["seed"]
    learned = f"{task['name']}-{task['objective']}" if "objective" in task else task["name"]
    unused = () if config["probe_each_epoch"] else (*PROBING, "cache")
    used = {**config, "cache": config["cache"]["number"]}
    if inputs == LEARNED and config["model"].get("encoder", {}).get("input_rms"):  # it has no effect on them
        used["model"] = {**config["model"], "encoder": {**config["model"]["encoder"], "input_rms": None}}
    known = {key: value for key, value in used.items() if key not in unused}
    return RunIdentity(f"{learned}-{lang}-{inputs}-s{seed}", known)


def probing_tests_and_suites(names: Sequence[str]) -> tuple[list[str], dict[str, list[str] | None]]:
    """Splits `probe_each_epoch` into probing tests and suites of minimal sets.

    Args:
        names: a suite, such as "clams", is all its constructions; "clams/vp_coord" is one of them; all else are tests.

    Returns:
        The tests, and the constructions of each suite: None for all.

    Raises:
        UnknownChoice: a name is much like that of a suite.
    """
    tests, suites = [], {}
    for name in map(str, names):
        suite, _, construction = name.partition("/")
        if suite not in SUITES:
            if near_names(suite, SUITES):  # no test is called so
                raise UnknownChoice("The suite of probe_each_epoch", suite, SUITES)
            tests.append(name)
        elif not construction or suites.get(suite, []) is None:
            suites[suite] = None
        else:
            suites[suite] = [*suites.get(suite, []), construction]
    return tests, suites
