"""`verify=`: every file of a run, as it was written or not."""

import shutil
from pathlib import Path

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.analysis.work_folder import verify
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.formats.files.digest import file_digest, write_sealed
from polyprobe.models.base.checkpoint_file import write_digest
from polyprobe.runs.directory import RunDirectory
from tests.analysis.finished_runs import predicted, training
from tests.analysis.handmade import PROBING, TRAINING


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A work folder with a training run, its checkpoint and link, and a probing run with all that shows it."""
    work = tmp_path_factory.mktemp("made") / "work"
    trained = training(work)
    trained.epochs.mkdir()
    trained.checkpoint(1).write_bytes(bytes(1000))
    write_digest(trained.checkpoint(1), file_digest(trained.checkpoint(1)))
    trained.best.symlink_to("epochs/01.ckpt")
    for run in (trained, predicted(work, PROBING, [[1, 0, 1, 1]])):
        show(report_run(run.path))
    return work


@pytest.fixture
def work(made, tmp_path):
    return shutil.copytree(made, tmp_path / "work", symlinks=True)


def lines(capsys) -> dict[str, str]:
    """The states that were printed, by the names below the run's folder."""
    said = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines() if "runs/" in line]
    return {path.partition("-s1-")[2].partition("/")[2]: state for state, path, *_ in said}


def test_files_as_they_were_written_are_sound_each_on_a_line(work, capsys):
    show(verify(work, PROBING))
    found = lines(capsys)
    assert set(found.values()) == {"sound"}
    kinds = {"run.json", "results.jsonl", "config.yaml", "predictions/Case.npz", "errors/Case.tsv", "labels.csv"}
    assert kinds < set(found)
    show(verify(work, TRAINING))
    found = lines(capsys)
    assert set(found.values()) == {"sound"}
    assert {"epochs/01.ckpt", "best", "metrics.csv", "pictures/training.csv", "made_files.json"} < set(found)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (PROBING, "run.json"),
        (PROBING, "results.jsonl"),
        (PROBING, "config.yaml"),
        (PROBING, "predictions/Case.npz"),
        (PROBING, "errors/Case.tsv"),
        (PROBING, "labels.csv"),
        (PROBING, "pictures/probing.csv"),
        (TRAINING, "metrics.csv"),
        (TRAINING, "epochs/01.ckpt"),
    ],
)
@pytest.mark.parametrize("removed", [False, True], ids=["a byte", "the file"])
def test_what_is_changed_is_altered_and_what_is_gone_is_missing(run, name, removed, work, capsys):
    (path,) = work.glob(f"runs/*/{run}/{name}")
    content = path.read_bytes()
    if removed:
        path.unlink()
    else:
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(PolyprobeError, match="differ from what was written"):
        show(verify(work, "work"))
    assert lines(capsys)[name] == ("missing" if removed else "altered")


def test_a_changed_record_of_what_was_made_is_altered(work, capsys):
    (path,) = work.glob(f"runs/*/{PROBING}/made_files.json")
    path.write_text(path.read_text(encoding="utf-8").replace("close", "shut"), encoding="utf-8")
    with pytest.raises(PolyprobeError, match="differ from what was written"):
        show(verify(work, PROBING))
    assert lines(capsys)["made_files.json"] == "altered"


def test_a_table_of_other_results_is_stale(work, capsys):
    (results,) = work.glob(f"runs/*/{PROBING}/results.jsonl")
    results.write_text("".join(reversed(results.read_text(encoding="utf-8").splitlines(keepends=True))) + "\n")
    with pytest.raises(PolyprobeError, match="differ from what was written"):
        show(verify(work, PROBING))
    found = lines(capsys)
    assert found["results.jsonl"] == "altered"
    assert found["labels.csv"] == found["pictures/probing.csv"] == "stale"


def test_a_file_of_which_nobody_kept_a_digest_is_unrecorded_and_no_fault(work, capsys):
    (run,) = work.glob(f"runs/*/{TRAINING}")
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    show(draw_run(run, "full"))
    capsys.readouterr()
    show(verify(work, str(run)))
    found = lines(capsys)
    assert found["notes.txt"] == found["pictures/training.csv"] == "unrecorded"
    assert found["results.jsonl"] == "sound"


def test_a_link_to_a_renamed_checkpoint_is_missing_and_the_renamed_one_unrecorded(work, capsys):
    (run,) = work.glob(f"runs/*/{TRAINING}")
    (run / "epochs/01.ckpt").rename(run / "epochs/02.ckpt")
    with pytest.raises(PolyprobeError, match="differ from what was written"):
        show(verify(work, TRAINING))
    found = lines(capsys)
    assert (found["best"], found["epochs/01.ckpt"], found["epochs/02.ckpt"]) == ("missing", "missing", "unrecorded")


def test_a_name_of_no_run_is_refused_and_a_work_folder_is_taken_by_its_path(work, tmp_path, capsys):
    with pytest.raises(UnknownChoice):
        show(verify(work, "nothing"))
    show(verify(tmp_path, str(work)))
    assert len(lines(capsys)) > 10


def test_vectors_by_a_name_that_leads_elsewhere_are_missing(work, capsys):
    run = RunDirectory(next(work.glob(f"runs/*/{TRAINING}")))
    write_sealed(run.provenance, {**run.record(), "vectors": {"..": "0", "a\0b": "0", "vectors.vec": "0"}})
    with pytest.raises(PolyprobeError, match="3 of "):
        show(verify(work, TRAINING))
    missing = [Path(name) for name, state in lines(capsys).items() if state == "missing"]
    assert len(missing) == 3
    assert all(path.parts[0] == "vectors" and ".." not in path.parts for path in missing)


def test_who_writes_the_digest_too_is_not_noticed(work, capsys):
    (run,) = work.glob(f"runs/*/{TRAINING}")
    checkpoint = run / "epochs/01.ckpt"
    checkpoint.write_bytes(b"forged")
    write_digest(checkpoint, file_digest(checkpoint))
    show(verify(work, TRAINING))
    assert lines(capsys)["epochs/01.ckpt"] == "sound"
