"""New text labelled by kept probes: `analyze.py job=apply`."""

import shutil

import pytest

from polyprobe.analysis.door import analyze
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import read_sealed, write_sealed
from polyprobe.probing.door import probe_settings
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.array_records import Predictions
from polyprobe.runs.directory import RunDirectory
from tests.commands.scripts import with_mini
from tests.probed import probe
from tests.runs.composed import composed

PROBE = ["lang=mini", "encoder.width=24", "trainer.threads=1", "probe.max_epochs=2", "probe=linear"]
BLANK = "\t_" * 8
CONLLU = f"1\tevler{BLANK}\n2\teski{BLANK}\n\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory, mini_folder):
    return with_mini(mini_folder, tmp_path_factory.mktemp("work"))


def made(work, *more):
    config = composed("probe", *PROBE, "probe.keep=true", f"paths.work={work}", *more)
    return probe(ProbingSettings.of(probe_settings(config)))


@pytest.fixture(scope="module")
def forms(work):
    return made(work, "tests=[Case,SameFeat]")


@pytest.fixture
def copied(forms, tmp_path):
    """Returns the run of forms where a test may change it."""
    shutil.copytree(forms.path, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


def applied(run, work, text, *more):
    """Labels a text; returns what is said of it, and the answers by the names of their files."""
    typed = ["job=apply", f"run={run.path}", f"text={text}", f"paths.work={work}", "trainer.threads=1", *more]
    said = list(analyze(composed("analyze", *typed)))
    folder = run.labelled / str(text)[1:]
    return said, {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@pytest.mark.parametrize(("test", "other"), [("Case", "SameFeat"), ("SameFeat", "Case")])
def test_the_items_of_the_test_are_labelled_as_in_the_run(copied, work, tmp_path, test, other):
    known = Predictions.read(copied.predictions / f"{test}.npz")
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{item}\n" for item in known.inputs), encoding="utf-8")
    said, answers = applied(copied, work, text)
    rows = answers[f"{test}-char_ngrams-s1.tsv"].splitlines()
    labels = known.labels[known.predicted[0, 0]]
    assert [row.rpartition("\t")[0] for row in rows] == [
        f"{item}\t{label}" for item, label in zip(known.inputs, labels, strict=True)
    ]
    assert all(0 < float(row.rpartition("\t")[2]) <= 1 for row in rows)
    assert said[0] == f"left out, as tests of {'pairs of' if other == 'SameFeat' else 'single'} words: {other}"
    assert len(answers) == 1


def test_every_word_of_sentences_or_of_a_treebank_is_labelled(work, tmp_path):
    run = made(work, "suite=linspector_token", "tests=[Case]")
    plain, treebank = tmp_path / "text.txt", tmp_path / "text.conllu"
    plain.write_text("evler eski\n", encoding="utf-8")
    treebank.write_text(CONLLU, encoding="utf-8")
    (answers,) = applied(run, work, plain)[1].values()
    assert [row.partition("\t")[0] for row in answers.split("\n")] == ["evler", "eski", "", ""]
    assert [answers] == list(applied(run, work, treebank)[1].values())


def test_the_layer_with_the_best_dev_accuracy_labels_unless_one_is_named(work, tmp_path):
    run = made(work, "suite=senteval", "tests=[Tense]", "seeds=2")
    text = tmp_path / "text.txt"
    text.write_text("evler eski .\n", encoding="utf-8")
    rows = [row for row in run.rows() if row["stage"] == "probing" and "seed" in row]
    best = max(rows, key=lambda row: row["dev"])
    said, answers = applied(run, work, text)
    assert list(answers) == [f"Tense-char_ngrams-s{best['seed']}.tsv"]
    assert said[0].endswith(f"Tense, layer char_ngrams, {100 * best['dev']:.1f} % on dev")


@pytest.mark.parametrize(
    ("content", "more", "found"),
    [
        (b"evler\n\n", [], "line 2: the line is empty"),
        (b"evler\nev\tevler\n", [], "line 2: the row has 2 columns"),
        (b"ev\xff\n", [], "line 1"),
        (b"ev\tevler\n", ["tests=[Case]"], "Case: each item is a word"),
        (b"ev\n", ["tests=[SameFeat]"], "SameFeat: each item is two words with a tab"),
        (b"ev\n", ["tests=[Csae]"], 'test "Csae" is unknown. Did you mean Case'),
        (b"ev\n", ["layer=char_ngram"], 'layer "char_ngram" is unknown. Did you mean char_ngrams'),
    ],
)
def test_what_cannot_be_labelled_is_refused(forms, work, tmp_path, content, more, found):
    (tmp_path / "text.txt").write_bytes(content)
    with pytest.raises(PolyprobeError, match=found):
        applied(forms, work, tmp_path / "text.txt", *more)


def test_nothing_is_written_over(copied, work, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ev\n", encoding="utf-8")
    before = applied(copied, work, text)[1]
    text.write_text("evler\n", encoding="utf-8")
    with pytest.raises(PolyprobeError, match=r"Case-char_ngrams-s1\.tsv already exists. Remove it"):
        applied(copied, work, text)
    (written,) = (copied.labelled / str(text)[1:]).iterdir()
    assert before == {written.name: written.read_text(encoding="utf-8")}


def test_a_run_without_kept_probes_and_a_missing_run_or_text_are_named(copied, work, tmp_path):
    text = tmp_path / "text.txt"
    with pytest.raises(PolyprobeError, match=r"text\.txt: there is no such file"):
        applied(copied, work, text)
    text.write_text("ev\n", encoding="utf-8")
    shutil.rmtree(copied.probes)
    with pytest.raises(PolyprobeError, match=r"has no kept probes. Repeat its command with probe\.keep=true"):
        applied(copied, work, text)
    with pytest.raises(PolyprobeError, match='run "none" is unknown'):
        applied(RunDirectory(tmp_path / "none"), work, text)


def test_the_files_of_the_tests_are_not_needed(work, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    table = tmp_path / "labels.tsv"
    rows = "".join(f"talo{number}ssa\tin\nkatu{number}lla\ton\n" for number in range(20))
    table.write_text(f"word\tlabel\n{rows}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = RunDirectory(made(work, "suite=table", "suite.path=labels.tsv").path.absolute())
    known = Predictions.read(run.predictions / "label.npz")
    table.unlink()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "text.txt").write_text("".join(f"{item}\n" for item in known.inputs), encoding="utf-8")
    (answers,) = applied(run, work, tmp_path / "text.txt")[1].values()
    labels = known.labels[known.predicted[0, 0]]
    assert [row.split("\t")[1] for row in answers.splitlines()] == labels.tolist()


def test_another_encoder_is_refused(copied, work, tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("ev\n", encoding="utf-8")
    record = read_sealed(copied.provenance)
    note = {**record["encoder"], "fingerprint": "0" * 32}
    write_sealed(copied.provenance, {**record, "encoder": note})
    with pytest.raises(PolyprobeError, match="it was trained on vectors of fingerprint"):
        applied(copied, work, text)
