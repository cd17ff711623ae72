"""What a run of word vectors is told: what gensim cannot do is refused before a text is read."""

import pytest

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.training.door import word_vector_settings
from tests.commands.scripts import on_small_data
from tests.training.five_tasks import composed


@pytest.fixture(scope="module")
def word2vec(small_data, tmp_path_factory):
    """The configuration of task=word_vectors."""
    return composed("task=word_vectors", *on_small_data(small_data, tmp_path_factory.mktemp("work")))


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"trainer": {"accelerator": "cpu", "devices": 2}}, PolyprobeError, "trains in one process"),
        ({"callbacks": {"mine": {"_target_": "mine.Callback"}}}, PolyprobeError, "is trained by gensim"),
        ({"probe_each_epoch": ["Case"]}, BadValue, r"probe_each_epoch must be \[\] with task=word_vectors"),
    ],
)
def test_what_gensim_cannot_do_is_refused(changed, error, words, word2vec):
    with pytest.raises(error, match=words):
        word_vector_settings({**word2vec, **changed})


@pytest.mark.parametrize(("lowercase", "case"), [(True, "turkish"), (False, "kept"), ("python", "unicode")])
def test_words_are_lower_cased_as_the_configuration_says(lowercase, case, word2vec):
    config = {**word2vec, "data": {**word2vec["data"], "lowercase": lowercase}}
    assert word_vector_settings(config).case == case
