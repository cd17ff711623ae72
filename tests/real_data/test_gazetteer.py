"""The figures of the gazetteer that were measured apart, by other code."""

import pytest

from polyprobe.formats.entities.entity_columns import entity_column_sentences
from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.formats.reading.malformed import refuse
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import summed
from polyprobe.models.baselines.trivial import Gazetteer

pytestmark = pytest.mark.real_data

FIVE = "tab", "token lemma xpos chunk tag"
TWO = "tab", "token tag"
FINER = "tab", "token tag nested"
FINER_NESTED = "tab", "token outer tag"


def percentages(train, layout, test, test_layout, folder):
    def read(name, layout):
        return list(entity_column_sentences(folder / "ner" / name, refuse, layout[0], layout[1].split()))

    gazetteer = Gazetteer.counted(read(train, layout))
    counts = (count_spans(spans_of(one.labels), gazetteer.spans(one.words)) for one in read(test, test_layout))
    whole = span_scores(summed(counts))[0]
    return [round(100 * score, 2) for score in (whole.precision, whole.recall, whole.value)]


@pytest.mark.parametrize(
    ("train", "layout", "test", "test_layout", "expected"),
    [
        ("de_europarl/train.tsv", FIVE, "de_europarl/test.tsv", FIVE, [97.90, 61.39, 75.46]),
        ("de_europarl/train.tsv", FIVE, "europarl/de.test.conll02", TWO, [70.47, 19.62, 30.70]),
        ("fi_finer/train.csv", FINER, "fi_finer/test.csv", FINER, [80.50, 51.96, 63.16]),
        ("fi_finer/train.csv", FINER_NESTED, "fi_finer/test.csv", FINER_NESTED, [25.83, 65.57, 37.06]),
    ],
    ids=["europarl", "other sittings", "finer", "finer nested"],
)
def test_the_gazetteer_reaches_its_measured_figures(train, layout, test, test_layout, expected, data_folder):
    assert percentages(train, layout, test, test_layout, data_folder) == expected
