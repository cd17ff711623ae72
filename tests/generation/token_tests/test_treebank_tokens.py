from pathlib import Path

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.generation.token_tests.treebank_tokens import NO_ITEM, TreebankTokens, read_treebanks
from tests.generation.token_tests.treebanks import sentence, unimorph_sentence

NOUN = "Case=Nom|Number=Sing"


def treebank(folder: Path, text: str, rules: str = "article", surface: str | None = None, **changes) -> TreebankTokens:
    (folder / "train.conllu").write_text(text, encoding="utf-8", newline="")
    others = []
    if surface is not None:
        others = [folder / "surface.conllu"]
        others[0].write_text(surface, encoding="utf-8")
    return read_treebanks([folder / "train.conllu"], others, token_options_of(rules, "tr", 1, **changes), refuse)


def bundles(tokens: TreebankTokens) -> list[str]:
    inflections = tokens.decoded.inflections
    return [inflections.bundles[bundle] for bundle in inflections.bundle_ids]


def test_features_are_converted_by_the_table_or_by_the_rules_of_the_language_too(tmp_path):
    text = sentence([("evler", "NOUN", "Case=Loc|Number=Plur|Person=3"), (".", "PUNCT", "_")])
    assert bundles(treebank(tmp_path, text)) == ["3;ESS;N;PL", ""]
    assert bundles(treebank(tmp_path, text, conversion="language")) == ["ESS;N;PL", ""]


def test_multiword_tokens_come_from_the_treebank(tmp_path):
    text = sentence([("ev", "NOUN", NOUN), ("dir", "AUX", "Person=3")], [(1, 2, "evdir")])
    found = treebank(tmp_path, text)
    assert (found.texts, bundles(found), found.met["multiword_tokens"]) == (["evdir"], ["N;NOM;SG;3;V"], 1)
    found = treebank(tmp_path, text, multiword="words")
    assert (found.texts, found.met["multiword_tokens"]) == (["ev dir"], 0)


def test_multiword_tokens_come_from_another_file_by_the_identifiers_of_sentences(tmp_path):
    tagged = unimorph_sentence([("ev", "N"), ("dir", "V")], "a") + unimorph_sentence([("git", "V")], "b")
    surface = sentence([("ev", "X", "_"), ("dir", "X", "_")], [(1, 2, "evdir")], "a")
    found = treebank(tmp_path, tagged, surface=surface, labels="unimorph")
    assert (found.texts, bundles(found)) == (["evdir", "git"], ["N;V", "V"])
    assert (found.met["multiword_tokens"], found.met["sentences_without_surface"]) == (1, 1)


def test_another_file_with_other_words_or_other_sentences_is_refused(tmp_path):
    tagged = unimorph_sentence([("ev", "N"), ("dir", "V")], "a")
    with pytest.raises(MalformedLine, match="sentence a has other words"):
        treebank(tmp_path, tagged, surface=sentence([("ev", "X", "_")], sent_id="a"), labels="unimorph")
    with pytest.raises(PolyprobeError, match="no sent_id of the treebank is there"):
        treebank(tmp_path, tagged, surface=sentence([("ev", "X", "_")], sent_id="c"), labels="unimorph")


BLANK = sentence([("ev", "NOUN", NOUN), ("10 000", "NUM", "_"), ("lira", "NOUN", NOUN)])


def test_words_with_a_blank_are_no_items_and_shift_the_index(tmp_path):
    found = treebank(tmp_path, BLANK)
    assert (found.texts, found.places.tolist()) == (["ev 10 000 lira"], [0, NO_ITEM, 3])
    assert (found.n_tokens.tolist(), found.met["tokens_with_blank"]) == ([3], 1)


def test_the_released_index_names_another_word_behind_a_blank(tmp_path):
    assert treebank(tmp_path, BLANK, "released").places.tolist() == [0, 1, 2]


def test_a_sentence_with_a_blank_in_a_word_can_be_left_out(tmp_path):
    text = BLANK + sentence([("ev", "NOUN", NOUN)])
    found = treebank(tmp_path, text, words_with_blank="sentence_left_out")
    assert (found.texts, found.met["sentences_with_blank"]) == (["ev"], 1)


def test_blanks_around_a_word_are_no_words(tmp_path):
    found = treebank(tmp_path, sentence([(" ev ", "NOUN", NOUN), ("lira", "NOUN", NOUN)]))
    assert (found.texts, found.places.tolist()) == (["ev lira"], [0, 1])


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    paths = [tmp_path / folder / "test.conllu" for folder in ("tdt", "pud")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(sentence([("ev", "NOUN", NOUN)]), encoding="utf-8")
    found = read_treebanks(paths, [], token_options_of("article", "tr", 1), refuse)
    assert (found.files, found.file_ids.tolist()) == (["tdt/test.conllu", "pud/test.conllu"], [0, 1])
