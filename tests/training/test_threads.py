"""The number of threads is set before anything is computed: weights are drawn with it, too."""

import pytest
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.models.tagger import Tagger
from tests.training.in_process import small_run


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_weights_are_drawn_with_the_threads_that_are_asked_for(two_threads, small_data, tmp_path, monkeypatch):
    def stopping(self, *arguments, **options):
        raise PolyprobeError(f"threads: {torch.get_num_threads()}")

    monkeypatch.setattr(Tagger, "__init__", stopping)
    with pytest.raises(PolyprobeError, match="threads: 1"):
        small_run("pos", small_data, tmp_path)
