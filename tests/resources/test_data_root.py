import pytest

from polyprobe.resources.data_root import data_root
from polyprobe.runs.names.foreign_names import ForeignName
from polyprobe.runs.workspace import Workspace


def of(target, folder):
    language = {"generator": {"_target_": target, "seed": 1}}
    return data_root(language, Workspace.of({"data": folder, "work": folder.parent, "mirror": None}))


@pytest.mark.parametrize(
    "target", ["polyprobe.resources.mini_corpora.ensure", "polyprobe.resources.download.ensure", "ensure"]
)
def test_a_generator_of_ours_is_that_of_the_table_whatever_module_is_named(target, mini_folder, tmp_path):
    (tmp_path / "cache").symlink_to(mini_folder.parent)
    assert of(target, tmp_path / "data").resolve() == mini_folder.resolve()


def test_another_function_of_ours_is_no_generator(tmp_path):
    with pytest.raises(ForeignName, match="a generator of a language"):
        of("polyprobe.formats.files.atomic.write_text", tmp_path)


def test_a_generator_of_a_user_is_found_in_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "own_language.py").write_text("def make(folder, seed): return folder / str(seed)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert of("own_language.make", tmp_path / "data") == tmp_path / "cache" / "1"
