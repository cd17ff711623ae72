"""The model-index of a run: huggingface_hub reads it, and it has each score of the run."""

from dataclasses import replace

import pytest
import yaml
from huggingface_hub import EvalResult, ModelCardData

from polyprobe.analysis.model_card import card, model_index
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import HOSTILE, PROBING, TRAINING, as_read, probing, score, training_run, work_folder
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


def results(text: str) -> list[EvalResult]:
    """Reads a card, writes it as the hub's tools do, and reads that."""
    read = ModelCardData(**yaml.safe_load(text))
    again = ModelCardData(**yaml.safe_load(read.to_yaml()))
    assert again.eval_results == read.eval_results
    return read.eval_results


def of_rows(folder, *rows, **notes) -> list[EvalResult]:
    as_read(list(rows), folder, **notes)
    return results(model_index(RunDirectory(folder)))


def test_a_probing_run_has_each_test_and_epoch_averaged_over_seeds(tmp_path):
    found = results("\n".join(card(work_folder(tmp_path), PROBING)))
    assert [(one.dataset_config, one.metric_name, one.metric_value) for one in found] == [
        ("fi/Case", "accuracy, encoding/0", 0.5),
        ("fi/Case", "accuracy, encoding/8", 0.8),
        ("fi/CharacterBin", "accuracy, encoding/0", 0.45),
        ("fi/CharacterBin", "accuracy, encoding/8", 0.44),
    ]
    assert found[0].task_type == "text-classification"
    assert (found[0].dataset_type, found[0].dataset_split) == ("linspector_type", "test")
    assert found[0].metric_args == {
        **{"n": 200, "n_seeds": 2, "interval_low": 0.47, "interval_high": 0.53, "majority": 0.3, "memoriser": 0.35},
    }


def test_a_trained_model_has_its_scores_on_each_split_without_those_of_single_labels(tmp_path):
    rows = [replace(row, encoder="learned") for row in training_run()]
    as_read(rows, tmp_path / TRAINING, TRAINING, command="python train.py task=srl")
    text = model_index(RunDirectory(tmp_path / TRAINING))
    assert text.startswith("# python train.py task=srl\nmodel-index:\n")
    assert [(one.dataset_split, one.metric_type, one.metric_value) for one in results(text)] == [
        ("dev", "role_f1", 0.64),
        ("test", "role_f1", 0.61),
    ]
    assert results(text)[0].task_type == "token-classification"
    assert ModelCardData(**yaml.safe_load(text)).model_name == TRAINING


def test_minimal_sets_have_each_construction_by_each_rule(tmp_path):
    scores = set_scores("agreement", {"s1/0": [1.0, -1.0], "s1/8": [1.0, 2.0]})
    folder = minimal_set_run(tmp_path, "scored", scores)
    found = results(model_index(RunDirectory(folder)))
    by_sum = {one.metric_name: one.metric_value for one in found if one.metric_type == "accuracy"}
    assert by_sum == {"accuracy, epoch 0": 0.5, "accuracy, epoch 8": 1.0}
    assert {one.metric_type for one in found} == {
        *("accuracy", "accuracy_focus", "accuracy_per_token", "accuracy_per_character"),
    }
    assert {(one.task_type, one.dataset_config) for one in found} == {("text-generation", "fr/agreement")}


def test_downstream_tasks_have_their_headlines(tmp_path):
    usual = {"lang": "en", "suite": "senteval_downstream", "encoder": "tfidf", "split": "test", "layer": "counts"}
    rows = [
        score("downstream_task", metric, value, test=test, seed=None, **{**usual, "split": split})
        for test, metric, value, split in (
            *(("MR", "accuracy", 0.75, "test"), ("MR", "f1", 0.7, "test")),
            *(("STS14", "pearson", 0.6, "test"), ("STS14", "pearson", 0.5, "news")),
        )
    ]
    found = of_rows(tmp_path / "run", *rows)
    assert [(one.dataset_config, one.metric_type, one.metric_value) for one in found] == [
        ("en/MR", "accuracy", 0.75),
        ("en/STS14", "pearson", 0.6),
    ]


def test_published_data_are_named_with_their_commit_and_others_by_the_suite(tmp_path):
    commit = "46a7cca" + "0" * 33
    sources = {"data": {"Case": f"UKPLab/linspector {commit}", "Mood": "", "Tense": f"a/b {commit}; c/d {commit}"}}
    rows = [probing(test, 0.5) for test in ("Case", "Mood", "Tense")]
    found = of_rows(tmp_path / "run", *rows, sources=sources)
    assert [(one.dataset_type, one.dataset_revision) for one in found] == [
        ("UKPLab/linspector", commit),
        ("linspector_type", None),
        ("linspector_type", None),
    ]


def test_each_model_of_the_hub_has_an_entry_under_its_name(tmp_path):
    rows = [probing("Case", value, encoder=name, model=name) for name, value in (("some/one@1a", 0.5), ("two", 0.6))]
    as_read(rows, tmp_path / "run")
    index = yaml.safe_load(model_index(RunDirectory(tmp_path / "run")))["model-index"]
    assert [(one["name"], one["results"][0]["metrics"][0]["value"]) for one in index] == [
        ("some/one", 0.5),
        ("two", 0.6),
    ]


def test_names_from_outside_stay_names(tmp_path):
    (found,) = of_rows(tmp_path / "run", probing(HOSTILE, 0.5, model=f"- a: {HOSTILE}"))
    assert HOSTILE in found.dataset_name


def test_a_failed_probe_has_no_entry_and_a_run_without_scores_is_refused(tmp_path):
    (found,) = of_rows(tmp_path / "one", probing("Case", None, layer="0"), probing("Case", 0.5, layer="1"))
    assert found.metric_name == "accuracy, 1"
    as_read([probing("Case", None)], tmp_path / "none")
    with pytest.raises(PolyprobeError, match=r"no scores of a model. Expected a run of probe\.py or train\.py"):
        model_index(RunDirectory(tmp_path / "none"))
