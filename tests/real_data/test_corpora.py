"""Every corpus that conf/corpora names and whose files are at hand: read as a training run reads it, and counted."""

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import Corpus, read_corpus
from polyprobe.splits import SPLITS
from tests.real_data.configured_corpora import BY_DOWNLOAD, configured, data_of

pytestmark = pytest.mark.real_data

# Examples of train, dev, test, and of what stands beside; of the published files, counted by another program.
SIZES = {
    "pos de gsd": (13_814, 799, 977, {"pud": 1000}),
    "pos de gsd_small": (679, 120, 977, {}),
    "pos en ewt": (12_543, 2_002, 2_077, {}),
    "pos es ancora_small": (1_405, 249, 1_721, {}),
    "pos fi tdt": (12_217, 1_364, 1_555, {"pud": 1000}),
    "pos fi tdt_small": (1_159, 205, 1_555, {}),
    "pos ru taiga": (3_138, 945, 881, {}),
    "pos ru syntagrus_dev": (5_596, 988, 6_491, {}),
    "pos tr imst": (3_685, 975, 975, {}),
    "pos tr imst_words": (3_685, 975, 975, {}),
    "dep de gsd_small": (679, 120, 977, {"pud": 1000}),
    "dep en ewt": (12_543, 2_002, 2_077, {}),
    "dep es ancora_small": (1_405, 249, 1_721, {}),
    "dep fi tdt_small": (1_159, 205, 1_555, {"pud": 1000}),
    "dep ru taiga": (3_138, 945, 881, {}),
    "dep tr imst": (3_685, 975, 975, {}),
    "ner de europarl": (3_184, 354, 858, {"other_sittings": 799}),
    "ner de germeval_dev": (1_870, 330, 5_100, {}),
    "ner de germeval_nested_dev": (1_870, 330, 5_100, {}),
    "ner es conll2002": (8_323, 1_915, 1_517, {"europarl": 799}),
    "ner fi finer": (13_497, 986, 3_512, {"wikipedia": 3_360}),
    "ner fi finer_nested": (13_497, 986, 3_512, {"wikipedia": 3_360}),
    "ner ru wikiner": (9_840, 3_280, 3_264, {}),
    "ner tr wiki": (17_967, 1_000, 1_000, {}),
    "ner tr twnertc_dev": (4_590, 810, 5_360, {}),
    "nli de xnli": (2_245, 250, 5_010, {}),
    "nli en sick": (4_439, 495, 4_906, {"esxnli": 2_490}),
    "nli en xnli": (2_115, 375, 5_010, {}),
    "nli es inferes": (5_477, 967, 1_612, {"esxnli": 2_490}),
    "nli es xnli": (2_115, 375, 5_010, {}),
    "nli fr rte3": (680, 120, 800, {}),
    "nli ru terra": (2_223, 393, 307, {}),
    "nli tr snli_tr": (8_500, 1_500, 10_000, {}),
}


def read(name: str, data_folder) -> Corpus:
    task, lang, corpus = name.split(" ")
    data = data_of(task, lang)
    return read_corpus(corpus, data["corpora"][corpus], data["on_malformed"], data_folder, None, data["max_words"])


@pytest.mark.parametrize("name", SIZES)
def test_a_corpus_is_read_whole(name, data_folder):
    corpus = read(name, data_folder)
    *sizes, beside = SIZES[name]
    assert [len(getattr(corpus, split)) for split in SPLITS] == sizes
    assert {key: len(sentences) for key, sentences in corpus.beside.items()} == beside
    assert not corpus.malformed


@pytest.mark.parametrize(("name", "n_bad"), [("srl fi finnish_up", 8), ("srl tr propbank", 1)])
def test_bad_places_of_published_role_corpora_are_counted(name, n_bad, data_folder):
    assert len(read(name, data_folder).malformed) == n_bad


def test_every_corpus_is_read_here_or_comes_by_download():
    assert set(configured()) == {*SIZES, *BY_DOWNLOAD, "srl fi finnish_up", "srl tr propbank", "srl tr propbank_rows"}
