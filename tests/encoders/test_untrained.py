import pytest

from src.errors import BadValue, UnknownChoice
from tests.encoders.kinds.untrained import build


@pytest.mark.parametrize(("model", "width"), [("bilstm_last", 1024), ("bilstm_max", 1024), ("gated_convnet", 512)])
def test_a_network_has_the_sizes_of_its_model_unless_told_otherwise(model, width, tmp_path):
    (layer,) = build(tmp_path, model=model, network={}).layers
    assert (layer.name, layer.width) == ("sentence", width)


def test_a_model_without_a_network_over_words_is_refused(tmp_path):
    with pytest.raises(UnknownChoice, match=r'encoder\.model "tagger" is unknown.*bilstm_last, bilstm_max'):
        build(tmp_path, model="tagger")


def test_a_setting_that_the_network_has_not_is_refused(tmp_path):
    with pytest.raises(BadValue, match=r"encoder\.network.*settings of BiLSTMMax"):
        build(tmp_path, network={"kernel_size": 3})
