import numpy as np

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.type_tests.ranked_lexicon import parts_of_forms
from polyprobe.generation.unimorph.decoding import Decisions
from polyprobe.generation.unimorph.inflections import DecodedInflections, read_inflections
from tests.generation.type_tests.lexica import write_lexicon

SHARES = (0.7, 0.2, 0.1)


def test_a_form_is_in_the_split_of_all_its_lemmas_or_in_none(tmp_path):
    path, _ = write_lexicon(tmp_path)
    lexicon = DecodedInflections(read_inflections([path], "nfc", refuse), Decisions())
    parts = parts_of_forms(lexicon, SHARES, np.random.default_rng(1))
    of_lemmas: dict[int, set[int]] = {}
    of_forms: dict[int, set[int]] = {}
    for form, lemma in zip(lexicon.inflections.form_ids.tolist(), lexicon.inflections.lemma_ids.tolist(), strict=True):
        of_forms.setdefault(form, set()).add(lemma)
        if parts[form] >= 0:
            of_lemmas.setdefault(lemma, set()).add(int(parts[form]))
    assert all(len(found) == 1 for found in of_lemmas.values())
    for form, lemmas in of_forms.items():
        several = len(set().union(*(of_lemmas.get(lemma, set()) for lemma in lemmas))) > 1
        assert several <= (parts[form] < 0)
    shares = [np.mean(parts == part) for part in range(3)]
    assert np.allclose(shares, SHARES, atol=0.05)


def test_every_part_of_speech_is_dealt_out(tmp_path):
    rows = [f"{kind}{n}\t{kind}{n}s\t{kind};PL\n" for kind in ("N", "V", "ADJ") for n in range(100)]
    (tmp_path / "lexicon").write_text("".join(rows), encoding="utf-8")
    lexicon = DecodedInflections(read_inflections([tmp_path / "lexicon"], "nfc", refuse), Decisions())
    parts = parts_of_forms(lexicon, SHARES, np.random.default_rng(1)).reshape(3, 100)
    assert [np.bincount(of_kind).tolist() for of_kind in parts] == [[70, 20, 10]] * 3
