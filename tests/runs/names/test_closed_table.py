"""The closed table: a file of a run can name what conf/ offers, and nothing else that Python could reach."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import polyprobe
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.runs.names import closed_table
from polyprobe.runs.names.closed_table import (
    ENCODER,
    GENERATOR,
    KINDS,
    MODEL,
    OPTIMISER,
    RATE_RULE,
    READER,
    READER_OF_WORDS,
    NotInTable,
    known,
    names_of,
)
from polyprobe.runs.names.identity import lasting_name

ROOT = Path(polyprobe.__path__[0]).parent
OTHERS = ("builtins", "importlib", "os", "posix", "pydoc", "runpy", "shutil", "subprocess", "torch", "torch.hub",
          "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.sgd", "yaml", "hydra.utils")  # fmt: skip
TAGGER = "polyprobe.models.tagger.Tagger"
OF_NO_RUN = {
    MODEL: {f"polyprobe.training.word_vectors.gensim_models.{name}" for name in ("Pieces", "Words", "WordsAndNgrams")},
    ENCODER: {
        "polyprobe.encoders.length.Length",
        "polyprobe.encoders.tfidf.NaiveBayesTfIdf",
        "polyprobe.encoders.tfidf.TfIdf",
    },
}
"""What conf/ offers beside the others and stands in no checkpoint: word vectors are no networks, counts no vectors."""

BY_NAME = {"import_module", "__import__", "instantiate", "get_method", "get_class", "get_object", "locate", "eval",
           "exec", "run_path", "run_module", "load_from_checkpoint"}  # fmt: skip
DOOR = "src/named.py"
COMMANDS = "src/__main__.py"  # runs the module of a command that is typed, one of four
LIBRARY = "src/__init__.py"  # imports the module of a function that it lists
OF_THE_USER = {
    "src/analysis/door.py": "the jobs of the program",
    "src/datamodules/corpora/labelled_corpora.py": "the user's readers",
    "src/resources/data_root.py": "the user's generators",
    "src/encoders/base/build.py": "the user's encoder",
    "src/encoders/inputs/trained_models.py": "a class that the user names once more",
    "src/probing/suites/chosen.py": "the user's suite",
    "src/probing/minimal_sets/run.py": "the user's predictor",
    "src/probing/design.py": "the user's probe",
    "src/probing/downstream/settings.py": "the user's probe, of counts",
    "src/probing/door.py": "the user's encoder, whose own probe is asked for",
    "src/runs/names/closed_table.py": "the table itself",
    "src/runs/names/plugins.py": "metrics of packages that the user has installed",
    "src/training/run.py": "the user's learned inputs",
    "src/training/training_run.py": "the user's datamodule",
    "src/training/word_vectors/run.py": "the user's model",
    "src/library/command_work.py": "the function of the user's task",
}


def reachable() -> Iterator[str]:
    """Yields the name of all that can be called and is reached from a module, imported helpers included."""
    modules = [found.name for found in pkgutil.walk_packages(polyprobe.__path__, "polyprobe.")]
    for module in (*modules, *OTHERS):
        for name, found in vars(importlib.import_module(module)).items():
            if callable(found):
                yield f"{module}.{name}"


@pytest.fixture(scope="module")
def names() -> frozenset[str]:
    found = frozenset(reachable())
    assert len(found) > 5000
    assert {
        "os.system",
        "polyprobe.models.base.checkpoint_file.write_text",
        "polyprobe.encoders.inputs.trained_models.own_class",
    } <= found
    return found


def found_as(kind, name) -> object | None:
    try:
        return known(kind, name, "there")
    except NotInTable:
        return None


def names_in_files(kind) -> frozenset[str]:
    """Returns the names in files of the things of the table that are in runs; a module before them does not count."""
    return frozenset(map(lasting_name, names_of(kind) - OF_NO_RUN.get(kind, set()) if kind else ()))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.word)
def test_of_all_that_can_be_reached_by_name_only_what_the_table_has_is_found(kind, names):
    table = {lasting_name(name): name for name in names_of(kind) - OF_NO_RUN.get(kind, set())}
    found = {name: thing for name in names if (thing := found_as(kind, name))}
    assert set(table.values()) <= set(found)
    for name, thing in found.items():
        module, _, attribute = table[lasting_name(name)].rpartition(".")
        assert thing is getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize(
    ("place", "kind"),
    [("optimizer", OPTIMISER), ("rate_decay", RATE_RULE), ("reader", READER_OF_WORDS), ("dropout", None)],
)
def test_of_all_that_can_be_reached_by_name_only_parts_of_the_table_become_parts_of_a_model(place, kind, names):
    for name in outside(kind, names):
        with pytest.raises(NotInTable):
            build_model({"_target_": TAGGER, place: {"_target_": name}}, {})


def test_of_all_that_can_be_reached_by_name_only_models_are_built(names):
    for name in outside(MODEL, names):
        with pytest.raises(NotInTable):
            build_model({"_target_": name}, {})


def outside(kind, names) -> list[str]:
    return [name for name in names if lasting_name(name) not in names_in_files(kind)]


def test_a_name_has_one_meaning():
    table = [name for kind in KINDS for name in names_of(kind)]
    assert len(table) == len(set(map(lasting_name, table)))


@pytest.mark.parametrize(
    "name", [None, 3, ["os.system"], {"_target_": "os.system"}, "", "Taggers", "polyprobe.models.tagger."]
)
def test_what_is_no_name_is_not_known(name):
    with pytest.raises(NotInTable):
        known(MODEL, name, "model")


def test_a_class_that_a_table_entry_reaches_from_elsewhere_is_refused(tmp_path, monkeypatch):
    """A file of conf/ that names an imported helper, or a base class, adds nothing."""
    named = {
        "model": [
            "polyprobe.models.entity_tagger.Tagger",
            "polyprobe.models.base.task_model.TaskModel",
            "polyprobe.models.gone.Gone",
        ],
        "encoder": ["polyprobe.encoders.random.Encoder", "polyprobe.encoders.base.encoder.Layer"],
    }
    for group, targets in named.items():
        (tmp_path / group).mkdir()
        for number, target in enumerate(targets):
            (tmp_path / group / f"{number}.yaml").write_text(f"_target_: {target}\n", encoding="utf-8")
    monkeypatch.setattr(closed_table, "conf_folders", lambda: (tmp_path,))
    for kind, group in ((MODEL, "model"), (ENCODER, "encoder")):
        assert names_of(kind) == set(named[group])
        assert not any(found_as(kind, name) for name in named[group])


def test_a_file_in_a_conf_folder_adds_its_reader_and_its_generator_to_the_table(tmp_path, monkeypatch):
    (tmp_path / "own_formats.py").write_text("def read(path, on_malformed): pass\ndef make(root, seed): pass\n")
    texts = {"task_lang/lm_xx": "data: {corpora: {a: {reader: own_formats.read}}}",
             "lang/xx": "generator: {_target_: own_formats.make}", "lang/broken": "{"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(closed_table, "conf_folders", lambda: (tmp_path,))
    assert inspect.isfunction(known(READER, "own_formats.read", "reader"))
    assert inspect.isfunction(known(GENERATOR, "own_formats.make", "generator"))
    assert not found_as(READER, "own_formats.make")


def test_the_nearest_names_are_told():
    with pytest.raises(
        NotInTable, match=r"^model\.optimizer: \"torch\.optim\.Adamm\" .*Did you mean torch\.optim\.Adam"
    ):
        known(OPTIMISER, "torch.optim.Adamm", "model.optimizer")


def files_that_call(names: set[str]) -> set[str]:
    found = set()
    for path in [*ROOT.glob("*.py"), *(ROOT / "src").rglob("*.py")]:
        called = {
            node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
        }
        methods = {call.attr for call in called if isinstance(call, ast.Attribute)} - {"eval"}  # that of a network
        if ({call.id for call in called if isinstance(call, ast.Name)} | methods) & names:
            found.add(path.relative_to(ROOT).as_posix())
    return found


def test_the_program_imports_and_calls_by_name_at_one_door():
    assert files_that_call(BY_NAME) == {DOOR, COMMANDS, LIBRARY}


def test_what_goes_through_the_door_is_the_users_or_looked_up():
    assert files_that_call({"object_at", "built", "own_class"}) - {DOOR} == set(OF_THE_USER)


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
