"""The published probing sets of a language, read as a probing run reads them."""

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.tests import Suite, load_test
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.splits import SPLITS


def read(kind, name):
    settings = choice_settings(kind, name)
    settings.pop("_target_", None)
    return settings


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("suite", "code"), [("linspector_type", "fi"), ("linspector_type", "tr"), ("linspector_token", "fi")]
)
def test_every_test_of_the_language_has_7000_2000_and_1000_rows(suite, code, data_folder):
    one, language = Suite(**read("suite", suite)), read("lang", code)
    for status in available_tests(one, language, data_folder):
        assert status.state == "present", status
        test = load_test(one, language, status.name, data_folder, None, refuse)
        sizes = {split: len(getattr(test, split).items) for split in SPLITS}
        assert sizes == status.sizes == {"train": 7000, "dev": 2000, "test": 1000}, status.name
        assert {len(items) for items in test.test.items} == {2 if status.name in one.pairs else 1}
