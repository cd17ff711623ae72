"""Each function has the run of the command that does the same: its name, and its rows to the last byte."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import polyprobe as pp
from tests.commands.forked import run_script
from tests.commands.scripts import SMALL_MODELS
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.saved_run import write_run
from tests.probing.downstream import small_tasks

PAIR = {"sentence_good": "the dogs bark", "sentence_bad": "the dogs barks"}
FITTED_FAST = [
    *("suite.folds=2", "suite.inner_folds=2", "suite.classifier.max_epochs=2", "suite.classifier.weight_decay=[1e-3]"),
    *("suite.regression.max_epochs=2", "suite.regression.epochs_per_evaluation=1"),
]


def letters(texts):
    return np.array([[len(text), *map(text.count, "aei")] for text in texts])


def of_words(sentences):
    return [[-float(len(word)) for word in sentence.split()] for sentence in sentences]


@pytest.fixture
def common(small_data, tmp_path):
    """What all functions are called with."""
    data = ["lang.generator=null", f"paths.data={small_data}"]
    return {"work": tmp_path / "library", "threads": 1, "overrides": data, "quiet": True}


def one_more(common, *overrides):
    return {**common, "overrides": [*common["overrides"], *overrides]}


def probed(common, folder):
    return pp.probe("char_ngrams", tests=["Case", "Tense"], seeds=2, **one_more(common, "probe.max_epochs=1"))


def probed_layers(common, folder):
    encoder = pp.encoder("transformer", model=str(write_transformer(folder, "bert")))
    return pp.probe(
        encoder, suite="linspector_token", tests=["Case"], layers=[0, 1], **one_more(common, "probe.max_epochs=1")
    )


def probed_function(common, folder):
    return pp.probe(letters, name="letters", tests=["Case"], **one_more(common, "probe.max_epochs=1"))


def scored_tasks(common, folder):
    small_tasks.write_reviews(folder)
    options = one_more(common, f"paths.data={folder}", "encoder.width=8", *FITTED_FAST)
    return pp.score_downstream_tasks("char_ngrams", lang="en", tasks=["MR"], **options)


def own_pairs(folder):
    (folder / "dogs.jsonl").write_text(json.dumps(PAIR) + "\n")
    return [f"suite.path={folder / 'dogs.jsonl'}", "suite.format=blimp"]


def scored(common, folder):
    model = pp.predictor("lstm", run=str(write_run(folder)))
    return pp.score_minimal_sets(model, suite="own", lang="en", **one_more(common, *own_pairs(folder)))


def scored_function(common, folder):
    return pp.score_minimal_sets(of_words, suite="own", lang="en", **one_more(common, *own_pairs(folder)))


def trained(common, folder):
    return pp.train("pos", max_epochs=1, **one_more(common, *SMALL_MODELS["pos"]))


def generated(common, folder):
    (folder / "hens.avg").write_text("vary: V[]\nS[] the hen V[s]\nV[s] eats | walks\nV[p] eat | walk\n")
    return pp.generate("own", work=common["work"], overrides=[f"grammar={folder / 'hens.avg'}"], quiet=True)


def compared(common, folder):
    runs = [probed(common, folder), probed_function(common, folder)]
    few = ["sample=40", "resamples=5", common["overrides"][1]]
    return pp.similarity(*runs, measures=["cka"], work=common["work"], overrides=few, quiet=True)


def ranked(common, folder):
    encoder = pp.encoder("transformer", model=str(write_transformer(folder / "model", "bert")))
    grid = ["probe.l1=[0,0.001]", "probe.l2=[0.0001]", "probe.max_epochs=1"]
    run = pp.probe(encoder, suite="linspector_token", probe="neurons", tests=["Case"], **one_more(common, *grid))
    few = ["shares=[0.5]", common["overrides"][1]]
    return pp.neurons(run, rankings=["weights"], work=common["work"], overrides=few, quiet=True)


KINDS = [
    probed, probed_layers, probed_function, scored_tasks, scored, scored_function, trained, generated, compared, ranked,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_command_of_a_run_makes_the_same_run(kind, common, tmp_path):
    run = kind(common, tmp_path)
    _, script, *arguments = shlex.split(run.command)
    repeated = run_script(Path(script).stem, *arguments, f"paths.work={tmp_path / 'command'}")
    assert repeated.returncode == 0, repeated.stderr
    results = tmp_path / "command" / run.path.relative_to(common["work"]) / "results.jsonl"
    assert results.read_bytes() == (run.path / "results.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("kind", "suffixes"),
    [
        (probed, {".csv", ".md", ".tex", ".tsv", ".pdf", ".png"}),
        (scored_function, {".csv", ".md", ".tex", ".pdf", ".png"}),
        (trained, {".csv", ".md", ".tex", ".pdf", ".png"}),
        (generated, {".csv", ".md", ".tex"}),
    ],
    ids=lambda kind: getattr(kind, "__name__", ""),
)
def test_a_run_reports_what_its_command_does(kind, suffixes, common, tmp_path):
    run = kind(common, tmp_path)
    assert run.tables
    assert {file.suffix for file in run.report()} == suffixes
    assert pp.open_run(run.name, work=common["work"]) == run
    assert run in pp.list_runs(common["work"])


def test_a_finished_run_comes_back_as_it_is(common, tmp_path):
    run = probed(common, tmp_path)
    changed = (run.path / "results.jsonl").stat().st_mtime_ns
    assert probed(common, tmp_path) == run
    assert (run.path / "results.jsonl").stat().st_mtime_ns == changed
