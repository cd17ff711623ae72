"""The packed corpora of lang=mini: layout, bytes, wholeness."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from polyprobe.resources.mini_corpora import ensure, is_whole

REPOSITORY = Path(__file__).parents[2]
UNPACKS = "import sys; from polyprobe.resources.mini_corpora import ensure; ensure(sys.argv[1], 1)"


@pytest.fixture(scope="module")
def folder(mini_folder, tmp_path_factory) -> Path:
    """A copy, in which tests may damage files."""
    return shutil.copytree(mini_folder, tmp_path_factory.mktemp("corpora") / mini_folder.name)


def test_the_files_are_those_that_published_numbers_rest_on(folder):
    manifest = (folder / "manifest.tsv").read_bytes()
    assert hashlib.sha256(manifest).hexdigest()[:16] == "c86684f41306cd45"
    listed = {line.split("\t")[1] for line in manifest.decode().splitlines()}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {*listed, "manifest.tsv"}
    assert is_whole(folder)


def test_the_files_that_the_language_names_are_there(folder):
    named = yaml.safe_load((REPOSITORY / "conf/lang/mini.yaml").read_text(encoding="utf-8"))["made_from"]
    paths = [path for value in named.values() for path in ([value] if isinstance(value, str) else value)]
    assert {path.partition("/")[0] for path in paths} == {"unimorph", "frequency", "ud", "wuggy"}
    assert all((folder / path).exists() for path in paths)


def test_a_whole_folder_is_left_alone(folder):
    before = (folder / "manifest.tsv").stat().st_mtime_ns
    assert ensure(folder.parent, seed=1) == folder
    assert (folder / "manifest.tsv").stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(file.read_bytes()[:-10]), Path.unlink])
def test_a_damaged_folder_is_laid_out_again_and_what_a_killed_process_left_is_removed(folder, damage):
    file = folder / "linspector/type/mini/Case/dev.txt"
    content = file.read_bytes()
    damage(file)
    left_over = folder.parent / f".{folder.name}.0f.tmp"
    (left_over / "srl").mkdir(parents=True)
    os.utime(left_over, (1e9, 1e9))
    ensure(folder.parent, seed=1)
    assert file.read_bytes() == content
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_of_two_processes_at_once_both_end_well_with_one_whole_folder(tmp_path):
    command = [sys.executable, "-c", UNPACKS, str(tmp_path)]
    processes = [subprocess.Popen(command, cwd=REPOSITORY) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    (made,) = tmp_path.iterdir()
    assert is_whole(made)


def test_without_room_it_is_one_line_and_nothing_is_left(tmp_path):
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10_240, 10_240)); {UNPACKS}"
    done = subprocess.run(
        [sys.executable, "-c", limited, str(tmp_path)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert "NoRoom" in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []
