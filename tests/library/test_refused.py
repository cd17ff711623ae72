"""What a call is given that it cannot use is a PolyprobeError, with the nearest that it could."""

import re

import numpy as np
import pytest

import polyprobe as pp


def broken(texts):
    raise ValueError("no weights")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lang": "mimi"}, 'lang "mimi" is unknown. Did you mean lang=mini'),
        ({"encoder": pp.encoder("char_ngrams", widht=3)}, "Did you mean encoder.width"),
        ({"encoder": 3}, "encoder must be a choice of encoder=, pp.encoder(…) or a function, got 3."),
        ({"encoder": "char_ngrams", "name": "mine"}, "name=mine is for a function"),
        ({"overrides": ["seedz=3"]}, 'key "seedz" is unknown. Did you mean seed'),
        ({"overrides": "seed=3"}, 'overrides must be a list, got "seed=3". Expected ["seed=3"].'),
        ({"overrides": ["seed=1,2"]}, "seed=1,2 asks for several runs"),
        (
            {"lang": "mini", "overrides": ["check=true"]},
            "check= is only for the command line, as it produces no run: python probe.py lang=mini",
        ),
        ({"encoder": broken, "name": "mine", "overrides": ["job=export", "folder=x"]}, "job= is only for the"),
        ({"overrides": ["check=false", "seed=abc"]}, "seed must be an integer"),
    ],
)
def test_a_mistake_is_told(options, words, tmp_path):
    with pytest.raises(pp.PolyprobeError, match=re.escape(words)):
        pp.probe(work=tmp_path, quiet=True, **options)
    assert not list(tmp_path.iterdir())


def test_several_processes_are_for_the_command(tmp_path):
    words = r"several processes work by .* python train\.py task=pos .*trainer=ddp"
    with pytest.raises(pp.PolyprobeError, match=words):
        pp.train("pos", work=tmp_path, overrides=["trainer=ddp"])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (broken, "mine failed in test_refused.py, line "),
        (lambda texts: np.ones((len(texts), 2)) * 1j, "values of type complex128. Expected real numbers"),
        (lambda texts: np.full((len(texts), 2), np.nan), "mine returned a number that is not finite"),
        (lambda texts: np.zeros((len(texts), len(texts))), "returned layers or widths that differ between items."),
        (lambda texts: [[0.0], [0.0, 1.0]], "mine returned no array of numbers"),
    ],
)
def test_vectors_that_are_none_are_refused(function, words, small_data, tmp_path):
    options = {
        "tests": ["Case", "Tense", "Number", "POS"],
        "overrides": ["lang.generator=null", f"paths.data={small_data}"],
    }
    with pytest.raises(pp.PolyprobeError, match=re.escape(words)):
        pp.probe(function, name="mine", work=tmp_path, quiet=True, **options)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda sentences: 3, "mine failed: TypeError"),
        (lambda sentences: [-1], "mine returned 1 log-probabilities for 2 sentences."),
        (
            lambda sentences: [0.5] * 2,
            "mine returned 0.5 for 'the dogs bark'. Expected a log-probability, or 3, one for",
        ),
        (lambda sentences: [[-1.0]] * 2, "mine returned [-1.0] for"),
    ],
)
def test_log_probabilities_that_are_none_are_refused(function, words, tmp_path):
    (tmp_path / "dogs.jsonl").write_text('{"sentence_good": "the dogs bark", "sentence_bad": "the dogs barks"}\n')
    own = [f"suite.path={tmp_path / 'dogs.jsonl'}", "suite.format=blimp"]
    with pytest.raises(pp.PolyprobeError, match=re.escape(words)):
        pp.score_minimal_sets(function, name="mine", suite="own", work=tmp_path, overrides=own, quiet=True)


def test_vectors_of_no_items_are_refused():
    with pytest.raises(pp.PolyprobeError, match="vectors got no items"):
        pp.encoder("char_ngrams").vectors([])


def test_an_unknown_name_of_the_library_is_told():
    with pytest.raises(AttributeError, match=r"module 'polyprobe' has no attribute 'prob'\. Known: Comparison, "):
        _ = pp.prob


def test_a_run_that_is_not_there_is_told(tmp_path):
    with pytest.raises(pp.PolyprobeError, match="There is no run absent, and no other below"):
        pp.open_run("absent", work=tmp_path)
    with pytest.raises(pp.PolyprobeError, match=r"results\.jsonl: the run is not finished"):
        _ = pp.Run(tmp_path / "absent").rows


def test_labels_are_text_in_a_notebook_whatever_they_hold(tmp_path):
    labels = ["<script>alert(1)</script>", "b"] * 12
    data = [(f"<b>{number}", label) for number, label in enumerate(labels)]
    run = pp.probe("char_ngrams", data=data, work=tmp_path / "a<b>", quiet=True, overrides=["probe.max_epochs=1"])
    shown = run._repr_html_()
    assert "<caption>" in shown
    assert "<script" not in shown
    assert "<b>" not in shown
