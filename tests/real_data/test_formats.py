"""The published corpora as their readers see them: counts, odd places, byte-for-byte copies."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.roles import conll2009, finnish_propbank, universal_propbank
from polyprobe.formats.roles.propositions import LabelledSentence
from polyprobe.formats.treebanks import conllu
from tests.formats.written_units import write_finnish, write_forms, write_rows, write_tokens, write_universal

pytestmark = pytest.mark.real_data

UP_TRAIN = "srl/finnish_up/fi_tdt-up-train.conllup"
TURKISH = "srl/tr_propbank_imst/trpb_v1.0.{}.conll"
PAIR_TESTS = ("OddFeat", "SameFeat")


@dataclass(frozen=True)
class Counts:
    sentences: int
    words: int
    predicates: int
    arguments: int
    labels: int
    sentences_without_predicate: int
    predicates_without_argument: int


def counts(sentences: Iterable[LabelledSentence]) -> Counts:
    sentences = list(sentences)
    propositions = [proposition for sentence in sentences for proposition in sentence.propositions]
    arguments = [argument for proposition in propositions for argument in proposition.arguments]
    return Counts(
        sentences=len(sentences),
        words=sum(len(sentence.words) for sentence in sentences),
        predicates=len(propositions),
        arguments=len(arguments),
        labels=len({argument.role for argument in arguments}),
        sentences_without_predicate=sum(not sentence.propositions for sentence in sentences),
        predicates_without_argument=sum(not proposition.arguments for proposition in propositions),
    )


COUNTS = [
    (universal_propbank.universal_propbank_sentences, UP_TRAIN, Counts(12211, 162711, 19562, 36325, 29, 1226, 1683), 8),
    (
        *(universal_propbank.universal_propbank_sentences, "srl/finnish_up/fi_tdt-up-dev.conllup"),
        *(Counts(1364, 18308, 2231, 4173, 26, 113, 175), 0),
    ),
    (
        *(universal_propbank.universal_propbank_sentences, "srl/finnish_up/fi_tdt-up-test.conllup"),
        *(Counts(1555, 21070, 2603, 4893, 27, 124, 225), 0),
    ),
    (
        *(finnish_propbank.finnish_propbank_sentences, "srl/finnish_pb/fipb-ud-dev.conllu"),
        *(Counts(716, 9161, 1589, 4136, 20, 46, 27), 0),
    ),
    (
        *(finnish_propbank.finnish_propbank_sentences, "srl/finnish_pb/fipb-ud-test.conllu"),
        *(Counts(648, 9140, 1548, 4098, 20, 31, 18), 0),
    ),
    (conll2009.conll2009_row_sentences, TURKISH.format("train"), Counts(3947, 44034, 8151, 14778, 34, 342, 720), 1),
    (conll2009.conll2009_row_sentences, TURKISH.format("dev"), Counts(844, 9687, 1834, 3240, 28, 64, 166), 0),
    (conll2009.conll2009_row_sentences, TURKISH.format("test"), Counts(842, 9337, 1757, 3180, 29, 66, 147), 0),
    (conll2009.conll2009_word_sentences, TURKISH.format("train"), Counts(3947, 39444, 8151, 14778, 34, 342, 720), 1),
    (conll2009.conll2009_word_sentences, TURKISH.format("dev"), Counts(844, 8627, 1834, 3240, 28, 64, 166), 0),
    (conll2009.conll2009_word_sentences, TURKISH.format("test"), Counts(842, 8330, 1757, 3180, 29, 66, 147), 0),
]


@pytest.mark.parametrize(("read", "file", "expected", "n_places"), COUNTS)
def test_sentences_words_predicates_and_arguments_are_as_many_as_published(read, file, expected, n_places, data_folder):
    skipped = Skipped()
    assert counts(read(data_folder / file, skipped)) == expected
    assert len(skipped.places) == n_places


@pytest.mark.parametrize(("split", "n_words"), [("train", 23), ("dev", 2), ("test", 9)])
def test_turkish_words_with_two_predicates_keep_both(split, n_words, data_folder):
    sentences = conll2009.conll2009_word_sentences(data_folder / TURKISH.format(split), Skipped())
    predicates = [[proposition.predicate for proposition in sentence.propositions] for sentence in sentences]
    assert sum(len(words) - len(set(words)) for words in predicates) == n_words


def test_the_arguments_of_finnish_train_that_point_to_no_word_stand_in_the_known_sentences(data_folder):
    skipped = Skipped()
    sentences = list(universal_propbank.universal_propbank_sentences(data_folder / UP_TRAIN, skipped))
    lines = [place.line for place in skipped.places]
    at = [next(s for s in reversed(sentences) if s.line <= line).identifier for line in lines]
    assert at == ["f605.5", "f702.61", "h1010.15", "t012.14", "u004.14", "w046.4", "w083.6", "wn085.6"]


def test_the_ragged_row_of_turkish_train_is_refused(data_folder):
    with pytest.raises(MalformedLine) as error:
        list(conll2009.read(data_folder / TURKISH.format("train"), refuse))
    assert error.value.line == 25258
    assert error.value.found == "the row has 20 columns"


def test_the_czech_sample_with_its_padded_rows_is_refused(data_folder):
    with pytest.raises(MalformedLine, match="line 1: ID is"):
        list(conll2009.read(data_folder / "srl/conll09_samples/czech_example.conll", refuse))


def test_the_standoff_train_file_has_its_published_size(data_folder):
    file = data_folder / "srl/finnish_up_standoff/fi_tdt-up-train.conllup"
    tables = list(universal_propbank.read_standoff(file, refuse))
    rows = [row for table in tables for row in table.rows if row[1] != "_"]
    assert (len(tables), len(rows)) == (12217, 19571)
    assert sum(len(heads.split("|")) for _, _, heads, _ in rows if heads != "_") == 36337 + 8


@pytest.mark.parametrize("split", ["dev", "test"])
def test_standoff_and_treebank_give_the_joined_corpus(split, data_folder):
    standoff = universal_propbank.universal_propbank_standoff_sentences(
        data_folder / f"srl/finnish_up_standoff/fi_tdt-up-{split}.conllup",
        data_folder / f"ud/fi_tdt_r2.9/fi_tdt-ud-{split}.conllu",
        refuse,
    )
    joined = universal_propbank.universal_propbank_sentences(
        data_folder / f"srl/finnish_up/fi_tdt-up-{split}.conllup", refuse
    )
    assert [content(sentence) for sentence in standoff] == [content(sentence) for sentence in joined]


def content(sentence: LabelledSentence) -> tuple:
    return sentence.identifier, sentence.words, sentence.upos, sentence.propositions


def test_every_conllu_file_is_written_back_byte_for_byte(data_folder, tmp_path):
    files = [*data_folder.glob("srl/finnish_pb/*.conllu"), *data_folder.glob("srl/finnish_up/*.conllup")]
    files += data_folder.glob("ud/*/*.conllu")
    for file in files:
        write_rows(conllu.read(file, refuse), tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == file.read_bytes(), file
    assert len(files) >= 5


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_standoff_file_is_written_back_byte_for_byte(split, data_folder, tmp_path):
    file = data_folder / f"srl/finnish_up_standoff/fi_tdt-up-{split}.conllup"
    write_rows(universal_propbank.read_standoff(file, refuse), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("split", ["dev", "test"])
def test_turkish_files_are_written_back_byte_for_byte(split, data_folder, tmp_path):
    file = data_folder / TURKISH.format(split)
    write_rows(conll2009.read(file, refuse), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == file.read_bytes()


def test_turkish_train_is_written_back_but_for_the_surplus_cell(data_folder, tmp_path):
    file = data_folder / TURKISH.format("train")
    write_rows(conll2009.read(file, Skipped()), tmp_path / "copy")
    lines, copied = file.read_bytes().split(b"\n"), (tmp_path / "copy").read_bytes().split(b"\n")
    differing = [n for n, pair in enumerate(zip(lines, copied, strict=True), start=1) if pair[0] != pair[1]]
    assert differing == [25258]
    assert lines[25257] == copied[25257] + b"\t_"


@pytest.mark.parametrize("split", ["dev", "test"])
def test_finnish_propositions_survive_their_own_writers(split, data_folder, tmp_path):
    universal, finnish = universal_propbank.universal_propbank_sentences, finnish_propbank.finnish_propbank_sentences
    for read, write, file in [
        (universal, write_universal, f"srl/finnish_up/fi_tdt-up-{split}.conllup"),
        (finnish, write_finnish, f"srl/finnish_pb/fipb-ud-{split}.conllu"),
    ]:
        sentences = list(read(data_folder / file, refuse))
        write(sentences, tmp_path / "copy")
        copied = read(tmp_path / "copy", refuse)
        assert [content(sentence) for sentence in copied] == [content(sentence) for sentence in sentences]


@pytest.mark.parametrize(("split", "n_rows"), [("train", 7000), ("dev", 2000), ("test", 1000)])
def test_every_probing_set_is_read_whole_and_written_back_byte_for_byte(split, n_rows, data_folder, tmp_path):
    files = sorted(data_folder.glob(f"linspector/*/*/*/{split}.txt"))
    for file in files:
        read, write = probing_format(file)
        rows = list(read(file, refuse))
        write(rows, tmp_path / "copy")
        assert len(rows) == n_rows, file
        assert (tmp_path / "copy").read_bytes() == file.read_bytes(), file
    assert len(files) == 98


def probing_format(file):
    if file.parts[-4] == "token":
        return linspector.read_tokens, write_tokens
    if file.parent.name in PAIR_TESTS:
        return linspector.read_form_pairs, write_forms
    return linspector.read_forms, write_forms
