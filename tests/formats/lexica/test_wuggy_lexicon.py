import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.lexica.wuggy_lexicon import read
from polyprobe.formats.reading.malformed import refuse


def test_syllables_and_frequencies_are_read(tmp_path):
    (tmp_path / "lexicon").write_text("akşam\tak-şam\t212.05\nâdem\ta-dem\t0\n", encoding="utf-8")
    words = [(word.word, word.syllables, word.per_million) for word in read(tmp_path / "lexicon", refuse)]
    assert words == [("akşam", ("ak", "şam"), 212.05), ("âdem", ("a", "dem"), 0.0)]


@pytest.mark.parametrize(
    ("row", "found"), [("ev\te--v\t1", "syllables"), ("ev\tev\tx", "frequency"), ("ev\tev\tnan", "nan")]
)
def test_an_empty_syllable_and_a_frequency_that_is_no_number_are_refused(row, found, tmp_path):
    (tmp_path / "lexicon").write_text(f"a\ta\t1\n{row}\n", encoding="utf-8")
    with pytest.raises(MalformedLine, match=f"line 2: .*{found}"):
        list(read(tmp_path / "lexicon", refuse))
