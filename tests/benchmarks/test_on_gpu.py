"""The benchmark of a GPU, on a CPU at tiny sizes: that it works, and by what it measures."""

import numpy as np
import torch
from transformers import AutoConfig

from benchmarks.on_gpu import SMALL, InMemoryTransformer, Measuring, encoded, looped

CPU = torch.device("cpu")


def test_every_line_is_measured_on_a_cpu_at_tiny_sizes():
    lines = list(Measuring(SMALL, CPU, seconds=0.0).lines())
    whats = " ".join(what for what, *_ in lines)
    for expected in ("Llama", "BERT", "padded loop", "probes", "labeller", "parser", "language model", "sentence enc"):
        assert expected in whats
    assert all(float(rate.split()[0].replace(",", "")) > 0 for _, rate, *_ in lines)


def test_the_loop_computes_the_same_vectors():
    kind, _, settings = SMALL.models["BERT, tiny"]
    model = InMemoryTransformer(AutoConfig.for_model(kind, **settings), "float32", CPU)
    sentences = [np.arange(3 + number) % 90 for number in range(5)]
    ours = np.stack(encoded(model, sentences, range(4)))
    theirs = torch.cat(looped(model, sentences), dim=1).numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
