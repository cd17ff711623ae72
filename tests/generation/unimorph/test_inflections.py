from pathlib import Path

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.unimorph.decoding import Decisions
from polyprobe.generation.unimorph.inflections import ABSENT, DecodedInflections, read_inflections

NFD, NFC = "g\u00f6l".replace("\u00f6", "o\u0308"), "g\u00f6l"


def lexicon(folder: Path, *texts: str, normalization: str = "nfc") -> DecodedInflections:
    paths = [folder / f"part{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    return DecodedInflections(read_inflections(paths, normalization, refuse), Decisions())


def test_forms_with_a_blank_are_left_out_and_counted(tmp_path):
    found = lexicon(tmp_path, "gel\tgelir mi\tV;INTR\ngel\tgelir\tV;DECL\n").inflections
    assert (found.forms, found.reading.triples, found.reading.with_blank) == (["gelir"], 2, 1)


def test_a_lemma_with_a_blank_stays(tmp_path):
    assert lexicon(tmp_path, "ad vermek\tadver\tV\n").inflections.lemmas == ["ad vermek"]


def test_files_are_read_one_after_the_other(tmp_path):
    found = lexicon(tmp_path, "ev\tevler\tN;PL\n", "ev\tev\tN;SG\nat\tevler\tN;PL\n").inflections
    assert found.forms == ["evler", "ev"]
    assert found.form_ids.tolist() == [0, 1, 0]
    assert found.first_triples.tolist() == [0, 1]
    assert found.triples_of(0).tolist() == [0, 2]


def test_spellings_of_two_kinds_are_one_form_in_nfc_and_two_as_they_stand(tmp_path):
    text = f"a\t{NFD}\tN;NOM\na\t{NFC}\tN;NOM\n{NFD}\tb\tN\n"
    found = lexicon(tmp_path, text).inflections
    assert (found.forms, found.reading.normalized) == ([NFC, "b"], 2)
    assert lexicon(tmp_path, text, normalization="kept").inflections.forms == [NFD, NFC, "b"]


def test_unknown_codes_and_undecided_dimensions_are_counted_by_triples(tmp_path):
    found = lexicon(tmp_path, "a\tb\tN;XYZ\nc\td\tN;XYZ\ne\tf\tN;NOM;ACC;QQQ\n")
    assert found.unknown_codes() == {"XYZ": 2, "QQQ": 1}
    assert found.undecided() == {"Case": 1}


def test_values_are_numbered_in_alphabetical_order(tmp_path):
    values = lexicon(tmp_path, "a\tb\tN;NOM\na\tc\tN;ACC\na\td\tV\n").values("Case")
    assert (values.labels, values.of_triples.tolist()) == (["Accusative", "Nominative"], [1, 0, ABSENT])
