"""Every row of a made test is held against the definition of its test."""

from pathlib import Path

from polyprobe.formats.reading.lines import write_lines
from polyprobe.generation.type_tests.type_level_options import options_of
from tests.generation.type_tests.definitions import broken_rows

TABLE = """ev	evde	N;LOC;SG
ev	evin	N;GEN;SG
ev	evin	N;NOM;SG;PSS2S
ev	ev	N;NOM;SG
ev	evler	N;NOM;PL
ev	evim	N;NOM;SG;PSS1S
ev	evimdi	N;1S;SG;PST
ev	evim-şimdi	N;1S;SG;PRS
ev	evsin	N;2S;SG;PRS
kitap	kitap	N;NOM;SG
kitap	kitaplar	N;NOM;PL
git	gidiyorum	V;IND;1;SG;PRS;POS
git	gitti	V;IND;3;SG;PST;POS
git	gittim	V;IND;1;SG;PST
git	gitmedim	V;IND;1;SG;PST;NEG
git	giden	V.PTCP;V;PRS
al	alın	V;IMP;2;PL;POS
al	almayacaklar	V;IND;3;PL;FUT;NEG
"""


def broken(tmp_path: Path, test: str, row: str, **changes) -> list[str]:
    (tmp_path / test).mkdir(parents=True)
    (tmp_path / "tur.txt").write_text(TABLE, encoding="utf-8")
    for split in ("train", "dev", "test"):
        write_lines([row] if split == "dev" else [], tmp_path / test / f"{split}.txt")
    options = options_of("article", "tr", 1, **changes)
    return broken_rows(tmp_path, [test], [tmp_path / "tur.txt"], options)


GOOD = [
    ("Case", "evde\tLocative"),
    ("Case", "gitti\tNone"),
    ("Person", "gitti\tThird person Singular"),
    ("Person", "evde\tNone"),
    ("POS", "giden\tParticiple"),
    ("TagCount", "gitti\t6"),
    ("CharacterBin", "evimdi\t2"),
    ("CharacterCount", "evimdi\t6"),
    ("OddFeat", "ev\tevde\tCase"),
    ("OddFeat", "ev\tevim\tPossession"),
    ("OddFeat", "gittim\tgitmedim\tPolarity"),
    ("OddFeat", "ev\tkitap\tlemma"),
    ("OddFeat", "evimdi\tevim-şimdi\tTense"),
    ("SameFeat", "gitti\tgiden\tlemma"),
    ("SameFeat", "gitmedim\talmayacaklar\tPolarity"),
]
BAD = [
    ("Case", "evin\tGenitive"),
    ("Case", "evimdi\tNone"),
    ("Case", "evde\tNone"),
    ("Case", "evde\tDative"),
    ("Case", "okul\tNone"),
    ("Person", "evsin\tNone"),
    ("POS", "giden\tVerb"),
    ("TagCount", "evimdi\t3"),
    ("CharacterBin", "evimdi\t1"),
    ("OddFeat", "evsin\tevimdi\tTense"),
    ("OddFeat", "ev\tkitaplar\tNumber"),
    ("OddFeat", "ev\tkitaplar\tlemma"),
    ("OddFeat", "ev\tevde\tNumber"),
    ("OddFeat", "ev\tev\tlemma"),
    ("SameFeat", "evsin\tgidiyorum\tTense"),
    ("SameFeat", "ev\tevler\tlemma"),
    ("SameFeat", "gitti\tgidiyorum\tPolarity"),
]


def test_the_first_rows_meet_their_definitions_and_the_others_are_named_with_their_lines(tmp_path):
    for number, (test, row) in enumerate(GOOD):
        assert broken(tmp_path / f"good{number}", test, row) == [], row
    for number, (test, row) in enumerate(BAD):
        *forms, label = row.split("\t")
        expected = [f"{test}/dev.txt, line 1: {' '.join(forms)} ({label})"]
        assert broken(tmp_path / f"bad{number}", test, row) == expected, row


def test_untagged_values_are_a_difference_where_the_rules_say_so(tmp_path):
    assert broken(tmp_path / "a", "OddFeat", "ev\tevim\tPossession", odd_possession="possessed")
    assert broken(tmp_path / "b", "OddFeat", "gittim\tgitmedim\tPolarity", odd_possession="possessed")
