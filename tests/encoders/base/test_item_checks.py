"""What encoders refuse before they compute anything; the rest stands in the contract table."""

from pathlib import Path

import pytest

from polyprobe.encoders.base.encoder import path_of
from polyprobe.errors import BadValue


@pytest.mark.parametrize("value", [None, 2024, ["a"]])
def test_what_is_no_name_of_a_file_is_refused_by_its_key(value):
    assert path_of("encoder.path", "2024") == Path("2024")
    with pytest.raises(BadValue, match=r"encoder\.path must be the name of a file or folder"):
        path_of("encoder.path", value)
