"""The CoNLL-2018 evaluation on sentences small enough to count by hand."""

import pytest

from polyprobe.metrics.official.conll2018 import score_files
from polyprobe.metrics.official.scorers import RefusedByScorer


def row(identifier, form, head="_", deprel="_", upos="NOUN", feats="_", lemma="l") -> str:
    return "\t".join(map(str, [identifier, form, lemma, upos, "_", feats, head, deprel, "_", "_"])) + "\n"


GOLD = row(1, "Kissa", 2, "nsubj") + row(2, "nukkuu", 0, "root", "VERB") + row(3, ".", 2, "punct", "PUNCT") + "\n"


@pytest.fixture
def scores(tmp_path):
    def score(system: str, gold: str = GOLD) -> dict:
        (tmp_path / "gold.conllu").write_text(gold, encoding="utf-8")
        (tmp_path / "system.conllu").write_text(system, encoding="utf-8")
        return score_files(tmp_path / "gold.conllu", tmp_path / "system.conllu")

    return score


def test_a_file_against_itself_is_right_everywhere(scores):
    assert {one["f1"] for one in scores(GOLD).values()} == {100.0}


def test_punctuation_counts_for_las_and_not_for_clas(scores):
    found = scores(GOLD.replace("\t2\tpunct", "\t1\tpunct"))
    assert (found["LAS"]["correct"], found["LAS"]["gold_total"], found["LAS"]["f1"]) == (2, 3, 66.67)
    assert (found["CLAS"]["correct"], found["CLAS"]["gold_total"], found["CLAS"]["f1"]) == (2, 2, 100.0)


def test_subtypes_of_relations_and_features_of_ones_own_do_not_count(scores):
    found = scores(GOLD.replace("nsubj", "nsubj:pass").replace("\t_\t2", "\tMy=Own\t2"))
    assert found["LAS"]["f1"] == found["UFeats"]["f1"] == 100.0


def test_where_gold_has_no_lemma_any_is_right(scores):
    gold = GOLD.replace("\tl\t", "\t_\t")
    assert scores(GOLD, gold)["Lemmas"]["correct"] == 3
    assert scores(gold, GOLD)["Lemmas"]["correct"] == 0


def test_the_tags_of_function_words_count_for_mlas_alone(scores):
    gold = row(1, "ei", 2, "aux", "AUX") + row(2, "nuku", 0, "root", "VERB") + "\n"
    found = scores(gold.replace("AUX", "ADV"), gold)
    assert (found["LAS"]["f1"], found["CLAS"]["f1"], found["MLAS"]["f1"]) == (100.0, 100.0, 0.0)


def test_a_word_split_in_two_is_aligned_with_nothing(scores):
    system = (
        row(1, "Kis", 2, "compound") + row(2, "sa", 3, "nsubj") + row(3, "nukkuu", 0, "root", "VERB")
        + row(4, ".", 3, "punct", "PUNCT") + "\n"
    )  # fmt: skip
    found = scores(system)
    assert (found["Words"]["correct"], found["Words"]["system_total"], found["Words"]["gold_total"]) == (2, 4, 3)
    assert (found["UAS"]["precision"], found["UAS"]["recall"], found["UAS"]["f1"]) == (50.0, 66.67, 57.14)
    assert found["UAS"]["aligned_accuracy"] == 100.0


def test_words_of_a_multiword_token_are_aligned_by_their_forms(scores):
    gold = row("1-2", "ettet") + row(1, "että", 2, "mark") + row(2, "et", 0, "root") + "\n"
    system = row("1-3", "ettet") + row(1, "e", 3, "dep") + row(2, "tt", 3, "dep") + row(3, "ET", 0, "root") + "\n"
    found = scores(system, gold)
    assert (found["Tokens"]["correct"], found["Words"]["correct"]) == (1, 1)
    assert (found["LAS"]["correct"], found["LAS"]["aligned_accuracy"]) == (1, 100.0)


def test_empty_nodes_and_comments_are_not_read(scores):
    assert scores("# text\n" + GOLD.replace("3\t.", "2.1\tx\tx\tx\tx\tx\t_\t_\t_\t_\n3\t."))["Words"]["f1"] == 100.0


def test_spaces_inside_a_form_are_no_characters(scores):
    assert scores(GOLD.replace("Kissa", "Kis\u00a0sa"))["Words"]["f1"] == 100.0


def test_an_empty_file_scores_nothing(scores):
    assert {one["f1"] for one in scores("", "").values()} == {0.0}


@pytest.mark.parametrize(
    ("system", "line"),
    [
        (GOLD.replace("\t2\tnsubj", "\t3\tnsubj").replace("\t2\tpunct", "\t1\tpunct"), 1),
        (GOLD.replace("\t2\tpunct", "\t0\tpunct"), 4),
        (GOLD.replace("\t2\tpunct", "\t4\tpunct"), 3),
        (GOLD.replace("\t2\tpunct", "\t_\tpunct"), 3),
        (GOLD.replace("3\t.", "4\t."), 3),
        (GOLD.replace("3\t.", "3-5\t."), 3),
        (GOLD.replace("\tpunct\t_\t_", "\tpunct\t_"), 3),
        (GOLD.replace("Kissa", "\u00a0"), 1),
        (GOLD.replace("Kissa", "kissa"), 1),
        (GOLD.rstrip("\n") + "\n", 4),
        (GOLD + "\n", 5),
    ],
    ids=[
        "cycle",
        "two-roots",
        "outside",
        "no-head",
        "wrong-id",
        "wrong-range",
        "columns",
        "no-form",
        "text",
        "no-empty-line",
        "empty-lines",
    ],
)
def test_what_the_scorer_stops_on_is_refused_with_its_line(scores, system, line):
    with pytest.raises(RefusedByScorer, match=rf", line {line}: .*CoNLL-2018"):
        scores(system)


def test_text_that_is_not_utf_8_is_refused(scores, tmp_path):
    scores(GOLD)
    (tmp_path / "latin.conllu").write_bytes(GOLD.replace("Kissa", "Käsi").encode("latin-1"))
    with pytest.raises(RefusedByScorer, match="not UTF-8"):
        score_files(tmp_path / "gold.conllu", tmp_path / "latin.conllu")
