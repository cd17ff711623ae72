import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.texts.text_corpus import corpus_sentences


@pytest.mark.real_data
@pytest.mark.parametrize(("lang", "n_sentences", "n_tokens"), [("fi", 66_421, 794_598), ("tr", 112_508, 1_221_558)])
def test_texts_have_the_sizes_that_their_description_gives_and_no_bad_line(data_folder, lang, n_sentences, n_tokens):
    sizes = [len(sentence) for sentence in corpus_sentences(data_folder / f"corpora/{lang}.txt", refuse)]
    assert (len(sizes), sum(sizes)) == (n_sentences, n_tokens)
