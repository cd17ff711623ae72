"""How the code is written, as far as a parser can tell."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [file.relative_to(ROOT) for top in ("src", "tests") for file in sorted((ROOT / top).rglob("*.py"))]
TRUE_OR_FALSE = ("all", "any", "bool", "isinstance")
TRUE_OR_FALSE_BEGIN = ("is_", "has_", "does_", "can_", "rests_")

# Files of one name in src/ play the same part in sister rooms. Whoever adds one says here which part.
SAME_PART = {
    "conll2009.py": ("formats/roles metrics/official", "the format, and its official scorer"),
    "dependencies.py": ("datamodules formats/treebanks", "a task's data, and the type of its examples"),
    "downstream.py": ("analysis/correlations formats/probing_sets", "downstream tasks: correlated, read"),
    "door.py": ("analysis generation probing training", "what turns the configuration of a command into sections"),
    "encoder.py": ("encoders/base encoders/transformer", "the contract, and the class that keeps it"),
    "files.py": ("encoders/transformer models/elmo", "the files of a pretrained network"),
    "findings.py": ("probing probing/downstream probing/minimal_sets", "the rows of what was found"),
    "language_model.py": ("datamodules models", "a task's data, and its network"),
    "minimal_sets.py": ("analysis/tables metrics probing/suites", "minimal sets: tabled, scored, read"),
    "neurons.py": ("metrics probing/probes", "rankings of neurons, and the probe whose weights rank them"),
    "model.py": ("encoders/transformer predictors/causal predictors/masked", "a pretrained network, loaded"),
    "probe.py": ("commands probing/probes", "the command, and the contract of probes"),
    "predictor.py": (
        "predictors/base predictors/causal predictors/masked predictors/word_level",
        "the contract, and the classes that keep it",
    ),
    "propositions.py": ("datamodules formats/roles", "a task's data, and the type of its examples"),
    "random.py": ("encoders predictors", "the choice random"),
    "run.py": (
        "probing probing/downstream probing/minimal_sets training training/word_vectors",
        "one run of a command",
    ),
    "sentences.py": ("generation/grammars generation/mini", "sentences, generated"),
    "settings.py": (
        "probing probing/downstream probing/minimal_sets training",
        "the settings of a run",
    ),
    "tagging.py": ("datamodules metrics", "a task's data, and its scores"),
}


def multiplied_truth_values(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields products with a comparison or another truth value, such as `"s" * (n != 1)`."""
    products = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult))
    return (node for node in products if is_truth_value(node.left) or is_truth_value(node.right))


def is_truth_value(node: ast.expr) -> bool:
    """Says whether an expression is true or false by its form or by its name."""
    if isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return True
    named = node.func if isinstance(node, ast.Call) else node
    name = getattr(named, "id", getattr(named, "attr", "")).lstrip("_")
    return name in TRUE_OR_FALSE or name.startswith(TRUE_OR_FALSE_BEGIN)


def conditional_statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields conditional expressions that are there for what they do, such as `a() if b else c()`."""
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return (node for node in statements if isinstance(node.value, ast.IfExp | ast.BoolOp))


def things_named_it(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields variables and parameters of the name `it`, which says of nothing what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg == "it":
            yield node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "it":
            yield node


def imports_of_test_modules(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields imports of a module of tests: what several tests need stands in a file that is none."""
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        if any(name.startswith("tests.") and ".test_" in name for name in modules):
            yield node


def docstrings_that_give(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields what has a docstring that begins with "Gives": it returns, yields, builds or computes."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented) and (ast.get_docstring(node) or "").startswith("Gives"):
            yield node


BROKEN = {
    multiplied_truth_values: (
        "f'set{\"s\" * (n != 1)}'",
        "['few'] * has_few",
        "mark * row.is_best",
        "[1] * any(rows)",
        "(not alone) * 's'",
    ),
    conditional_statements: ("found.append(1) if found else other.append(2)", "found and found.clear()"),
    things_named_it: ("[it.name for it in rows]", "sorted(rows, key=lambda it: it.n)", "it = 1"),
    imports_of_test_modules: (
        "from tests.training.test_resume import assert_same",
        "from tests.encoders import test_contract as contract",
        "import tests.encoders.test_contract",
    ),
    docstrings_that_give: ("def best():\n    'Gives the best.'", "class Best:\n    '''Gives the best.'''"),
}


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse((ROOT / file).read_text(encoding="utf-8")) for file in FILES}


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_no_file_breaks_a_rule(rule, trees):
    places = [f"{file}:{getattr(node, 'lineno', 1)}" for file, tree in trees.items() for node in rule(tree)]
    assert not places, f"{rule.__doc__} Found: {', '.join(places)}"


