from dataclasses import replace

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.roles import finnish_propbank
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from tests.formats.written_units import write_finnish

SENTENCE = LabelledSentence(
    "1",
    2,
    ("Pyöritys", "alkoi", "eilen", "juosta"),
    ("NOUN", "VERB", "ADV", "VERB"),
    (
        Proposition(1, "alkaa.1", (Argument(0, "A1"), Argument(2, "AM-TMP"))),
        Proposition(3, "juosta.2", (Argument(0, "A0"), Argument(3, "A10"))),
    ),
)


def read(path, deps_of_first, on_malformed=refuse, sense="PBSENSE=alkaa.1"):
    rows = [
        "# sentence-text: Pyöritys alkoi",
        f"1\tPyöritys\t_\tNOUN\t_\t_\t2\tnsubj\t{deps_of_first}\tSpaceAfter=No",
        f"2\talkoi\t_\tVERB\t_\t_\t0\troot\t4:nmod\t{sense}|SpaceAfter=No",
        "3\teilen\t_\tADV\t_\t_\t2\tadvmod\t2:PBArgM_tmp\t_",
        "4\tjuosta\t_\tVERB\t_\t_\t2\txcomp\t4:PBArg_10\tA=1|PBSENSE=juosta.2",
    ]
    path.write_text("".join(f"{row}\n" for row in (*rows, "")), encoding="utf-8")
    return list(finnish_propbank.finnish_propbank_sentences(path, on_malformed))


def test_senses_stand_in_misc_and_roles_among_other_relations_in_deps(tmp_path):
    assert read(tmp_path / "corpus", "2:PBArg_1|5:nsubj|4:PBArg_0") == [SENTENCE]


def test_a_predicate_that_is_its_own_argument_is_kept(tmp_path):
    [sentence] = read(tmp_path / "corpus", "_")
    assert sentence.propositions[1].arguments == (Argument(3, "A10"),)


@pytest.mark.parametrize("item", ["12:PBArg_1", "3:PBArg_1", "2:PBArg_x", "2:PBArgM_TMP", "2:PBArg", "x:PBArg_1"])
def test_an_argument_of_no_predicate_or_of_no_known_kind_is_refused(item, tmp_path):
    with pytest.raises(MalformedLine, match=f'line 2: DEPS of row 1 has the item "{item}"'):
        read(tmp_path / "corpus", f"4:PBArg_0|{item}")


def test_in_skip_mode_only_the_bad_argument_is_left_out(tmp_path):
    skipped = Skipped()
    [sentence] = read(tmp_path / "corpus", "12:PBArg_1|4:PBArg_0|2:PBArg_1|7:PBArg_1", skipped)
    assert sentence == SENTENCE
    assert len(skipped.places) == 2


@pytest.mark.parametrize("sense", ["PBSENSE=", "PBSENSE=alkaa.1|PBSENSE=alkaa.2"])
def test_a_word_with_no_sense_or_two_costs_the_sentence(sense, tmp_path):
    skipped = Skipped()
    assert read(tmp_path / "corpus", "_", skipped, sense) == []
    assert [place.line for place in skipped.places] == [3]


def test_labels_are_written_with_their_own_names(tmp_path):
    write_finnish([SENTENCE], tmp_path / "corpus")
    text = (tmp_path / "corpus").read_text(encoding="utf-8")
    assert "\t2:PBArg_1|4:PBArg_0\t_\n" in text
    assert "\t2:PBArgM_tmp\t_\n" in text
    [read_back] = finnish_propbank.finnish_propbank_sentences(tmp_path / "corpus", refuse)
    assert replace(read_back, line=2) == SENTENCE
