"""Lexica and lists of all kinds as type-level tests are made of them: refused with file and line, or counted."""

from pathlib import Path

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.reading.malformed import handler_named, refuse
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.type_level import TypeLevelTests
from polyprobe.generation.type_tests.type_level_options import options_of

NFD, NFC = "go\u0308l", "g\u00f6l"
NOUNS = "".join(f"n{n}\tn{n}\tN;{'NOM' if n % 2 else 'ACC'};SG\n" for n in range(400))
VERBS = "".join(f"v{n}\tv{n}\tV;PRS\n" for n in range(400))
GOOD, WORDS = NOUNS + VERBS, "n1\nn2\n"


def made(folder: Path, lexicon: str | bytes, words: str = WORDS, on_malformed=refuse, **changes) -> dict:
    """Makes the test of Case; returns its statistics."""
    (folder / "tur.txt").write_bytes(lexicon if isinstance(lexicon, bytes) else lexicon.encode())
    (folder / "words.txt").write_text(words, encoding="utf-8")
    options = options_of("article", "tr", 1, **{"sizes": "scaled", "split": "random", **changes})
    files = {"unimorph": [Source(folder / "tur.txt")], "frequency": [Source(folder / "words.txt")]}
    (found,) = TypeLevelTests(options, files, on_malformed).make(folder / "made", ["Case"])
    return found.statistics


REFUSED = {
    "a bundle with a tab": (GOOD + "a\ta\tN;NOM\tSG\n", WORDS, "tur.txt, line 801: the row has 4 columns"),
    "one value": (NOUNS.replace("ACC", "NOM") + VERBS, WORDS, r"Case: 1 label left \(Nominative\)"),
    "200 forms": (
        "".join(GOOD.splitlines(True)[300:500]),
        WORDS,
        r"enough for 100 items \(minimum 300\)",
    ),
    "forms of both labels alone": (NOUNS, WORDS, r"there is no class None\. Without it: type_level\.none_share=0"),
}


@pytest.mark.parametrize(("lexicon", "words", "message"), REFUSED.values(), ids=REFUSED)
def test_what_no_test_can_be_made_of_is_refused_and_nothing_is_written(lexicon, words, message, tmp_path):
    with pytest.raises(PolyprobeError, match=message):
        made(tmp_path, lexicon, words)
    assert not (tmp_path / "made").exists()


def test_marks_line_ends_and_spellings_change_nothing(tmp_path):
    plain = made(tmp_path, GOOD + f"a\t{NFC}\tN;NOM;SG\n")
    rows = (tmp_path / "made/Case/train.txt").read_bytes()
    marked = made(tmp_path, ("\ufeff" + GOOD + f"a\t{NFD}\tN;NOM;SG\n").replace("\n", "\r\n"))
    assert (tmp_path / "made/Case/train.txt").read_bytes() == rows
    assert (plain["lexicon"]["spellings_changed_by_nfc"], marked["lexicon"]["spellings_changed_by_nfc"]) == (0, 1)


def test_rows_that_are_skipped_forms_with_blanks_and_unknown_codes_are_counted(tmp_path):
    odd = "a\ta\nb\n" + "c\tc d\tN;NOM\n" + "e\te\tN;NOM;XX\nf\tf\tN;NOM;XX;2S\n"
    lexicon = made(tmp_path, GOOD + odd, on_malformed=handler_named("skip"))["lexicon"]
    assert lexicon["malformed_rows_left_out"] == 2
    assert lexicon["triples_with_blank_left_out"] == 1
    assert lexicon["unknown_codes"] == {"XX": 2, "2S": 1}
    assert lexicon["triples"] == 803


def test_codes_that_many_rows_have_and_the_schema_lacks_are_named_in_one_line(tmp_path, caplog):
    made(tmp_path, GOOD.replace("V;PRS", "V;PRS;XX"), unknown_codes="passed_over")
    assert "tur.txt: 400 of 800 rows hold codes that the schema lacks: XX (400)." in caplog.text
    caplog.clear()
    made(tmp_path, GOOD + "e\te\tN;NOM;XX\n")
    assert "schema lacks" not in caplog.text


def test_words_that_no_form_is_among_make_no_form_frequent(tmp_path):
    found = made(tmp_path, GOOD, words="zzz\n")
    assert (found["lexicon"]["frequent_words"], found["frequent_share"]["train"]) == (1, 0)
    assert found["frequent_draw"] == {"all": "all frequent, rare for the rest"}
