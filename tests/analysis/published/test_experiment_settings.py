"""Runs are told from the studies of published numbers by their configuration."""

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.analysis.published.experiment_settings import (
    command_of,
    command_of_experiment,
    composed_experiment,
    is_of_experiment,
    other_settings,
)
from polyprobe.analysis.published.filled_cells import FinishedRun, State, filled_cells
from polyprobe.analysis.published.published_cells import PAPERS, published_cells
from polyprobe.runs.command.script import CONF

CELLS = [cell for paper in PAPERS for cell in published_cells(paper) if cell.study.experiment and not cell.cannot]
# Of each study the cell beside which most is typed.
STUDIES = {cell.study.experiment: cell for cell in sorted(CELLS, key=lambda cell: len(cell.study.choices))}
TRAININGS = {cell.training.experiment: cell.training for cell in CELLS if cell.training}


def configuration(experiment, typed, *more):
    """Returns the configuration that a run of the command has, with what the user gives."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        arguments = [f"experiment={experiment}", *typed, *more]
        config = compose(command_of_experiment(experiment), arguments, return_hydra_config=True)
    chosen = {group: one for group, one in config.hydra.runtime.choices.items() if "hydra" not in group}
    OmegaConf.set_struct(config, False)
    del config["hydra"]
    for key in OmegaConf.missing_keys(config):
        OmegaConf.update(config, key, "mine")
    return {**OmegaConf.to_container(config, resolve=True), "choices": chosen}


@pytest.mark.parametrize("cell", STUDIES.values(), ids=STUDIES)
def test_a_run_of_the_printed_command_is_of_its_study_and_differs_in_nothing(cell):
    typed = cell.study.experiment, cell.study.typed
    study, run = composed_experiment(*typed), configuration(*typed)
    assert is_of_experiment(run, study)
    assert other_settings(run, study, ()) == []
    assert command_of(cell).startswith(f"python {study.command}.py experiment={cell.study.experiment}")


@pytest.mark.real_data
@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_command_can_be_composed(paper):
    """Needs no data, but a minute: for the slow tests."""
    cells = [cell for cell in CELLS if cell.paper == paper]
    for cell in {command_of(cell): cell for cell in cells}.values():
        typed = cell.study.experiment, cell.study.typed
        assert is_of_experiment(configuration(*typed), composed_experiment(*typed))


def test_a_training_in_a_printed_command_names_what_only_the_user_knows():
    commands = [command_of(cell) for cell in CELLS if cell.training and cell.paper == "senteval"]
    assert all(command.endswith("encoder.path=<path>>") for command in commands)


@pytest.mark.parametrize("training", TRAININGS.values(), ids=TRAININGS)
def test_a_training_behind_a_number_is_of_its_study_and_differs_in_nothing(training):
    study, run = (one(training.experiment, training.typed) for one in (composed_experiment, configuration))
    assert is_of_experiment(run, study)
    assert other_settings(run, study, ()) == []


@pytest.mark.parametrize(
    ("experiment", "typed", "changed", "key"),
    [
        ("linspector_table9", ("lang=fi", "encoder=muse"), "probe.max_epochs=1", "probe.max_epochs"),
        ("linspector_table9", ("lang=fi", "encoder=muse"), "encoder.unknown=own", "encoder.unknown"),
        ("linspector_table10", ("task=nli", "lang=tr", "encoder=muse"), "model=esim_small", "model.hidden_size"),
        ("linspector_table10", ("task=pos", "lang=tr", "encoder=muse"), "encoder.tune=true", "encoder.tune"),
        ("linspector_table10", ("task=pos", "lang=tr", "encoder=muse"), "trainer.max_epochs=1", "trainer.max_epochs"),
        ("senteval_table5", ("encoder=bov",), "protocol=released", "protocol"),
        ("clams_transformers", ("lang=fr",), "ties=released", "ties"),
        ("rusenteval_transformers", ("lang=ru",), "encoder.sentence_pooling=mean", "encoder.sentence_pooling"),
        ("clams_lstm", ("lang=en",), "data.corpus=small", "data.corpus"),
    ],
)
def test_a_changed_setting_is_named(experiment, typed, changed, key):
    run = configuration(experiment, typed, changed)
    study = composed_experiment(experiment, typed)
    assert is_of_experiment(run, study)
    assert key in [text.partition(" ")[0] for text in other_settings(run, study, ())]


@pytest.mark.parametrize(
    "changed",
    [
        *("encoder.layers=[7]", "seed=3", "seeds=1", "tests=[Case]", "encoder.device=cpu", "trainer.threads=1"),
        "encoder.number_type=bfloat16",  # no paper names one
        "encoder.sentence_pooling=null",  # of this model the one that the study names
    ],
)
def test_what_rows_say_themselves_is_no_difference(changed):
    typed = ("lang=ru", "probe=rusenteval", "encoder.model=xlm-roberta-base")
    run = configuration("rusenteval_transformers", typed, changed)
    assert other_settings(run, composed_experiment("rusenteval_transformers", typed), ()) == []


def test_the_file_of_vectors_is_known_by_its_sizes_and_no_difference():
    run = configuration("senteval_table5", ("encoder=bov",), "vectors=crawl-300d-2M.vec")
    assert other_settings(run, composed_experiment("senteval_table5", ("encoder=bov",)), ()) == []


def test_counts_keep_their_own_probe_under_that_of_a_study():
    run = configuration("senteval_table2", ("encoder=nb_unigrams",))
    own = {**run, "probe": {"variant": 1}, "choices": {**run["choices"], "probe": "naive_bayes"}}
    assert other_settings(own, composed_experiment("senteval_table2", ("encoder=nb_unigrams",)), ()) == []


def test_an_ngram_model_fills_no_number_of_an_lstm():
    run = {**configuration("clams_lstm_scored", ("lang=de",)), "choices": {"lang": "de", "predictor": "ngram"}}
    assert not is_of_experiment(run, composed_experiment("clams_lstm_scored", ("lang=de",)))


SCORED = {
    **{"stage": "minimal_sets", "suite": "clams", "lang": "de", "test": "simple_agrmt", "split": "test"},
    **{"metric": "accuracy", "value": 0.99, "n": 140, "predictor": "lstm"},
}


SETS = {"data": {"simple_agrmt.txt": "aaronmueller/clams 36b5c9a"}}
TEXT = {"corpus": "published", "data": {"train.txt": "zenodo.org/record/3774712/files"}}


def states(trainings, text=TEXT):
    configured = configuration("clams_lstm_scored", ("lang=de",))
    run = FinishedRun("scored", configured, trainings, [SCORED], SETS, [text] * len(trainings))
    cells = [cell for cell in CELLS if dict(cell.keys).items() <= SCORED.items() and cell.table == "1"]
    return {one.cell.column: one.state for one in filled_cells(cells, [run])}


def test_what_a_model_was_trained_on_counts():
    mono = configuration("clams_lstm", ("lang=de",))
    assert states([mono, mono]) == {"German mono": State.NEAR, "German multi": State.NOT_RUN}
    other_year = {**TEXT, "data": {"train.txt": ""}}
    assert states([mono, mono], other_year)["German mono"] is State.ELSEWHERE
    assert states([mono, mono], {})["German mono"] is State.ELSEWHERE
    few = configuration("clams_lstm", ("lang=de",), "data.corpus=small")
    assert states([mono, few])["German mono"] is State.ELSEWHERE


def test_a_training_that_is_gone_vouches_for_nothing():
    assert set(states([]).values()) == {State.NOT_RUN}
