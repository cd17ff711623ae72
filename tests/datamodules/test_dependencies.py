"""Trees in batches: each once, on one process or two; shares that add up."""

from types import SimpleNamespace

import pytest

from polyprobe.models.batches.parser_batch import NO_TAG
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL
from tests.models.treebank import EIGHT, datamodule, parser, tree


def on_process(rank: int, world_size: int, **settings):
    data = datamodule(**settings)
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world_size, accumulate_grad_batches=1)
    return data


def test_vocabulary_tags_and_relations_come_from_train_alone():
    data = datamodule(dev=[tree(1, "xyz/X/2/vocative luki/VERB/0/root")])
    inputs = data.model_inputs()
    assert "xyz" not in inputs["reader"]["words"]
    assert "X" not in inputs["upos"]
    assert "vocative" not in inputs["relations"]
    (batch,) = data.val_dataloader()
    assert batch.upos_ids.tolist() == [NO_TAG, 1 + inputs["upos"].index("VERB")]
    assert batch.relation_ids.tolist() == [UNKNOWN_LABEL, inputs["relations"].index("root")]
    assert data.counts()["relations of dev and test that train lacks"] == 1


@pytest.mark.parametrize(("upos", "name", "n_tags"), [("gold", "gold tags", 8), ("none", "tags", 0)])
def test_counts_and_notes_say_whether_gold_tags_are_read(upos, name, n_tags):
    data = datamodule(upos=upos)
    read = {key: count for key, count in data.counts().items() if key.endswith("tags that are read")}
    assert read == {f"{name} that are read": n_tags}
    assert (data.note, data.baseline_note) == (f"UPOS: {upos}", "UPOS: gold")


def test_nodes_of_a_batch_are_the_words_and_a_root_before_each_sentence():
    data = datamodule()
    batch = data.coder.batch([data.coder.coded(EIGHT[5]), data.coder.coded(EIGHT[4])], 4.0)
    assert batch.sentence_of_node.tolist() == [0, 0, 0, 0, 1, 1]
    assert batch.node_of_cell.tolist() == [1, 2, 3, 5]
    assert batch.root_of_cell.tolist() == [0, 0, 0, 4]
    assert batch.place_of_node.tolist() == [0, 1, 2, 3, 4, 5]
    assert batch.padded_shape == (2, 4)
    assert batch.heads.tolist() == [2, 3, 0, 0]


def test_a_process_without_a_sentence_counts_nothing_but_takes_part():
    (batch,) = on_process(1, 2, dev=EIGHT[:1]).val_dataloader()
    model = parser(datamodule())
    model.count(model.dev_metric, batch)
    assert batch.sentences == ()
    assert model.dev_metric.counts.sum() == 0


def test_a_process_without_a_share_takes_part_without_a_loss():
    share = next(iter(on_process(1, 2, train=EIGHT[:1]).train_dataloader()))
    assert share.heads.tolist() == share.relation_ids.tolist() == [NO_LOSS] * 4
    assert share.n_items == 2.0
    assert parser(datamodule()).loss(share).item() == 0.0


def test_the_baseline_hangs_words_on_the_side_that_is_more_often_right():
    right_branching = [tree(1, "a/NOUN/0/root b/NOUN/1/obj c/NOUN/2/obj")]
    name, scores = datamodule(train=right_branching).baseline_scores(right_branching)
    assert name == "previous_word"
    assert [(one.metric, one.value) for one in scores[:2]] == [("las", 1.0), ("uas", 1.0)]
    assert (scores[-1].metric, scores[-1].value) == ("oov", 0.0)


def test_a_score_without_punctuation_rests_on_fewer_words_of_dev_and_on_another_scorer():
    scored = datamodule(dev=[EIGHT[0], EIGHT[7]]).scored_otherwise  # 7 words, of which "." is PUNCT and "$" SYM
    assert scored["las"] == (7, "CoNLL-2018")
    assert scored["las_without_punctuation"] == scored["uas_without_punctuation"] == (5, "AllenNLP")
    assert scored["clas"] == (6, "CoNLL-2018")
