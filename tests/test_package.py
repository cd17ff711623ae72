"""What `pip install` gives: one package that works in any folder, beside whatever its user has there."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import polyprobe as pp
from tests.commands.forked import run_script
from tests.commands.scripts import MODULES_OF_SOMEBODY, ROOT, only_run, small_training
from tests.pages import marked_commands

FOREIGN = ("random.py", *(f"{name}.py" for name in MODULES_OF_SOMEBODY), "triton/__init__.py")
FOREIGN += (
    "src/__init__.py",
    "errors.py",
    "named.py",
    "models/__init__.py",
    "runs/__init__.py",
    "train.py",
    "probe.py",
)
PLACES = ("installed", "checkout")
HOSTILE = 'raise SystemExit("somebody else\'s")'


def done(arguments: list[str], folder: Path, site: Path | None = None) -> subprocess.CompletedProcess:
    """Runs Python in a folder, with a folder of installed packages; fails the test if it fails."""
    environment = {"PYTHONPATH": str(site or ""), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    command = [sys.executable, *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended


def write_foreign(folder: Path) -> None:
    for name in FOREIGN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(HOSTILE)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder in which a source distribution of this checkout is installed."""
    folder = tmp_path_factory.mktemp("package")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (source,) = folder.glob("*.tar.gz")
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--no-build-isolation"]
    done([*pip, "--no-compile", "--no-index", "--target", "site", str(source)], folder)
    return folder / "site"


def test_it_is_one_package_with_its_configuration_and_data(site):
    assert {one.name for one in site.iterdir()} - {"bin"} == {"polyprobe", f"polyprobe-{pp.__version__}.dist-info"}
    shipped = {path.relative_to(site / "polyprobe").as_posix() for path in (site / "polyprobe").rglob("*.*")}
    kept = [path for pattern in ("conf/**/*.*", "published/*.csv") for path in ROOT.glob(pattern)]
    beside = {path.relative_to(ROOT).as_posix() for path in kept}
    data = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.*") if path.is_file()}
    assert {name for name in beside | data if "__pycache__" not in name} <= shipped
    assert "py.typed" in shipped


def test_an_editable_install_is_the_checkout(tmp_path):
    code = f"import hatchling.build; print(hatchling.build.build_editable({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (link,) = (name for name in archive.namelist() if name.endswith(".pth"))
        assert Path(archive.read(link).decode().strip()) == ROOT
        assert not [name for name in archive.namelist() if name.endswith(".py")]


def test_the_extra_of_developers_is_requirements_dev():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    assert extras["dev"] == [line for line in lines if line and not line.startswith("#")]


def pins(text: str) -> set[str]:
    return {one.lower().replace("_", "-") for one in re.findall(r"^[\w-]+==[\w.]+", text, re.MULTILINE)}


def test_the_lock_file_has_the_digests_of_all_pinned_packages_but_torch():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = [(ROOT / f"requirements{which}.txt").read_text(encoding="utf-8") for which in ("", "-dev")]
    assert {one for one in pins("\n".join(pinned)) - pins(lock) if not one.startswith("torch==")} == set()
    assert len(pins(lock)) <= len(re.findall(r"\\\n    --hash=sha256:", lock))


def test_beside_somebody_elses_modules_a_sweep_of_two_processes_has_the_run_and_the_rows_of_a_checkout(
    site, small_data, tmp_path
):
    """Hydra starts the job and Lightning the second process."""
    write_foreign(tmp_path)
    more = ["trainer.devices=2", "seed=3", "trainer.max_epochs=1"]
    installed, checkout = (small_training(small_data, tmp_path / name, *more, task="pos") for name in PLACES)
    done(["-m", "polyprobe", "train", "-m", *installed], tmp_path, site)
    in_fork = run_script("train", *checkout)
    assert in_fork.returncode == 0, in_fork.stderr
    run, in_checkout = (only_run(tmp_path / name, "train") for name in PLACES)
    assert run.name == in_checkout.name
    assert (run / "results.jsonl").read_bytes() == (in_checkout / "results.jsonl").read_bytes()
    command = json.loads((run / "run.json").read_text(encoding="utf-8"))["command"]
    assert command.startswith("polyprobe train ")


def test_help_says_how_it_is_called(site, tmp_path):
    assert done(["-m", "polyprobe"], tmp_path, site).stdout.startswith("Usage: polyprobe ")


def test_what_it_tells_to_type_can_be_typed_there(site, tmp_path):
    environment = {"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "polyprobe", "analyze"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.strip()) == (
        1, "No results below runs. polyprobe train and polyprobe probe make some.",
    )  # fmt: skip


def test_a_misspelt_command_is_answered_by_the_nearest(site, tmp_path):
    command = [sys.executable, "-m", "polyprobe", "prob"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("polyprobe has no command 'prob'. Did you mean probe?")


def test_its_version_is_declared_once(site, tmp_path):
    """Other than for those who cite it."""
    assert done(["-m", "polyprobe", "--version"], tmp_path, site).stdout == f"{pp.__version__}\n"
    assert (site / f"polyprobe-{pp.__version__}.dist-info").is_dir()
    assert f"\nversion: {pp.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_first_commands_of_the_readme_work_in_an_empty_folder(site, tmp_path):
    said = ""
    for _, script, *words in marked_commands(ROOT / "README.md")[:3]:
        words = [one.replace("<run>", str(only_run(tmp_path, "probe"))) if "<run>" in one else one for one in words]
        ended = done(["-m", "polyprobe", script.removesuffix(".py"), *words], tmp_path, site)
        said += ended.stdout + ended.stderr
    assert f"data={site}/polyprobe/docs/nouns.tsv: a table of 2 columns" in said
    assert "\n label  59 " in said
    assert (only_run(tmp_path, "probe") / "report.html").is_file()
