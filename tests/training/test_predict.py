"""A finished run labels files: scored as any scorer scores files, the written ones give the run's own scores."""

import json

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.pairs.labelled_pairs import table_pairs
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles.universal_propbank import universal_propbank_sentences
from polyprobe.metrics.official import conll2018, conlleval
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.tallies import summed
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.held_folder import RunIsBusy
from polyprobe.training.predict import check_lengths
from tests.models.treebank import EIGHT
from tests.training.five_tasks import TASKS, composed, settings, trained
from tests.training.labelled_files import labelled_file

TEST_FILES = {
    "pos": "ud/mini/test.conllu",
    "dep": "ud/mini/test.conllu",
    "ner": "ner/mini/test.txt",
    "srl": "srl/mini/mini-up-test.conllup",
    "nli": "nli/en_sick/SICK.txt",
}
EPOCHS = "trainer.max_epochs=4"


@pytest.fixture(scope="module", params=TASKS)
def run(request, small_data, tmp_path_factory):
    work = tmp_path_factory.mktemp(request.param)
    return request.param, trained(request.param, small_data, work, EPOCHS), work


def file_of_test(task, small_data, work):
    return (work / "data" if task == "nli" else small_data) / TEST_FILES[task]


def predicted(task, file, small_data, work):
    return labelled_file(composed(*settings(task, small_data, work, EPOCHS, f"predict={file}")))


def scores_on_test(run):
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    of_test = [row for row in rows if row["stage"] == "test" and row["split"] == "test" and not row.get("test")]
    return {row["metric"]: row["value"] for row in of_test}


def counted_in(task, gold, written):
    """Scores what was written as the official scorer does, but without rounding."""
    if task == "ner":
        found = conlleval.score_files(written)
        return {"span_f1": 2 * found["correct_phrases"] / (found["gold_phrases"] + found["found_phrases"])}
    if task in ("pos", "dep"):
        found = conll2018.score_files(gold, written)
        names = {"accuracy": "UPOS"} if task == "pos" else {"las": "LAS", "uas": "UAS", "clas": "CLAS"}
        return {
            metric: 2 * found[name]["correct"] / (found[name]["gold_total"] + found[name]["system_total"])
            for metric, name in names.items()
        }
    if task == "srl":
        pairs = zip(
            universal_propbank_sentences(gold, refuse), universal_propbank_sentences(written, refuse), strict=True
        )
        counts = (count_roles(right.propositions, ours.propositions) for right, ours in pairs)
        return {one.metric: one.value for one in role_scores(summed(counts))[:2]}
    sick = composed("task=nli", "lang=en")["data"]["corpora"]["sick"]
    layout = {**sick["reader_options"], **sick["split_options"]["test"]}
    right, ours = ([one.label for one in table_pairs(path, refuse, **layout)] for path in (gold, written))
    return {"accuracy": sum(a == b for a, b in zip(right, ours, strict=True)) / len(right)}


def test_scoring_the_written_test_file_gives_the_test_scores_of_the_run(run, small_data):
    task, path, work = run
    gold = file_of_test(task, small_data, work)
    written = predicted(task, gold, small_data, work)
    assert written == path / "predictions" / gold.relative_to("/")
    expected = scores_on_test(path)
    found = counted_in(task, gold, written)
    assert found == pytest.approx({name: expected[name] for name in found}, abs=1e-12)
    assert any(found.values())


def test_the_parser_that_linspector_ran_writes_the_trees_that_it_is_scored_by(small_data, tmp_path):
    more = (EPOCHS, "model=biaffine_parser_allennlp")
    path = trained("dep", small_data, tmp_path, *more)
    gold = file_of_test("dep", small_data, tmp_path)
    written = labelled_file(composed(*settings("dep", small_data, tmp_path, *more, f"predict={gold}")))
    found, expected = counted_in("dep", gold, written), scores_on_test(path)
    assert found == pytest.approx({name: expected[name] for name in found}, abs=1e-12)
    assert found["las"] > 0


def test_files_of_one_name_in_two_folders_have_each_their_predictions(run, small_data, tmp_path):
    task, _, work = run
    first = file_of_test(task, small_data, work)
    second = tmp_path / first.parent.name / first.name
    second.parent.mkdir()
    second.write_bytes(first.read_bytes())
    written = {predicted(task, file, small_data, work) for file in (first, second)}
    assert len(written) == 2
    assert len({file.read_bytes() for file in written}) == 1


def test_nothing_is_written_into_a_run_that_another_process_is_at_work_on(run, small_data):
    task, path, work = run
    with RunDirectory(path).held(), pytest.raises(RunIsBusy, match="is in use by process"):
        predicted(task, file_of_test(task, small_data, work), small_data, work)


def test_prediction_is_no_part_of_what_a_run_is(run, small_data):
    task, path, work = run
    predicted(task, file_of_test(task, small_data, work), small_data, work)
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_run_that_is_not_there_is_named_with_the_command_that_trains_it(small_data, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["train.py", "task=pos", "lang=mini", "predict=some file"])
    with pytest.raises(PolyprobeError, match=r"runs/train/pos-mini-.* is not there\. To train it: python train.py"):
        predicted("pos", small_data / TEST_FILES["pos"], small_data, tmp_path)


def test_a_file_that_is_not_there_is_named(run, small_data):
    task, _, work = run
    with pytest.raises(PolyprobeError, match="absent: there is no such file"):
        predicted(task, work / "absent", small_data, work)
    with pytest.raises(PolyprobeError, match=f"predict={work}: {work} is a folder. Expected a file"):
        predicted(task, work, small_data, work)


def test_a_sentence_that_training_would_not_read_is_refused():
    check_lengths("file", EIGHT, 5)
    with pytest.raises(PolyprobeError, match=r"file, line 3: the sentence has 5 words\. Expected at most 4 .*cut the"):
        check_lengths("file", EIGHT, 4)


def test_what_becomes_of_malformed_places_of_the_file_does_not_decide_which_run_is_meant(run, small_data):
    task, directory, work = run
    file = file_of_test(task, small_data, work)
    skipping = ["data.on_malformed=skip", f"predict={file}"]
    written = labelled_file(composed(*settings(task, small_data, work, EPOCHS, *skipping)))
    assert directory in written.parents
