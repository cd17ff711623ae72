"""Entry points of installed packages: what they add, and what is said of those that are wrong."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.metrics.probe_metrics import columns_of_layers, probing_row
from polyprobe.runs.names import conf_folders
from polyprobe.runs.names.conf_folders import CONF, plugin_folders
from polyprobe.runs.names.foreign_names import ENCODER, names_of
from polyprobe.runs.results import ResultRow
from tests.commands.scripts import ROOT
from tests.runs.names.plugin_caches import forgotten

METRIC = """
from polyprobe.metrics.probe_metrics import FACTOR, FRACTION, LayerColumn
def column(name, of_probe=lambda gold, probe: 0.5, unit=FACTOR):
    return LayerColumn(name, name, name, unit, of_probe)
GOOD, TAKEN, BAD_UNIT = column("kappa"), column("macro_f1"), column("kappa", unit="metres")
FAILS, NOTHING = column("kappa", lambda gold, probe: 1 / 0), column("kappa", None)
NAN = column("kappa", lambda gold, probe: float("nan"))
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Returns a function that installs a package with an entry point, until the end of the test."""
    name = f"plugin_{tmp_path.name.replace('-', '_')}"

    def install(group, value, files=()):
        info = tmp_path / "a_plugin-1.2.dist-info"
        for path, text in [
            (info / "METADATA", "Metadata-Version: 2.1\nName: a-plugin\nVersion: 1.2\n"),
            (info / "entry_points.txt", f"[{group}]\nmine = {value.format(name)}\n"),
            (tmp_path / name / "__init__.py", ""),
            (tmp_path / name / "metrics.py", METRIC),
            *((tmp_path / name / path, text) for path, text in files),
        ]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / name

    monkeypatch.syspath_prepend(tmp_path)
    with forgotten():
        yield install


def test_without_packages_there_is_conf_alone(installed):
    assert plugin_folders() == ()
    assert probing_row() is ResultRow


def test_a_folder_of_a_package_adds_choices_and_what_they_build(installed):
    folder = installed("polyprobe.conf", "{}.conf", [("conf/encoder/mine.yaml", "_target_: mine.Mine\n")])
    assert plugin_folders() == (folder / "conf",)
    assert conf_folders.conf_folders() == [CONF, folder / "conf"]
    assert conf_folders.choice_settings("encoder", "mine") == {"_target_": "mine.Mine"}
    assert "mine.Mine" in names_of(ENCODER)


@pytest.mark.parametrize(
    ("value", "files", "found"),
    [
        ("nowhere.conf", [], "ModuleNotFoundError"),
        ("{}.config", [], "there is no such folder of a package"),
        ("{}.broken.conf", [("broken/__init__.py", "1 / 0\n")], "ZeroDivisionError: division by zero"),
        ("{}.conf", [("conf/encodr/a.yaml", "")], "has no choice of any group"),
        ("{}.conf", [("conf/encoder/random.yaml", "")], r"there already \(encoder=random\). Give it another name"),
    ],
)
def test_a_broken_folder_names_its_distribution(installed, value, files, found):
    installed("polyprobe.conf", value, files)
    with pytest.raises(
        PolyprobeError, match=rf"The installed package a-plugin 1\.2 \(polyprobe\.conf: mine = .*{found}"
    ):
        plugin_folders()


def test_a_metric_of_a_package_is_a_column_of_rows(installed):
    installed("polyprobe.metrics", "{}.metrics:GOOD")
    assert columns_of_layers()[-1].name == "kappa"
    assert columns_of_layers()[-1].of_probe(np.zeros(1), None) == 0.5
    row = probing_row()("probing", "fi", "toy", "accuracy", 1.0, 1, "test", kappa=0.5)
    assert isinstance(row, ResultRow)
    assert row.kappa == 0.5


def test_a_metric_that_is_not_a_number_is_none(installed):
    installed("polyprobe.metrics", "{}.metrics:NAN")
    assert columns_of_layers()[-1].of_probe(np.zeros(1), None) is None


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("{}.metrics:NONE", 'has no "NONE"'),
        ("{}.metrics:NOTHING", "it is no LayerColumn"),
        ("{}.metrics:BAD_UNIT", "it is no LayerColumn with a unit"),
        ("{}.metrics:TAKEN", 'its column is named "macro_f1"'),
        ("{}.metrics:FAILS", "its metric failed .ZeroDivisionError"),
    ],
)
def test_a_broken_metric_names_its_distribution(installed, value, found):
    installed("polyprobe.metrics", value)
    with pytest.raises(
        PolyprobeError, match=rf"a-plugin 1\.2 \(polyprobe\.metrics: mine = .*{found}.*uninstall a-plugin"
    ):
        columns_of_layers()[-1].of_probe(np.zeros(1), None)


def test_a_package_that_is_installed_twice_counts_once(installed, tmp_path, monkeypatch):
    folder = installed("polyprobe.conf", "{}.conf", [("conf/encoder/mine.yaml", "")])
    again = tmp_path / "again" / "a_plugin-1.1.dist-info"
    again.mkdir(parents=True)
    for file in (tmp_path / "a_plugin-1.2.dist-info").iterdir():
        (again / file.name).write_text(file.read_text())
    sys.path.append(str(again.parent))
    try:
        assert plugin_folders() == (folder / "conf",)
    finally:
        sys.path.remove(str(again.parent))


_FOUND = (
    "from polyprobe.runs.names.plugins import METRICS, plugins; print([one.distribution for one in plugins(METRICS)])"
)


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        (["-c", _FOUND], "folder"),
        (["-c", f"import os; os.chdir(os.pardir); {_FOUND}"], "folder"),
        (["-m", "started"], "folder"),
        (["folder/started.py"], ""),
    ],
)
def test_a_folder_that_lies_where_python_was_started_is_not_installed(tmp_path, arguments, folder):
    info = tmp_path / "folder" / "evil-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[polyprobe.metrics]\nmine = evil:A\n")
    (info.parent / "started.py").write_text(_FOUND)

    def found(python_path):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, python_path))}
        command = [sys.executable, *arguments]
        return subprocess.check_output(command, cwd=tmp_path / folder, env=environment, text=True).strip()

    assert found([ROOT]) == "[]"
    shutil.copytree(info, tmp_path / "site" / info.name)
    assert found([ROOT, tmp_path / "site"]) == "['evil 1.0']"
