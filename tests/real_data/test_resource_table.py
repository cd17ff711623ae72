import pytest

from polyprobe.resources.download import blob_id
from polyprobe.resources.pinned_files import available_targets, source_of

pytestmark = pytest.mark.real_data


# Every second, fifth, … row of these published files lies in the data folder.
SUBSETS = ("xprobe/",)


def test_files_that_are_there_have_the_blob_ids_and_sizes_of_the_table(data_folder):
    present = [target for target in available_targets("") if (data_folder / target).is_file()]
    assert len(present) > 300
    for target in (target for target in present if not target.startswith(SUBSETS)):
        source = source_of(target)
        assert blob_id(data_folder / target) == source.blob, target
        assert source.n_bytes in (None, (data_folder / target).stat().st_size), target
