import pytest
import torch
from torch import nn

from polyprobe.predictors.masked.model import PackedLinear, pack_linear_layers


@pytest.mark.parametrize("n_rows", [1, 5, 300])
@pytest.mark.parametrize("bias", [True, False])
def test_a_packed_layer_gives_what_the_layer_gives(n_rows, bias):
    layer, inputs = nn.Linear(12, 7, bias=bias), torch.randn(2, n_rows, 12)
    with torch.inference_mode():
        torch.testing.assert_close(PackedLinear(layer)(inputs), layer(inputs))


def test_layers_are_put_back():
    layer = nn.Linear(3, 3)
    model = nn.Sequential(layer, nn.Sequential(nn.Linear(3, 2), nn.ReLU()))
    put_back = pack_linear_layers(model)
    assert not any(type(module) is nn.Linear for module in model.modules())
    put_back()
    assert model[0] is layer
    assert type(model[1][0]) is nn.Linear