@pytest.mark.parametrize(("rule", "source"), [(rule, source) for rule, sources in BROKEN.items() for source in sources])
def test_a_broken_rule_is_seen(rule, source):
    assert list(rule(ast.parse(source)))


def test_files_of_one_name_play_the_same_part():
    folders: dict[str, list[str]] = {}
    for file in FILES:
        if file.parts[0] == "src" and file.name != "__init__.py":
            folders.setdefault(file.name, []).append(file.parent.relative_to("src").as_posix())
    several = {name: " ".join(sorted(where)) for name, where in folders.items() if len(where) > 1}
    assert several == {name: where for name, (where, _) in SAME_PART.items()}


DECLARATIONS = {Path("src/analysis/reports/result_kinds.py"), Path("src/analysis/door.py")}
"""Where each kind of results, and each job, has its part: what one of these alone imports is the subject of that."""


def modules_of_one_importer(trees: dict[Path, ast.Module]) -> list[str]:
    """Returns the modules of src/ that one other alone imports: a part of it, unless they have their own subject."""
    modules = {
        f"polyprobe.{'.'.join(file.with_suffix('').parts[1:])}": file
        for file in trees
        if file.parts[0] == "src" and file.parts[1] != "commands"  # which users name
    }
    importers: dict[str, set[Path]] = {}
    for file, tree in trees.items():
        for node in ast.walk(tree) if file.parts[0] != "tests" else ():
            if isinstance(node, ast.ImportFrom):
                for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                    importers.setdefault(name, set()).add(file)
    return [
        name
        for name, file in modules.items()
        if len(found := importers.get(name, set()) - {file}) == 1 and found.isdisjoint(DECLARATIONS)
    ]


def lists_of_attributes(trees: dict[Path, ast.Module]) -> list[str]:
    """Returns the data classes that list their fields once more: a field is explained by the string below it."""
    return [
        f"{file}: {node.name}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if file.parts[0] == "src"
        and isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(one) for one in node.decorator_list)
        and "Attributes:" in (ast.get_docstring(node) or "")
    ]


def short_functions_called_once(trees: dict[Path, ast.Module]) -> list[str]:
    """Returns the private functions of under four lines that one place calls, which could as well say what they do."""
    found = []
    for file, tree in trees.items():
        nodes = [*ast.walk(tree)] if file.parts[0] == "src" else []
        named = Counter(getattr(node, "id", getattr(node, "attr", "")) for node in nodes)
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and re.match("_[a-z]", node.name) and named[node.name] == 1:
                body = node.body[1 if ast.get_docstring(node) else 0 :]
                if body and body[-1].end_lineno - body[0].lineno < 3:
                    found.append(f"{file}: {node.name}")
    return found


DOORS = (
    *(f"src/{room}/door.py" for room in ("analysis", "generation", "probing", "training")),
    *(f"src/commands/{name}.py" for name in ("analyze", "generate", "probe", "train")),
    "src/library/command_work.py",  # what the commands and the functions of the library do
    "src/runs/command/composed.py",  # a choice of a group, with its defaults
    "src/runs/record/configuration_file.py",  # what later commands ask of config.yaml
)
"""Where the configuration of a command, or of an earlier run, becomes sections: nothing else looks into it."""


def configurations_behind_doors(trees: dict[Path, ast.Module]) -> list[str]:
    """Returns the places behind the doors that take a value out of a configuration, which is to be a section there."""
    return [
        f"{file}:{node.lineno}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if file.parts[0] == "src"
        and file.as_posix() not in DOORS
        and isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and getattr(node.value, "id", getattr(node.value, "attr", "")) in ("config", "configuration")
    ]


# Of each kind there are some that have their reasons. Whoever has fewer writes the new number here.
MAY_ONLY_FALL = {
    modules_of_one_importer: 84,
    lists_of_attributes: 2,
    short_functions_called_once: 234,
    configurations_behind_doors: 0,
}


@pytest.mark.parametrize("rule", MAY_ONLY_FALL, ids=lambda rule: rule.__name__)
def test_there_are_no_more_of_a_kind_than_there_were(rule, trees):
    scripts = {file.relative_to(ROOT): ast.parse(file.read_text(encoding="utf-8")) for file in ROOT.glob("*.py")}
    found = rule({**trees, **scripts})
    assert len(found) == MAY_ONLY_FALL[rule], f"{rule.__doc__} Found {len(found)}:\n" + "\n".join(found)
