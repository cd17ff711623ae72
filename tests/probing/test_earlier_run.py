"""Tests and vectors of an earlier run, from its folder alone."""

import json
import os
import shutil

import numpy as np
import pytest
import yaml

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest, read_sealed, write_sealed
from polyprobe.probing.door import probe_settings
from polyprobe.probing.earlier_run import earlier_run
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.workspace import Workspace
from tests.analysis.finished_runs import training
from tests.probed import probe
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
    probe(ProbingSettings.of(probe_settings(config)))
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
    items = items_of(earlier.design())
    found = earlier.encoded(items)
    matrix = found.matrix(0)[found.rows(items)]
    np.testing.assert_array_equal(matrix, [[1, 2, 3], [2, 3, 4], [3, 4, 5], [5, 6, 7]])


def test_vectors_are_encoded_again_where_the_cache_lacks_them(run, workspace):
    shutil.rmtree(workspace.encodings)
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.design())
    assert earlier.encoded(items).matrix(0).shape == (4, 3)


def test_without_cache_and_file_the_lack_is_said(run, workspace, folder):
    shutil.rmtree(workspace.encodings)
    (folder / "words.vec").unlink()
    earlier = earlier_run(run, workspace)
    with pytest.raises(
        PolyprobeError, match=r"vectors are not in the cache, and its encoder cannot be opened: .*words\.vec"
    ):
        earlier.encoded(items_of(earlier.design()))
    with pytest.raises(PolyprobeError, match="vectors are not in the cache"):
        earlier.check_encodable(items_of(earlier.design()))


def test_items_of_the_cache_need_no_encoder(run, workspace, folder):
    (folder / "words.vec").unlink()
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.design())
    earlier.check_encodable(items)
    assert len(earlier.encoded(items)) == 4


def test_other_vectors_than_those_of_the_run_are_refused(run, workspace, folder):
    shutil.rmtree(workspace.encodings)
    (folder / "words.vec").write_text(VECTORS.replace("5 6 7", "5 6 8"))
    earlier = earlier_run(run, workspace)
    with pytest.raises(PolyprobeError, match="another fingerprint"):
        earlier.encoded(items_of(earlier.design()))


def test_a_test_that_changed_is_refused(run, workspace, folder):
    (folder / "Number.txt").write_text(TEXT.replace("kadut", "talot"))
    with pytest.raises(PolyprobeError, match="Number changed since"):
        earlier_run(run, workspace).design()


def test_tests_that_are_not_asked_for_are_not_read(run, workspace):
    earlier = earlier_run(run, workspace)
    assert earlier.design([]).tests == []
    assert [test.name for test in earlier.design(["Number"]).tests] == ["Number"]


def sealed(run, **changes):
    """Changes entries of run.json as somebody may who seals it anew; the configuration is vouched for as it is."""
    record = read_sealed(run.provenance)
    files = {**record["files"], "config.yaml": file_digest(run.config)}
    write_sealed(run.provenance, {**record, "files": files, **changes})


def configured(run, content):
    run.config.write_text(yaml.safe_dump(content), encoding="utf-8")
    sealed(run)


def content_of(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def victim(folder):
    """A folder of somebody, with what the cache would take for a damaged block and for an old left-over."""
    found = folder / "victim"
    found.mkdir()
    for name in ("thesis.block", ".draft.tmp", "notes.txt"):
        (found / name).write_text("dear")
        os.utime(found / name, (1e9, 1e9))
    return found


LAYERS = [{"name": "static_vectors", "width": 3, "epoch": None}]
NO_FINGERPRINT = ("/", "../../../victim", None)


@pytest.mark.parametrize("name", NO_FINGERPRINT)
def test_a_fingerprint_that_is_no_name_of_a_folder_is_refused_and_nothing_is_touched(name, run, workspace, victim):
    before = content_of(victim.parent)
    name = str(victim) if name == "/" else name
    (run.path / "run.json").write_text(json.dumps({**read_sealed(run.provenance), "encoder": {
        "fingerprint": name, "layers": LAYERS}, "sha256": None}), encoding="utf-8")  # fmt: skip
    content = {key: value for key, value in json.loads(run.provenance.read_text()).items() if key != "sha256"}
    write_sealed(run.provenance, content)
    with pytest.raises(PolyprobeError, match=r"run\.json: "):
        earlier_run(run, workspace)
    after = content_of(victim.parent)
    assert {**after, run.provenance: b""} == {**before, run.provenance: b""}


NO_LAYERS = (None, [{**LAYERS[0], "width": 0}])


@pytest.mark.parametrize("layers", NO_LAYERS)
def test_layers_that_are_none_are_refused(layers, run, workspace):
    sealed(run, encoder={**read_sealed(run.provenance)["encoder"], "layers": layers})
    with pytest.raises(PolyprobeError, match=r"run\.json: encoder\.layers"):
        earlier_run(run, workspace)


def test_vectors_of_another_encoder_that_a_run_claims_are_refused_where_their_layers_differ(run, workspace):
    sealed(run, encoder={**read_sealed(run.provenance)["encoder"], "layers": [{**LAYERS[0], "width": 7}]})
    earlier = earlier_run(run, workspace)
    items = items_of(earlier.design())
    for use in (earlier.encoded, earlier.check_encodable):
        with pytest.raises(PolyprobeError, match=r"\.block has layers of 3 numbers, not of 7"):
            use(items)


def test_a_limit_that_a_run_was_made_with_empties_nobodys_cache(run, workspace):
    """Of one encoding the other is removed by such a limit where the run's own command has it."""
    (own,) = [path for path in workspace.encodings.iterdir() if path.is_dir()]
    shutil.copytree(own, workspace.encodings / ("0" * 32))
    shutil.rmtree(own)
    config = yaml.safe_load(run.config.read_text())
    configured(run, {**config, "cache": {**config["cache"], "max_gb": 2e-7}})
    before = content_of(workspace.encodings)
    earlier = earlier_run(run, workspace)
    assert len(earlier.encoded(items_of(earlier.design()))) == 4
    assert before.items() <= content_of(workspace.encodings).items()


def test_a_configuration_cannot_say_what_is_called(run, workspace):
    text = run.config.read_text().replace("polyprobe.encoders.static_vectors.StaticVectors", "os.system")
    run.config.write_text(text)
    sealed(run)
    found = earlier_run(run, workspace)
    assert found.settings.asked.encoder.options["_target_"] == "polyprobe.encoders.static_vectors.StaticVectors"


def test_a_run_of_another_command_is_none(tmp_path, workspace):
    trained = training(tmp_path)
    trained.config.write_text("task: {name: srl}\n")
    sealed(trained)
    with pytest.raises(PolyprobeError, match=r"a run of train\.py: probe it first, .* encoder\.run="):
        earlier_run(trained, workspace)
    with pytest.raises(PolyprobeError, match=r"not a finished run of probe\.py"):
        earlier_run(RunDirectory(tmp_path / "other"), workspace)


def test_a_language_without_a_file_is_known_from_the_run(run, workspace):
    text = run.config.read_text()
    assert "code: fi" in text
    run.config.write_text(text.replace("code: fi", "code: xno"))
    record = read_sealed(run.provenance)
    write_sealed(run.provenance, {**record, "files": {**record["files"], "config.yaml": file_digest(run.config)}})
    assert [test.name for test in earlier_run(run, workspace).design().tests] == ["Number"]
