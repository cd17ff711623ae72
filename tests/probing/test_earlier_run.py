"""Tests and vectors of an earlier run, from its folder alone."""

import shutil

import numpy as np
import pytest

from src.errors import PolyprobeError
from src.formats.files.digest import file_digest
from src.formats.files.sealed_json import read_sealed, write_sealed
from src.probing.earlier_run import earlier_run
from src.probing.run import probe
from src.probing.settings import ProbingSettings
from src.runs.directory import RunDirectory
from src.runs.workspace import Workspace
from tests.analysis.finished_runs import training
from tests.runs.composed import composed

VECTORS = "4 3\ntalo 1 2 3\ntalot 2 3 4\nkatu 3 4 5\nkadut 5 6 7\n"
TEXT = "".join(f"{split}\t{label}\t{word}\n" for split in ("tr", "va", "te") for label, word in
               (("Sing", "talo"), ("Plur", "talot"), ("Sing", "katu"), ("Plur", "kadut")))  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Makes the run of static vectors on a test of one-word sentences; returns the folder of everything."""
    folder = tmp_path_factory.mktemp("made") / "here"
    folder.mkdir()
    (folder / "words.vec").write_text(VECTORS)
    (folder / "Number.txt").write_text(TEXT)
    own = [
        "suite=own",
        "lang=fi",
        f"suite.path={folder / 'Number.txt'}",
        "suite.format=senteval",
        "suite.level=sentence",
    ]
    encoder = ["encoder=static_vectors", f"encoder.path={folder / 'words.vec'}", "probe.max_epochs=1"]
    config = composed("probe", *own, *encoder, f"paths.work={folder / 'work'}", "trainer.threads=1")
    probe(config, ProbingSettings.of(config))
    shutil.copytree(folder, folder.parent / "kept")
    return folder


@pytest.fixture
def folder(made):
    """Returns that folder as it was made, whatever the test before did to it."""
    shutil.rmtree(made)
    shutil.copytree(made.parent / "kept", made)
    return made


@pytest.fixture
def run(folder):
    (path,) = (folder / "work/runs/probe").iterdir()
    return RunDirectory(path)


@pytest.fixture
def workspace(folder):
    return Workspace(folder / "data", folder / "work", None)


def items_of(study):
    return [item for split in (study.tests[0].test,) for (item,) in split.items]


def test_cached_vectors_are_there_without_the_encoder(run, workspace, folder):
    (folder / "words.vec").unlink()
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.study())
    found = earlier.encoded(items)
    matrix = found.matrix(0)[found.rows(items)]
    np.testing.assert_array_equal(matrix, [[1, 2, 3], [2, 3, 4], [3, 4, 5], [5, 6, 7]])


def test_vectors_are_encoded_again_where_the_cache_lacks_them(run, workspace):
    shutil.rmtree(workspace.encodings)
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.study())
    assert earlier.encoded(items).matrix(0).shape == (4, 3)


def test_without_cache_and_file_the_lack_is_said(run, workspace, folder):
    shutil.rmtree(workspace.encodings)
    (folder / "words.vec").unlink()
    earlier = earlier_run(run, workspace)
    with pytest.raises(
        PolyprobeError, match=r"vectors are not in the cache, and its encoder cannot be opened: .*words\.vec"
    ):
        earlier.encoded(items_of(earlier.study()))
    with pytest.raises(PolyprobeError, match="vectors are not in the cache"):
        earlier.check_encodable(items_of(earlier.study()))


def test_items_of_the_cache_need_no_encoder(run, workspace, folder):
    (folder / "words.vec").unlink()
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.study())
    earlier.check_encodable(items)
    assert len(earlier.encoded(items)) == 4


def test_other_vectors_than_those_of_the_run_are_refused(run, workspace, folder):
    shutil.rmtree(workspace.encodings)
    (folder / "words.vec").write_text(VECTORS.replace("5 6 7", "5 6 8"))
    earlier = earlier_run(run, workspace)
    with pytest.raises(PolyprobeError, match="another fingerprint"):
        earlier.encoded(items_of(earlier.study()))


def test_a_test_that_changed_is_refused(run, workspace, folder):
    (folder / "Number.txt").write_text(TEXT.replace("kadut", "talot"))
    with pytest.raises(PolyprobeError, match="Number changed since"):
        earlier_run(run, workspace).study()


def test_tests_that_are_not_asked_for_are_not_read(run, workspace):
    earlier = earlier_run(run, workspace)
    assert earlier.study([]).tests == []
    assert [test.name for test in earlier.study(["Number"]).tests] == ["Number"]


def test_a_configuration_cannot_say_what_is_called(run, workspace):
    text = run.config.read_text().replace("src.encoders.static_vectors.StaticVectors", "os.system")
    run.config.write_text(text)
    record = read_sealed(run.provenance)
    write_sealed(run.provenance, {**record, "files": {**record["files"], "config.yaml": file_digest(run.config)}})
    found = earlier_run(run, workspace)
    assert found.config["encoder"]["_target_"] == "src.encoders.static_vectors.StaticVectors"


def test_a_run_of_another_command_is_none(tmp_path, workspace):
    with pytest.raises(PolyprobeError, match=r"no finished run of probe\.py"):
        earlier_run(training(tmp_path), workspace)
