"""Training runs of language models: joined languages, an interrupted run."""

import csv
from pathlib import Path

import pytest
import torch

from polyprobe.errors import Impossible, MalformedLine
from polyprobe.models.base.checkpoint_file import load_model
from polyprobe.models.language_model import LanguageModel
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.door import language_model_settings
from polyprobe.training.run import train_language_model
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run
from tests.training.five_tasks import composed

SMALL = ["task=lm", "model.word_size=8", "model.hidden_size=8", "model.optimizer.lr=5", "trainer.threads=1"]
TEXTS = {
    "en": {"train": "the dog barks\nthe dogs bark\n", "valid": "the dog barks\n", "test": "the cat barks\n"},
    "fr": {"train": "le chien aboie\nle chien dort\n", "valid": "le chien dort\n", "test": "le chat dort\n"},
}


def small_run(data, work, *more):
    return train_language_model(composed(*SMALL, "trainer.max_epochs=3", *on_small_data(data, work), *more)).path


def metrics(run: Path):
    with open(run / "metrics.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def checkpoint(run: Path, name: str) -> LanguageModel:
    return load_model((run / name).resolve())


@pytest.fixture
def two_languages(tmp_path) -> Path:
    for lang, splits in TEXTS.items():
        (tmp_path / "data/lm" / lang).mkdir(parents=True)
        for split, text in splits.items():
            (tmp_path / f"data/lm/{lang}/{split}.txt").write_text(text, encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture(scope="module")
def whole_run(small_data, tmp_path_factory):
    return small_run(small_data, tmp_path_factory.mktemp("whole"))


def test_an_interrupted_run_ends_with_the_same_numbers(whole_run, small_data, tmp_path, monkeypatch):
    step = LanguageModel.training_step
    monkeypatch.setattr(LanguageModel, "training_step", lambda *given: _interrupted(step, *given))
    with pytest.raises(KeyboardInterrupt):
        small_run(small_data, tmp_path)
    monkeypatch.undo()
    run = small_run(small_data, tmp_path)
    for name in ("results.jsonl", "metrics.csv"):
        assert (run / name).read_bytes() == (whole_run / name).read_bytes()
    ours, theirs = (checkpoint(one, "last").state_dict() for one in (run, whole_run))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def _interrupted(step, model, batch, batch_index):
    if model.trainer.current_epoch == 1 and batch_index == 2:
        raise KeyboardInterrupt
    return step(model, batch, batch_index)


def test_the_best_epoch_has_the_lowest_perplexity_and_the_scores_are_its_own(whole_run):
    rows = metrics(whole_run)
    values = [float(row["dev/perplexity"]) for row in rows]
    best = checkpoint(whole_run, "best")
    assert (whole_run / "best").resolve().stem == f"{values.index(min(values)):02d}"
    assert min(values) < values[0] / 2
    assert best.exposed_layers == (("words", 8), ("lstm1", 8), ("lstm2", 8))


def test_two_processes_score_and_learn_as_one(small_data, tmp_path):
    alike = [*SMALL, "model.dropout=0.0", "trainer.max_epochs=1", "task.datamodule.columns=3"]
    one = train_language_model(composed(*alike, *on_small_data(small_data, tmp_path / "one")))
    processes = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu", "trainer.threads=1"]
    done = run_script("train", *alike, *on_small_data(small_data, tmp_path / "two"), *processes)
    assert done.returncode == 0, done.stderr
    two = RunDirectory(only_run(tmp_path / "two", "train"))
    assert one.name == two.name
    for single, double in zip(one.rows(), two.rows(), strict=True):
        assert double == {**single, "value": pytest.approx(single["value"], rel=1e-4)}


def test_several_languages_are_one_model_and_each_test_text_stands_apart(two_languages, tmp_path):
    small = ["lang=en", "data.languages=[en,fr]", "task.datamodule.least_word_count=1", "trainer.max_epochs=1"]
    paths = [f"paths.data={two_languages}", f"paths.work={tmp_path / 'work'}"]
    directory = train_language_model(composed(*SMALL, *small, *paths))
    assert directory.name.startswith("lm-en+fr-learned-s1-")
    words = {"the", "dog", "barks", "dogs", "bark", "le", "chien", "aboie", "dort"}
    assert set(checkpoint(directory.path, "best").vocabulary.words) == words
    n_of_split = {
        row["split"]: row["n"] for row in directory.rows() if row["stage"] == "test" and row["metric"] == "perplexity"
    }
    assert n_of_split == {"dev": 8, "test": 8, "test_en": 4, "test_fr": 4}


def test_the_texts_of_joined_languages_are_all_of_the_corpus_that_is_named_or_none(tmp_path):
    command = ["task=lm", "lang=en", "data.languages=[en,fr]", "data.corpus=wikipedia", f"paths.data={tmp_path}"]

    def train_files():
        return language_model_settings(composed(*command)).data.entry["train"]

    def put(lang):
        (tmp_path / f"lm/wikipedia/{lang}").mkdir(parents=True)
        (tmp_path / f"lm/wikipedia/{lang}/train.txt").touch()

    assert train_files() == ["lm/en/train.txt", "lm/fr/train.txt"]
    put("en")
    with pytest.raises(Impossible, match=r"wikipedia for fr are not in .* data\.corpus=small"):
        train_files()
    put("fr")
    assert train_files() == ["lm/wikipedia/en/train.txt", "lm/wikipedia/fr/train.txt"]


def test_scores_rest_on_the_sentences_that_are_not_left_out(two_languages, tmp_path):
    with open(two_languages / "lm/en/test.txt", "a", encoding="utf-8") as file:
        file.write("no cat purrs loudly\n")
    small = ["lang=en", "task.datamodule.least_word_count=1", "task.datamodule.max_unknown_share=0.4"]
    paths = [f"paths.data={two_languages}", f"paths.work={tmp_path / 'work'}"]
    directory = train_language_model(composed(*SMALL, *small, "trainer.max_epochs=1", *paths))
    assert directory.record()["counts"]["test sentences skipped, OOV rate above 0.4"] == 1
    scored = [row for row in directory.rows() if row["split"] == "test" and row["metric"] == "perplexity"]
    assert {row["stage"]: row["n"] for row in scored} == {"test": 4, "baseline": 4}


def with_vocabularies(data: Path, **texts: str) -> list[str]:
    """Writes a file of words for each language; returns the settings of a run that takes them."""
    for lang, text in texts.items():
        (data / f"lm/{lang}/vocab.txt").write_text(text, encoding="utf-8")
    (lang, *_) = texts
    return [f"lang={lang}", f"+data.corpora.small.vocabulary=lm/{lang}/vocab.txt", "trainer.max_epochs=1"]


def test_vocabularies_of_joined_languages_are_joined(two_languages, tmp_path, monkeypatch):
    with_vocabularies(two_languages, en="the\ndog\n", fr="le\nthe\n")
    for lang in ("en", "fr"):
        (two_languages / "lm/wikipedia").mkdir(exist_ok=True)
        (two_languages / "lm" / lang).rename(two_languages / "lm/wikipedia" / lang)
    joined = ["lang=en", "data.languages=[en,fr]", "data.corpus=published", "trainer.max_epochs=1"]
    paths = [f"paths.data={two_languages}", f"paths.work={tmp_path / 'work'}"]
    directory = train_language_model(composed(*SMALL, *joined, *paths))
    assert checkpoint(directory.path, "best").vocabulary.words == ("the", "dog", "le")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the\ndog\nthe\n", 'line 3: the line has "the", as line 1 has'),
        ("the 12\n", 'line 1: the line has "the 12"'),
    ],
)
def test_a_damaged_vocabulary_is_refused_with_its_line(text, found, two_languages, tmp_path):
    named = with_vocabularies(two_languages, en=text)
    with pytest.raises(MalformedLine, match=found):
        train_language_model(composed(*SMALL, *named, f"paths.data={two_languages}", f"paths.work={tmp_path}"))
