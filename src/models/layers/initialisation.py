"""The initialisation of recurrent layers."""

import torch
from torch import nn


@torch.no_grad()
def initialise_lstm(layer: nn.LSTM, generator: torch.Generator) -> None:
    """Draws orthogonal matrices, all gates of a matrix together, and biases as the framework draws them: uniform
    within one over the root of the hidden size."""
    bound = layer.hidden_size**-0.5
    for name, parameter in layer.named_parameters():
        if name.startswith("weight"):
            nn.init.orthogonal_(parameter, generator=generator)
        else:
            nn.init.uniform_(parameter, -bound, bound, generator=generator)


def initialise_lstm_evenly(layer: nn.LSTM, generator: torch.Generator) -> None:
    """Draws all parameters as the framework does: uniform within one over the root of the hidden size."""
    bound = layer.hidden_size**-0.5
    for parameter in layer.parameters():
        nn.init.uniform_(parameter, -bound, bound, generator=generator)


@torch.no_grad()
def zero_forget_biases(layer: nn.LSTM) -> None:
    """Sets the forget gates' parts of all biases to 0."""
    for name, parameter in layer.named_parameters():
        if name.startswith("bias"):
            parameter[layer.hidden_size : 2 * layer.hidden_size] = 0.0


@torch.no_grad()
def initialise_lstm_gates(layer: nn.LSTM, generator: torch.Generator) -> None:
    """Draws an orthogonal matrix for each gate; forget gates start with a bias of 1, all others with 0."""
    for name, parameter in layer.named_parameters():
        if name.startswith("weight"):
            for gate in parameter.split(layer.hidden_size):
                gate.copy_(nn.init.orthogonal_(torch.empty(gate.shape), generator=generator))
        else:
            parameter.zero_()
            if name.startswith("bias_ih"):
                parameter[layer.hidden_size : 2 * layer.hidden_size] = 1.0
