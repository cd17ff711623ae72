"""What is to be cited: every choice says it, every work is known, and a run names what it used."""

import re
import tomllib

import pytest
import yaml

import polyprobe
from polyprobe.analysis.citations import CITING_GROUPS, bibtex, references, used_by, works
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import as_read, probing
from tests.commands.scripts import ROOT


def run(folder, config: dict, **columns) -> RunDirectory:
    as_read([probing("Case", 0.5, **columns)], folder)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return RunDirectory(folder)


def cited(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)


def test_every_choice_says_what_it_rests_on():
    choices = {f"{group}={path.stem}" for group in CITING_GROUPS for path in (ROOT / "conf" / group).glob("*.yaml")}
    assert choices - set(works()) == set()
    corpora = {f"corpus={'/'.join(file.split('/')[:2])}" for file in files_of_corpora()}
    assert {one for one in works() if "=" in one} - choices == {"baselines=all", *corpora}


def files_of_corpora() -> list[str]:
    """Returns the files that conf/ names for training, without the dotted names and texts beside them."""
    by_language = [yaml.safe_load(path.read_text()) for path in (ROOT / "conf" / "corpora").glob("*.yaml")]
    corpora = [of_task["data"]["corpora"] for by_task in by_language for of_task in by_task.values()]
    files = re.findall(r"'([^' ]+/[^' ]+)'", str(corpora))
    assert len(files) > 100
    return files


def test_every_work_has_an_entry_and_none_is_unused():
    named = {key for keys in works().values() for key in keys}
    assert named == set(references())


@pytest.mark.parametrize("key", references())
def test_an_entry_is_whole(key):
    entry = references()[key]
    assert entry.count("{") == entry.count("}")
    assert {"title", "author", "year"} <= set(re.findall(r"^  (\w+) = ", entry, re.MULTILINE))


def test_a_run_names_what_it_used_once_and_nothing_else(tmp_path):
    choices = {"suite": "linspector_type", "encoder": "fasttext", "probe": "mdl", "predictor": None, "lang": "fi"}
    found = bibtex([run(tmp_path / name, {"choices": choices, "baselines": "all"}) for name in ("one", "two")])
    assert cited(found) == [
        "bojanowski-etal-2017-enriching",
        "hewitt-liang-2019-designing",
        "kirov-etal-2018-unimorph",
        "sahin-etal-2020-linspector",
        "voita-titov-2020-information",
    ]
    assert "% suite=linspector_type\n@article{sahin-etal-2020-linspector," in found


def test_what_has_no_part_in_a_run_is_not_cited(tmp_path):
    choices = {"suite": "clams", "encoder": "fasttext", "probe": "mdl", "predictor": "random"}
    found = bibtex([run(tmp_path / "run", {"choices": choices, "baselines": "all"})])
    assert cited(found) == ["mueller-etal-2020-cross"]


SRL = {"task": "srl", "model": "role_labeller", "suite": "linspector_type", "probe": "mlp", "encoder": "learned"}
CORPORA = {
    "corpus": "up",
    "corpora": {"up": {"train": "srl/finnish_up/a", "beside": {"pb": {"file": ["srl/finnish_pb/b"]}}}},
}


@pytest.mark.parametrize(
    ("measured", "suites"),
    [
        ([], set()),
        (["Case"], {"suite=linspector_type", "probe=mlp"}),
        (["clams/vp_coord"], {"suite=clams"}),
        (["clams", "Case"], {"suite=clams", "suite=linspector_type", "probe=mlp"}),
    ],
)
def test_a_training_names_its_corpora_and_what_its_epochs_are_probed_with(tmp_path, measured, suites):
    config = {"choices": SRL, "probe_each_epoch": measured, "data": CORPORA}
    of_training = {
        "task=srl",
        "model=role_labeller",
        "encoder=learned",
        "corpus=srl/finnish_up",
        "corpus=srl/finnish_pb",
    }
    assert set(used_by(run(tmp_path / "run", config), config)) == {*of_training, *suites}


def test_a_suite_with_a_classifier_of_its_own_has_no_probe(tmp_path):
    choices = {"suite": "senteval_downstream", "encoder": "fasttext", "probe": "mlp"}
    found = bibtex([run(tmp_path / "run", {"choices": choices, "suite": {"classifier": {}}})])
    assert cited(found) == ["bojanowski-etal-2017-enriching", "conneau-kiela-2018-senteval"]


def test_an_analysis_names_what_the_runs_that_it_read_used(tmp_path):
    config = {"choices": {"logger": "csv"}, "similarity": ["one:8", "two"]}
    found = bibtex([run(tmp_path / "run", config, encoder="transformer", model="some/model", suite="eger2020")])
    assert {"eger-etal-2020-probe", "kornblith-etal-2019-similarity", "wolf-etal-2020-transformers"} <= set(
        cited(found)
    )
    assert r"title = {some/model}" in found


def test_a_model_of_the_hub_is_named_with_its_commit(tmp_path):
    choices = {"suite": "own", "encoder": "transformer", "probe": "linear"}
    found = bibtex([run(tmp_path / "run", {"choices": choices}, model="some/model_x@607a30d783df")])
    work, of_model = cited(found)
    assert work == "wolf-etal-2020-transformers"
    assert of_model.startswith("model-some-model-x-607a30d783df-")
    assert r"some/model\_x@607a30d783df" in found


def test_names_without_latin_letters_have_keys_of_their_own(tmp_path):
    choices = {"suite": "own", "encoder": "transformer"}
    runs = [
        run(tmp_path / str(n), {"choices": choices}, model=model) for n, model in enumerate(("日本語", "中文", r"a\b"))
    ]
    found = bibtex(runs)
    assert len(set(cited(found))) == 4
    assert r"a\textbackslash{}b" in found


KINDS_OF_WORKS = {"article", "book", "conference-paper", "proceedings", "software"}
NUMBERS = {"year", "volume"}
REFERENCE_KEYS = ("type", "title", "authors", "journal", "volume", "issue", "year", "collection-title")
AUTHORS = ({"name"}, {"family-names", "given-names"})


def test_the_citation_file_has_what_its_schema_requires_and_nothing_else():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {key: found.pop(key) for key in ("cff-version", "type", "version", "license")} == {
        **{"cff-version": "1.2.0", "type": "software", "version": polyprobe.__version__, "license": package["license"]},
    }
    assert {"message", "title", "authors", "abstract", "references"} == set(found)
    for work in (found, *found["references"]):
        assert all(isinstance(work[key], str) and work[key] for key in set(work) - {"authors", "references", *NUMBERS})
        assert all(isinstance(work[key], int) for key in NUMBERS & set(work))
        assert work["authors"]
        assert all(set(author) in AUTHORS and all(map(str.strip, author.values())) for author in work["authors"])


def test_the_works_of_the_citation_file_are_of_known_types_and_in_the_references():
    works = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    entries = " ".join(references().values()).replace("{", "").replace("}", "").replace("\\", "")
    for work in works:
        assert work["type"] in KINDS_OF_WORKS
        assert {"type", "title", "authors", "year"} <= set(work) <= {*REFERENCE_KEYS}
        assert work["title"] in entries
