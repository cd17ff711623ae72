"""A name in a file of a run means a class of its place, or a function that conf/ names, and nothing else."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import polyprobe
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.runs.names import foreign_names
from polyprobe.runs.names.foreign_names import (
    ENCODER,
    GENERATOR,
    LOGGER,
    MODEL,
    OPTIMISER,
    RATE_RULE,
    READER,
    READER_OF_WORDS,
    ForeignName,
    known,
    names_of,
)

ROOT = Path(polyprobe.__path__[0]).parent
PLACES = [one for one in vars(foreign_names).values() if isinstance(one, foreign_names.Place)]
OTHERS = ("builtins", "importlib", "os", "posix", "pydoc", "runpy", "shutil", "subprocess", "torch", "torch.hub",
          "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.sgd", "yaml", "hydra.utils")  # fmt: skip
TAGGER = "polyprobe.models.tagger.Tagger"


@pytest.fixture(scope="module")
def reachable() -> frozenset[str]:
    """The name of all that can be called and is reached from a module, imported helpers included."""
    modules = [found.name for found in pkgutil.walk_packages(polyprobe.__path__, "polyprobe.")]
    found = frozenset(
        f"{module}.{name}"
        for module in (*modules, *OTHERS)
        for name, one in vars(importlib.import_module(module)).items()
        if callable(one)
    )
    assert len(found) > 5000
    assert {"os.system", "polyprobe.models.base.checkpoint_file.write_text"} <= found
    return found


def found_as(place, name) -> object | None:
    try:
        return known(place, name, "there")
    except ForeignName:
        return None


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.word)
def test_of_all_that_can_be_reached_by_name_only_what_belongs_to_a_place_is_found(place, reachable):
    found = [thing for name in reachable if (thing := found_as(place, name))]
    assert found
    for thing in found:
        dotted = f"{thing.__module__}.{thing.__qualname__}"
        if place.base is None:
            assert inspect.isfunction(thing)
            assert dotted in names_of(place).values()
        else:
            module, _, name = place.base.rpartition(".")
            assert issubclass(thing, getattr(importlib.import_module(module), name))
            assert dotted.startswith(tuple(f"{package}." for package in place.packages))


@pytest.mark.parametrize(
    ("key", "place"),
    [("optimizer", OPTIMISER), ("rate_decay", RATE_RULE), ("reader", READER_OF_WORDS), ("dropout", None)],
)
def test_parts_of_a_model_are_looked_up_at_their_own_places(key, place, reachable):
    for name in reachable:
        if place is None or not found_as(place, name):
            with pytest.raises(ForeignName):
                build_model({"_target_": TAGGER, key: {"_target_": name}}, {})


def test_a_name_has_one_meaning():
    for package in ("models", "encoders"):
        files = (ROOT / "src" / package).rglob("*.py")
        nodes = [node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body]
        names = [node.name for node in nodes if isinstance(node, ast.ClassDef) and node.name[0] != "_"]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "name", [None, 3, ["os.system"], {"_target_": "os.system"}, "", "Taggers", "polyprobe.models.tagger."]
)
def test_what_is_no_name_is_not_known(name):
    with pytest.raises(ForeignName):
        known(MODEL, name, "model")


def test_names_of_parts_without_their_module_and_of_earlier_modules_are_known():
    for name in ("Tagger", TAGGER, "src.models.of_old.Tagger"):
        assert known(MODEL, name, "model").__name__ == "Tagger"
    assert known(OPTIMISER, "torch.optim.Adam", "model.optimizer").__name__ == "Adam"


def test_a_file_in_a_conf_folder_adds_what_it_names_and_nothing_that_does_not_belong_there(tmp_path, monkeypatch):
    module = "from polyprobe.models.tagger import Tagger\nclass Own(Tagger): pass\nclass Other: pass\n"
    (tmp_path / "own_parts.py").write_text(f"{module}def read(path, on_malformed): pass\ndef make(root, seed): pass\n")
    texts = {"corpora/xx": "lm: {data: {corpora: {a: {reader: own_parts.read}}}}", "lang/broken": "{",
             "lang/xx": "generator: {_target_: own_parts.make}", "model/own": "_target_: own_parts.Own",
             "model/other": "_target_: own_parts.Other", "model/imported": "_target_: own_parts.Tagger",
             "logger/gone": "lightning: {_target_: gone.Gone}"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(foreign_names, "conf_folders", lambda: (tmp_path,))
    for place, name in ((READER, "own_parts.read"), (GENERATOR, "own_parts.make"), (MODEL, "own_parts.Own")):
        assert found_as(place, name)
    for place, name in [(READER, "own_parts.make"), (MODEL, "own_parts.Other"), (MODEL, "own_parts.Tagger"),
                        (ENCODER, "own_parts.Own"), (LOGGER, "gone.Gone")]:  # fmt: skip
        assert not found_as(place, name)


def test_the_nearest_names_are_told():
    with pytest.raises(ForeignName, match=r"^model\.optimizer: \"torch\.optim\.Adamm\" .*Did you mean Adam"):
        known(OPTIMISER, "torch.optim.Adamm", "model.optimizer")


def test_nothing_is_unpickled_or_given_to_a_shell():
    never = {"unsafe_load", "full_load", "loads", "system", "popen", "Unpickler", "load_all", "full_load_all"}
    for path in [*ROOT.glob("*.py"), *(ROOT / "src").rglob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            options = {word.arg: ast.unparse(word.value) for word in call.keywords}
            called = ast.unparse(call.func)
            assert call.func.attr not in never or called == "json.loads", (path, called)
            assert options.get("shell", "False") == "False", (path, called)
            assert options.get("allow_pickle", "False") == "False", (path, called)
            assert options.get("trust_remote_code", "False") == "False", (path, called)
            if called == "torch.load":
                assert options["weights_only"] == "True", path
