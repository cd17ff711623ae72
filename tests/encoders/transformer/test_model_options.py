"""Which epoch a checkpoint of somebody else's training is, and which lists of checkpoints are refused."""

from pathlib import Path

import pytest

from polyprobe.encoders.transformer.model_options import NamedCheckpoint, NamedModels, epochs_of
from polyprobe.errors import BadValue, PolyprobeError

NOTHING = {"model": None, "revision": None, "folders": None, "revisions": None, "weights": "pretrained"}


class Models(NamedModels, key="encoder"):
    """The models that an encoder names."""


def checkpoints(**options) -> list[NamedCheckpoint]:
    return Models(**{**NOTHING, **options}).checkpoints()


@pytest.fixture
def folders(tmp_path) -> list[str]:
    paths = [tmp_path / name for name in ("step1000", "step0", "step200")]
    for path in paths:
        path.mkdir()
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    ("names", "epochs"),
    [
        (["step0", "step512", "step143000"], [0, 512, 143000]),  # Pythia
        (["step1000-tokens4B", "step2000-tokens8B"], [1000, 2000]),  # OLMo
        (["stage1-step150-tokens1B", "stage1-step600-tokens3B"], [150, 600]),  # OLMo 2
        (["chck_1M", "chck_10M", "chck_1B"], [10**6, 10**7, 10**9]),  # BabyLM
        (["checkpoint-500", "checkpoint-1000"], [500, 1000]),  # the Trainer of transformers
        (["mine-epoch=3", "mine-epoch=12"], [3, 12]),
        (["step1000"], [1000]),
        (["stage1-step600", "stage2-step150"], [0, 1]),  # steps are counted anew
        (["first", "second"], [0, 1]),
        (["step0", "main"], [0, 1]),
        (["step5-a", "step5-b"], [0, 1]),
        (["step1000abc", "step2000abc"], [0, 1]),
    ],
)
def test_an_epoch_is_the_step_in_the_name_or_the_place_in_the_list(names, epochs):
    assert epochs_of(names) == epochs


def test_folders_are_in_the_order_of_training_whatever_that_of_the_list(folders, capsys):
    found = checkpoints(folders=folders)
    assert [(one.epoch, Path(one.model).name, one.revision) for one in found] == [
        (0, "step0", None), (200, "step200", None), (1000, "step1000", None),
    ]  # fmt: skip
    assert capsys.readouterr().out == "encoder.folders, as epochs: 0 step0, 200 step200, 1000 step1000\n"


def test_revisions_are_of_one_model():
    assert checkpoints(model="owner/tiny", revisions=["step2", "step1"]) == [
        NamedCheckpoint(1, "owner/tiny", "step1"), NamedCheckpoint(2, "owner/tiny", "step2"),
    ]  # fmt: skip


def test_a_model_alone_has_no_epoch():
    assert checkpoints(model="owner/tiny", revision="step1") == [NamedCheckpoint(None, "owner/tiny", "step1")]


@pytest.mark.parametrize("names", [[], "step0", [1000]])
@pytest.mark.parametrize("key", ["folders", "revisions"])
def test_what_is_no_list_of_names_is_refused(key, names):
    options = {"model": "owner/tiny"} if key == "revisions" else {}
    with pytest.raises(BadValue, match=rf"encoder\.{key} must be a list of names"):
        checkpoints(**{key: names}, **options)


def test_a_missing_folder_is_named_and_nothing_is_looked_for_on_the_hub(folders):
    with pytest.raises(PolyprobeError, match=r"there is no folder owner/tiny\. .*encoder\.revisions=\[…\]"):
        checkpoints(folders=[*folders, "owner/tiny"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"revisions": ["step1"], "model": "owner/tiny"}, r"encoder\.revisions must be null with a list"),
        ({"model": "owner/tiny"}, r"encoder\.model must be null with a list"),
        ({"revision": "main"}, r"encoder\.revision must be null with a list"),
        ({"weights": "random"}, r"encoder\.weights must be pretrained"),
    ],
)
def test_an_option_that_says_otherwise_than_the_folders_is_refused(folders, options, words):
    with pytest.raises(BadValue, match=words):
        checkpoints(folders=folders, **options)
