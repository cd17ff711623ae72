"""Sizes of the published corpora: sentences, tokens, spans by the conlleval rule."""

import pytest

from polyprobe.formats.entities.entity_columns import entity_column_sentences
from polyprobe.formats.entities.span_tags import n_without_b, spans_of
from polyprobe.formats.reading.malformed import refuse

pytestmark = pytest.mark.real_data

TAB, SPACE = "tab", "space"
FINER = TAB, "token tag nested"
FINER_NESTED = TAB, "token outer tag"
GERMEVAL = TAB, "number token tag nested"
GERMEVAL_NESTED = TAB, "number token outer tag"
TWO = TAB, "token tag"
FIVE = TAB, "token lemma xpos chunk tag"
CONLL2003 = SPACE, "token xpos chunk tag"
CONLL2002 = SPACE, "token xpos tag"

SIZES = [
    ("fi_finer/train.csv", *FINER, 13_497, 180_178, 17_646),
    ("fi_finer/dev.csv", *FINER, 986, 13_564, 1_223),
    ("fi_finer/test.csv", *FINER, 3_512, 46_363, 4_124),
    ("fi_finer/test_wikipedia.csv", *FINER, 3_360, 49_752, 5_831),
    ("fi_finer/train.csv", *FINER_NESTED, 13_497, 180_178, 750),
    ("fi_finer/test_wikipedia.csv", *FINER_NESTED, 3_360, 49_752, 508),
    ("tr_wiki/train.conll", *TWO, 17_967, 303_443, 51_764),
    ("tr_wiki/dev.conll", *TWO, 1_000, 16_658, 2_969),
    ("tr_wiki/test.conll", *TWO, 1_000, 17_275, 3_016),
    ("tr_twnertc/dev.txt", *CONLL2003, 5_400, 91_324, 13_115),
    ("tr_twnertc/test.txt", *CONLL2003, 5_360, 90_936, 12_805),
    ("de_germeval/dev.tsv", *GERMEVAL, 2_200, 41_653, 2_674),
    ("de_germeval/test.tsv", *GERMEVAL, 5_100, 96_499, 6_178),
    ("de_germeval/dev.tsv", *GERMEVAL_NESTED, 2_200, 41_653, 212),
    ("de_germeval/test.tsv", *GERMEVAL_NESTED, 5_100, 96_499, 515),
    ("de_europarl/train.tsv", *FIVE, 3_184, 80_467, 1_635),
    ("de_europarl/dev.tsv", *FIVE, 354, 9_241, 191),
    ("de_europarl/test.tsv", *FIVE, 858, 20_697, 531),
    ("europarl/de.test.conll02", *TWO, 799, 20_187, 693),
    ("europarl/es.test.conll02", *TWO, 799, 23_279, 697),
    ("europarl/en.test.conll02", *TWO, 799, 22_320, 702),
    ("ru_wikiner/train.txt", *CONLL2003, 9_840, 169_110, 15_928),
    ("ru_wikiner/dev.txt", *CONLL2003, 3_280, 55_359, 5_311),
    ("ru_wikiner/test.txt", *CONLL2003, 3_264, 55_237, 5_287),
    ("es_conll2002/train.txt", *CONLL2002, 8_323, 264_715, 18_798),
    ("es_conll2002/dev.txt", *CONLL2002, 1_915, 52_923, 4_352),
    ("es_conll2002/test.txt", *CONLL2002, 1_517, 51_533, 3_559),
]


@pytest.mark.parametrize(("name", "separator", "columns", "n_sentences", "n_tokens", "n_spans"), SIZES)
def test_every_file_has_its_published_size(name, separator, columns, n_sentences, n_tokens, n_spans, data_folder):
    path = data_folder / "ner" / name
    sentences = list(entity_column_sentences(path, refuse, separator, columns.split()))
    spans = sum(len(spans_of(sentence.labels)) for sentence in sentences)
    assert (len(sentences), sum(len(one.words) for one in sentences), spans) == (n_sentences, n_tokens, n_spans)


@pytest.mark.parametrize(
    ("name", "layout", "without"),
    [("fi_finer/train.csv", FINER, 2), ("es_conll2002/train.txt", CONLL2002, 1), ("de_europarl/test.tsv", FIVE, 531)],
)
def test_spans_that_start_with_i_are_counted(name, layout, without, data_folder):
    sentences = entity_column_sentences(data_folder / "ner" / name, refuse, layout[0], layout[1].split())
    assert sum(n_without_b(sentence.labels) for sentence in sentences) == without
