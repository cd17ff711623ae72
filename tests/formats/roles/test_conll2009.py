import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.roles import conll2009
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition


def row(identifier, form, pos, head, pred, *roles):
    flag = "Y" if pred != "_" else "_"
    return "\t".join([identifier, form, "l", "pl", pos, "pp", "f", "pf", head, head, "D", "PD", flag, pred, *roles])


SENTENCE = [
    row("1", "Evi", "Noun", "2", "_", "A1", "_"),
    row("2", "_", "Verb", "3", "iste.01", "_", "A0|A1|A0"),
    row("3", "isteyen", "Adj", "5", "_", "A0", "_"),
    row("4", "_", "Noun", "5", "_", "AM-TMP", "_"),
    row("5", "geldi", "Verb", "0", "gel.02", "_", "-"),
]


def read(path, rows, reader=conll2009.read, on_malformed=refuse):
    path.write_text("".join(f"{line}\n" for line in (*rows, "")), encoding="utf-8")
    return list(reader(path, on_malformed))


def test_as_rows_every_row_is_a_token(tmp_path):
    iste = Proposition(1, "iste.01", (Argument(0, "A1"), Argument(2, "A0"), Argument(3, "AM-TMP")))
    gel = Proposition(4, "gel.02", (Argument(1, "A0"), Argument(1, "A1")))
    pos = ("Noun", "Verb", "Adj", "Noun", "Verb")
    expected = LabelledSentence("1", 1, ("Evi", "_", "isteyen", "_", "geldi"), pos, (iste, gel))
    assert read(tmp_path / "corpus", SENTENCE, conll2009.conll2009_row_sentences) == [expected]


def test_as_words_the_rows_of_a_derived_word_are_merged(tmp_path):
    iste = Proposition(1, "iste.01", (Argument(0, "A1"), Argument(1, "A0"), Argument(2, "AM-TMP")))
    gel = Proposition(2, "gel.02", (Argument(1, "A0"), Argument(1, "A1")))
    expected = LabelledSentence("1", 1, ("Evi", "isteyen", "geldi"), ("Noun", "Adj", "Verb"), (iste, gel))
    assert read(tmp_path / "corpus", SENTENCE, conll2009.conll2009_word_sentences) == [expected]


def test_a_word_with_two_predicates_has_two_propositions(tmp_path):
    rows = [row("1", "_", "Verb", "2", "iste.01", "_", "_"), row("2", "isteyen", "Adj", "0", "ol.01", "A1", "_")]
    [sentence] = read(tmp_path / "corpus", rows, conll2009.conll2009_word_sentences)
    assert [proposition.predicate for proposition in sentence.propositions] == [0, 0]
    assert [proposition.arguments for proposition in sentence.propositions] == [(Argument(0, "A1"),), ()]


def test_the_rows_of_each_word_are_known(tmp_path):
    [sentence] = read(tmp_path / "corpus", SENTENCE)
    assert conll2009.word_groups(sentence) == [(0,), (1, 2), (3, 4)]


def test_all_columns_are_kept_under_their_names(tmp_path):
    [sentence] = read(tmp_path / "corpus", SENTENCE)
    third = conll2009.Row(
        *("3", "isteyen", "l", "pl", "Adj", "pp", "f", "pf", "5", "5", "D", "PD", "_", "_"), roles=("A0", "_")
    )
    assert sentence.rows[2] == third


def test_a_predicate_count_that_does_not_match_the_columns_is_refused(tmp_path):
    rows = [*SENTENCE[:4], row("5", "geldi", "Verb", "0", "_", "_", "-")]
    with pytest.raises(MalformedLine, match="line 1: the sentence has 1 predicates and 2 columns of roles"):
        read(tmp_path / "corpus", rows)


def test_a_ragged_row_is_refused(tmp_path):
    rows = [*SENTENCE[:2], f"{SENTENCE[2]}\t_", *SENTENCE[3:]]
    with pytest.raises(MalformedLine, match=r"line 3: the row has 17 columns\. Expected 14 and one for each of"):
        read(tmp_path / "corpus", rows)


def test_in_skip_mode_surplus_empty_cells_are_cut_off_and_listed(tmp_path):
    skipped = Skipped()
    rows = [*SENTENCE[:2], f"{SENTENCE[2]}\t_", *SENTENCE[3:]]
    assert read(tmp_path / "corpus", rows, on_malformed=skipped) == read(tmp_path / "whole", SENTENCE)
    assert [place.line for place in skipped.places] == [3]


@pytest.mark.parametrize("damaged", [f"{SENTENCE[2]}\tA1", SENTENCE[2].rpartition("\t")[0]], ids=["a role", "short"])
def test_in_skip_mode_any_other_ragged_row_costs_the_sentence(damaged, tmp_path):
    skipped = Skipped()
    rows = [*SENTENCE[:2], damaged, *SENTENCE[3:], "", *SENTENCE]
    assert [sentence.number for sentence in read(tmp_path / "corpus", rows, on_malformed=skipped)] == [2]
    assert [place.line for place in skipped.places] == [3]


@pytest.mark.parametrize("head", ["6", "-1", "x", "01", "9" * 5000])
def test_a_head_outside_the_sentence_is_refused(head, tmp_path):
    rows = [*SENTENCE[:3], row("4", "_", "Noun", head, "_", "AM-TMP", "_"), SENTENCE[4]]
    with pytest.raises(MalformedLine, match=f'line 4: HEAD is "{head}", but the sentence has 5 rows'):
        read(tmp_path / "corpus", rows)


def test_an_id_out_of_order_is_refused(tmp_path):
    with pytest.raises(MalformedLine, match=r'line 2: ID is "3"\. Expected 2'):
        read(tmp_path / "corpus", [SENTENCE[0], *SENTENCE[2:]])


def test_as_words_a_derivation_that_never_ends_is_a_bad_place(tmp_path):
    rows = [row("1", "Evi", "Noun", "0", "_"), row("2", "_", "Noun", "1", "_")]
    assert len(read(tmp_path / "corpus", rows, conll2009.conll2009_row_sentences)) == 1
    with pytest.raises(MalformedLine, match="line 2: the last FORM"):
        read(tmp_path / "corpus", rows, conll2009.conll2009_word_sentences)
