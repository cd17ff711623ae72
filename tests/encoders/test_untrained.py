import numpy as np
import pytest

from polyprobe.items import Sentence
from tests.encoders.kinds.static_vectors import ROWS
from tests.encoders.kinds.untrained import build

SMALL = {"hidden_size": 6, "n_layers": 2}
SENTENCES = [Sentence(("talo", "paloi", ".")), Sentence(("eilen",))]


def vectors(folder, rows, **network):
    folder.mkdir()
    encoder = build(folder, rows, model="gated_convnet", network={**SMALL, **network})
    return np.concatenate([block for (block,) in encoder.encode(SENTENCES)])


def times_ten(rows):
    first, *others = (line.split() for line in rows.splitlines())
    rows = [f"{word} {' '.join(str(10 * float(number)) for number in row)}" for word, *row in others]
    return "\n".join([" ".join(first), *rows, ""])


def test_a_convnet_reads_word_vectors_at_its_own_scale_whatever_theirs_is(tmp_path):
    one, other = vectors(tmp_path / "one", ROWS), vectors(tmp_path / "ten", times_ten(ROWS))
    np.testing.assert_allclose(other, one, rtol=1e-5)
    as_it_is = vectors(tmp_path / "raw", times_ten(ROWS), input_rms=None)
    assert np.abs(as_it_is - one).max() > 0.1


def test_the_scale_of_a_file_is_that_of_its_words_by_zipfs_law(tmp_path):
    rows = "2 4\na 3 3 3 3\nb 0 0 0 0\n"  # (1 * 9 + 1/2 * 0) / (1 + 1/2): a root mean square of the root of 6
    brought = rows.replace("3", f"{3 * 0.1 / 6**0.5:.9f}")
    measured, raw = vectors(tmp_path / "one", rows), vectors(tmp_path / "two", brought, input_rms=None)
    np.testing.assert_allclose(measured, raw, rtol=1e-5)


@pytest.mark.parametrize(("model", "width"), [("bilstm_last", 1024), ("bilstm_max", 1024), ("gated_convnet", 512)])
def test_a_network_has_the_sizes_of_its_model_unless_told_otherwise(model, width, tmp_path):
    (layer,) = build(tmp_path, model=model, network={}).layers
    assert (layer.name, layer.width) == ("sentence", width)
