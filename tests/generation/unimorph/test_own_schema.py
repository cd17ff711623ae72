"""Schemata of one's own."""

import pytest

from src.errors import MalformedLine, UnknownChoice
from src.generation.unimorph.decoding import Decisions, decode
from src.generation.unimorph.own_schema import read_schema

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
    "a code twice": (HEADER + "N\tClass\tNoun\nn\tClass\tName\n", "line 3: the code N stands there again"),
    "an unknown broader code": (
        "code\tdimension\tvalue\tbroader\nN\tC\tNoun\tV\n",
        "line 2: V, which is to be broader",
    ),
}


@pytest.mark.parametrize(("text", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_line(text, words, tmp_path):
    (tmp_path / "schema.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedLine, match=words):
        read_schema(tmp_path / "schema.tsv")
    with pytest.raises(MalformedLine, match=words):
        Decisions(schema=str(tmp_path / "schema.tsv"))


def test_a_schema_that_is_not_there_is_an_unknown_choice():
    with pytest.raises(UnknownChoice, match=r"decoding\.schema .*the path of a file"):
        Decisions(schema="absent.tsv")
