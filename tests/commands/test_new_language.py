"""A language that nobody has made tests of, from its published files to scores, as a user does it."""

import json

import pytest

from tests.commands.forked import run_script
from tests.generation import syllabified
from tests.generation.token_tests.treebanks import write_treebank
from tests.generation.type_tests.lexica import write_lexicon
from tests.resources.server import blob_of, files, running

SECTIONS = ("type_level", "token_level", "pseudowords")
COMMIT = "c" * 40


@pytest.fixture
def published(tmp_path):
    """Writes the language's file in a folder of one's own; what it names is on a server, by its address there."""
    (tmp_path / "published").mkdir()
    unimorph, words = write_lexicon(tmp_path / "published", lemmas=12)
    named = {
        "unimorph": unimorph,
        "frequency": words,
        "treebanks": write_treebank(tmp_path / "published", 350),
        "syllables": syllabified.write_lexicon(tmp_path / "published/syllables.txt", syllabified.rule_made_words(260)),
    }
    lines = ["code: xx", "name: Ixish", "made_from:"]
    for kind, path in named.items():
        pin = {"target": f"xx/{path.name}", "repository": "owner/xx", "commit": COMMIT, "path": path.name}
        pin |= {"blob": blob_of(path.read_bytes()), "license": "CC0-1.0"}
        lines.append(f"  {kind}: {json.dumps(pin)}")
    (tmp_path / "conf/lang").mkdir(parents=True)
    (tmp_path / "conf/lang/xx.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {f"/owner/xx/{COMMIT}/{path.name}": path.read_bytes() for path in named.values()}


def test_its_files_are_fetched_made_into_tests_and_probed(published, tmp_path, work):
    (tmp_path / "data").mkdir()
    where = [f"--config-dir={tmp_path / 'conf'}", f"paths.data={tmp_path / 'data'}", f"paths.work={work}"]
    suites = "suite=linspector_type,linspector_token,pseudowords"
    sizes = [f"{level}.items={{train: 280, dev: 80, test: 40}}" for level in SECTIONS]
    with running() as server:
        server.behaviours = [files(published)]
        mirror = f"paths.mirror={server.base_url}"
        made = run_script("generate", "-m", suites, "lang=xx,eu", *sizes, *where, mirror)
        of_language = [path for path, _ in server.requests if path.startswith("/owner/xx/")]
    assert sorted(of_language) == sorted(published)
    assert (made.returncode, "3 finished, 2 skipped, 1 failed" in made.stdout) == (1, True), made.stdout + made.stderr
    assert "lang=eu names no unimorph" in made.stdout
    assert "wuggy/basque.txt is missing" in made.stdout
    runs = {run.name.partition("-")[0]: run for run in (work / "runs/generate").iterdir()}
    assert {*runs} == {"linspector_type", "linspector_token", "pseudowords"}
    assert all(any((run / "sets").iterdir()) for run in runs.values())
    statistics = json.loads((runs["linspector_type"] / "sets/Case/statistics.json").read_text(encoding="utf-8"))
    assert [(one["licence"], one["revision"]) for one in statistics["made_from"]] == [
        ("CC0-1.0", f"owner/xx {COMMIT}")
    ] * 2
    again = run_script("generate", "suite=linspector_type", "lang=xx", *sizes, *where, mirror)  # without the server
    assert (again.returncode, "is finished" in again.stdout) == (0, True), again.stdout + again.stderr
    own = [
        "suite=own",
        f"suite.path={runs['linspector_type'] / 'sets/Case'}",
        "suite.format=linspector",
        "suite.level=type",
    ]
    probed = run_script("probe", *own, "lang=xx", "encoder=char_ngrams", "probe.max_epochs=1", *where)
    assert probed.returncode == 0, probed.stdout + probed.stderr
    assert any(line.split()[:1] == ["Case"] for line in probed.stdout.splitlines()), probed.stdout
