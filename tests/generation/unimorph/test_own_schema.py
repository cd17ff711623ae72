"""Schemata of one's own."""

import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.token_level import possible_token_tests
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.generation.token_tests.treebank_tokens import read_treebanks
from polyprobe.generation.type_level import possible_tests
from polyprobe.generation.type_tests.ranked_lexicon import read_lexicon
from polyprobe.generation.type_tests.type_level_options import options_of
from polyprobe.generation.unimorph.decoding import RESERVED, Decisions, decode, read_schema

HEADER = "code\tdimension\tvalue\n"
SCHEMA = (
    "# Ours.\ncode\tdimension\tvalue\tbroader\nN\tWord class\tNoun\t-\nV\tWord class\tVerb\t-\n"
    "PART\tWord class\tParticiple\tV\nprox\tNearness\tNear\t-\n"
)


def test_labels_are_read_by_a_schema_of_ones_own(tmp_path):
    (tmp_path / "schema.tsv").write_text(SCHEMA, encoding="utf-8")
    found = decode("PART;V;PROX;SG", Decisions(schema=str(tmp_path / "schema.tsv"), intr="interrogative"))
    assert found.values == {"Word class": "Participle", "Nearness": "Near"}
    assert found.unknown == ("SG",)


FAULTS = {
    "empty": ("", "line 1: the file is empty"),
    "no code": (HEADER, "line 1: the schema has no code"),
    "a column is missing": ("code\tvalue\nN\tNoun\n", "line 1: the header lacks dimension"),
    "a cell is missing": (HEADER + "N\tNoun\n", "line 2: the row has 2 columns"),
    "an empty code": (HEADER + "N\tClass\tNoun\n \tClass\tVerb\n", "line 3: the code is empty"),
    "a code twice": (HEADER + "N\tClass\tNoun\nn\tClass\tName\n", "line 3: the code N is repeated"),
    "a dimension that leads out of its folder": (
        HEADER + "N\t../../escaped\tNoun\n",
        r"line 2: the dimension \.\./\.\./escaped is not a plain name",
    ),
    "the name of another test": (
        HEADER + "N\tClass\tNoun\nX\tOdd Feat\tNoun\n",
        "line 3: the dimension Odd Feat has the name of another test",
    ),
    "two dimensions of one test": (
        HEADER + "N\tNum Ber\tOne\nV\tNumber\tTwo\n",
        "line 3: the dimension Number has the name of another test",
    ),
}


@pytest.mark.parametrize(("text", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_line(text, words, tmp_path):
    (tmp_path / "schema.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedLine, match=words):
        read_schema(tmp_path / "schema.tsv")
    with pytest.raises(MalformedLine, match=words):
        Decisions(schema=str(tmp_path / "schema.tsv"))


def test_no_test_of_every_lexicon_or_treebank_is_a_dimension(tmp_path):
    (tmp_path / "words").write_text("ev\tevi\tX\n", encoding="utf-8")
    (tmp_path / "frequency").write_text("ev 3\n", encoding="utf-8")
    (tmp_path / "treebank").write_text("1\tev\tev\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    lexicon = read_lexicon([tmp_path / "words"], tmp_path / "frequency", options_of("article", "en", 1), refuse)
    treebank = read_treebanks([tmp_path / "treebank"], [], token_options_of("article", "en", 1), refuse)
    of_every_one = {*possible_tests(lexicon), *possible_token_tests(treebank)}
    assert of_every_one <= set(RESERVED)


def test_a_schema_that_is_not_there_is_an_unknown_choice():
    with pytest.raises(UnknownChoice, match=r"decoding\.schema .*the path of a file"):
        Decisions(schema="absent.tsv")
