"""Published treebanks: sizes, and the trivial baselines; all figures from independent counts."""

import pytest

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.dependencies import DependenciesDataModule
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.models.baselines.trivial import next_word, previous_word
from tests.models.in_memory import InMemory

pytestmark = pytest.mark.real_data


def read(data_folder, treebank, split):
    return list(dependency_sentences(data_folder / "ud" / treebank / f"{split}.conllu", refuse))


def uas(trees, heads):
    counts = (count_arcs(one, heads(len(one.words)), one.relations) for one in trees)
    by_name = {one.metric: one.value for one in attachment_scores(sum(counts, start=ArcCounts()))}
    return [f"{100 * by_name[name]:.2f}" for name in ("uas", "uas_without_punctuation")]


@pytest.mark.parametrize(
    ("treebank", "previous", "following"),
    [
        ("tr_imst", ["22.05", "17.07"], ["28.61", "33.22"]),
        ("en_ewt", ["9.75", "8.66"], ["29.63", "32.13"]),
        ("ru_taiga", ["16.18", "14.75"], ["27.86", "30.53"]),
        ("fi_tdt", ["13.04", "13.65"], ["30.03", "33.23"]),
        ("de_gsd", ["9.49", "7.13"], ["28.63", "31.61"]),
        ("es_ancora", ["10.29", "10.48"], ["30.55", "32.83"]),
        ("fi_pud", ["13.57", "14.76"], ["28.94", "32.65"]),
        ("de_pud", ["7.76", "6.62"], ["28.17", "31.52"]),
    ],
)
def test_neighbours_are_heads_as_often_as_counted_elsewhere(data_folder, treebank, previous, following):
    trees = read(data_folder, treebank, "test")
    assert uas(trees, previous_word) == previous
    assert uas(trees, next_word) == following


@pytest.mark.parametrize(
    ("treebank", "sizes", "relations"),
    [
        ("tr_imst", ((3685, 37918), (975, 9971), (975, 9970)), 32),
        ("en_ewt", ((12543, 204585), (2002, 25148), (2077, 25096)), 49),
        ("ru_taiga", ((3138, 43557), (945, 10094), (881, 10269)), 45),
    ],
)
def test_every_tree_of_a_treebank_is_read(data_folder, treebank, sizes, relations):
    splits = [read(data_folder, treebank, split) for split in ("train", "dev", "test")]
    assert tuple((len(trees), sum(len(one.words) for one in trees)) for trees in splits) == sizes
    options = {"upos": "gold", "batch_sentences": 128, "evaluation_sentences": 128, "padding_noise": 0}
    data = DependenciesDataModule(InMemory.of(*splits), LearnedInputs(100, 2, [2, 5], 3), seed=1, **options)
    data.setup()
    assert len(data.relations) == relations
    name, (_, of_all, *_) = data.baseline_scores(splits[2])
    assert (name, of_all.metric) == ("next_word", "uas")
