"""Scores beside those of programs by others: udtools for trees, seqeval for spans, on files that chance draws."""

import io
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score
from udtools.udeval import evaluate, load_conllu

from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row, write
from polyprobe.metrics.official.conll2018 import score_files
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import summed

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
RELATIONS = ["root", "nsubj", "obl:tmod", "nmod", "punct", "aux", "case"]
UPOS = ["NOUN", "VERB", "PUNCT"]
ENHANCED = {"ELAS", "EULAS"}


@st.composite
def heads(draw, n_words: int) -> tuple[int, ...]:
    """A tree with one root: in some order, every word hangs on one that came before it."""
    order = draw(st.permutations(range(1, n_words + 1)))
    found = [0] * n_words
    for place, word in enumerate(order[1:], start=1):
        found[word - 1] = draw(st.sampled_from(order[:place]))
    return tuple(found)


@st.composite
def sentence(draw, forms: Sequence[str]) -> ConlluSentence:
    rows = []
    for number, (form, head) in enumerate(zip(forms, draw(heads(len(forms))), strict=True), start=1):
        upos, feats = (
            draw(st.sampled_from(["NOUN", "VERB", "PUNCT"])),
            draw(st.sampled_from(["_", "Case=Nom", "My=Own"])),
        )
        relation = draw(st.sampled_from(RELATIONS[1:])) if head else "root"
        rows.append(Row(str(number), form, draw(st.sampled_from("lm")), upos, "_", feats, str(head), relation))
    return ConlluSentence(1, 1, (), tuple(rows))


forms = st.lists(st.sampled_from(["a", "bb", "Äiti", "."]), min_size=1, max_size=6)
treebanks = st.lists(forms.flatmap(lambda words: st.tuples(sentence(words), sentence(words))), min_size=1, max_size=3)


@given(treebanks)
@settings(max_examples=40)
def test_trees_score_as_udtools_says(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("trees")
    for side, name in enumerate(("gold", "system")):
        write((pair[side] for pair in drawn), folder / name)
    theirs = evaluate(*(scored_words(folder / name) for name in ("gold", "system")))
    ours = score_files(folder / "gold", folder / "system")
    assert ours.keys() == theirs.keys() - ENHANCED
    for metric, score in ours.items():
        found = (theirs[metric].correct, theirs[metric].gold_total, theirs[metric].system_total)
        assert (score["correct"], score["gold_total"], score["system_total"]) == found, metric
        assert score["f1"] == pytest.approx(100 * theirs[metric].f1, abs=0.0051)


def scored_words(path):
    return load_conllu(io.StringIO(path.read_text(encoding="utf-8")), str(path), {})


tags = st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), min_size=1, max_size=8)


@given(st.lists(tags, min_size=1, max_size=4))
@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_spans_score_as_seqeval_says(sentences):
    gold, system = ([[pair[side] for pair in one] for one in sentences] for side in (0, 1))
    counts = summed(count_spans(spans_of(one), spans_of(other)) for one, other in zip(gold, system, strict=True))
    whole = span_scores(counts)[0]
    scorers = (precision_score, recall_score, f1_score)
    theirs = [scorer(gold, system, zero_division=0) for scorer in scorers]
    assert [whole.precision, whole.recall, whole.value] == pytest.approx(theirs)
