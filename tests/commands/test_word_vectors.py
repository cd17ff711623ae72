"""Word vectors as a user trains them, and what the run says at its end."""

import json
import os
import re
import shutil
import signal
import subprocess

import gensim.models  # noqa: F401  (loaded here, once for all that is forked)
import pytest

from tests.commands.forked import ended_by, run_script, started_until
from tests.commands.scripts import ROOT, command_line, on_small_data, only_run

FILES = {"fasttext": ["fasttext.bin", "vectors.vec"], "subword": ["pieces.model", "vectors.vec"]}
SMALL = {"word2vec": [], "fasttext": ["model.bucket=500"], "subword": ["model.n_pieces=150"]}


def training(data, work, model, *more):
    numbers = ["model.width=8", "model.epochs=2", "trainer.threads=1"]
    return ["task=word_vectors", f"model={model}", *on_small_data(data, work), *numbers, *SMALL[model], *more]


def trained(data, work, model):
    done = run_script("train", *training(data, work, model))
    assert done.returncode == 0, done.stderr
    return done.stdout


def trained_with_another_hash_seed(data, work, model):
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    arguments = command_line("train", *training(data, work, model))
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("model", "files"), FILES.items())
def test_processes_that_hash_strings_differently_write_the_same_bytes(model, files, small_data, tmp_path):
    trained(small_data, tmp_path / "one", model)
    trained_with_another_hash_seed(small_data, tmp_path / "other", model)
    first, second = (only_run(tmp_path / name, "train") / "vectors" for name in ("one", "other"))
    assert sorted(path.name for path in first.iterdir()) == files
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in files)


@pytest.fixture(scope="module")
def finished(small_data, tmp_path_factory):
    """A work folder with a finished run, and what it printed."""
    work = tmp_path_factory.mktemp("finished")
    return work, trained(small_data, work, "word2vec")


def test_rows_say_how_much_of_the_text_has_a_vector(finished):
    run = only_run(finished[0], "train")
    assert run.name.startswith("word_vectors-mini-word2vec-s1-")
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["metric"] for row in rows] == ["token_coverage", "type_coverage"]
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    counts = record["counts"]
    assert [row["n"] for row in rows] == [counts["units"], counts["types"]]
    assert rows[1]["value"] == counts["vocabulary"] / counts["types"]
    assert record["is_reproducible"]
    assert set(record["data"]) == {"corpora/mini.txt"}
    digest = record["data"]["corpora/mini.txt"][:12]
    rows = map(json.loads, (run / "results.jsonl").read_text(encoding="utf-8").splitlines())
    assert {row["sources"] for row in rows} == {f"data={digest}"}


def test_the_printed_command_probes_the_vectors(finished, small_data):
    line = next(line for line in finished[1].splitlines() if line.startswith("python probe.py"))
    arguments = line.split()[2:]
    assert arguments[:2] == ["lang=mini", "encoder=static_vectors"]
    small = [*on_small_data(small_data, finished[0]), "tests=[Case]", "probe.max_epochs=1"]
    done = run_script("probe", *arguments, *small)
    assert done.returncode == 0, done.stderr
    assert "Case" in done.stdout


def test_the_same_command_again_says_that_it_is_finished(finished, small_data):
    again = trained(small_data, finished[0], "word2vec")
    assert "is finished" in again
    assert "epoch" not in again
    assert re.search(r"vocabulary [\d,]+ of", again)


def test_vectors_that_were_removed_are_made_anew(finished, small_data, tmp_path):
    work = shutil.copytree(finished[0], tmp_path / "work")
    vectors = only_run(work, "train") / "vectors/vectors.vec"
    before = vectors.read_bytes()
    vectors.unlink()
    assert "beginning anew" in trained(small_data, work, "word2vec")
    assert vectors.read_bytes() == before


def test_a_signal_ends_a_run_clearly_and_the_same_command_begins_anew(small_data, work, tmp_path):
    arguments = training(small_data, work, "fasttext", "model.epochs=100000")
    first = started_until("train", arguments, tmp_path / "first", "epoch  2")
    assert ended_by(first, signal.SIGTERM) == 143, first.said
    assert "Traceback" not in first.said
    assert not list((only_run(work, "train") / "vectors").iterdir())
    again = started_until("train", arguments, tmp_path / "again", "beginning anew")
    assert ended_by(again, signal.SIGKILL) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["task=word_vectors", "model=role_labeller"], "Known: fasttext, subword, word2vec"),
        (
            ["task=word_vectors", "trainer.devices=2"],
            "in one process on the CPU, with model.workers threads",
        ),
        (["task=word_vectors", "data.lowercase=maybe"], "data.lowercase must be true, false or python"),
        (["task=word_vectors", "lang=hu"], "Languages that have one: de, en, es, fi, mini, ru, tr"),
    ],
)
def test_what_it_cannot_do_is_said_in_one_paragraph(arguments, words, small_data, work):
    small = on_small_data(small_data, work)
    done = run_script("train", *arguments, *(small if "lang=de" not in arguments else small[1:]))
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
