"""The documents name files, functions and classes that exist."""

import ast
import re

import pytest
import yaml

from tests.commands.scripts import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PATH = re.compile(r"(?<![\w/.…])(?:src|tests|conf|docs|benchmarks)/[\w./-]*\w/?(?![\w<*…])")
DOTTED = re.compile(r"(?<![\w.])src(?:\.\w+)+")
IN_FOLDER = re.compile(r"`((?:src|conf)/[\w/]*)`")
MADE_BY_THE_READER = {
    "conf/lang/xx.yaml",
    "conf/corpora/et.yaml",
    "conf/encoder/mine.yaml",
    "conf/hydra/launcher/cluster.yaml",
}


def text_of(document) -> str:
    return document.read_text(encoding="utf-8")


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def files_of_tables(text: str) -> list[str]:
    """Returns the files in the cells of columns whose heading names a folder, with that folder."""
    found, folders = [], []
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following.startswith("|---"):
            folders = [IN_FOLDER.search(cell) for cell in cells(line)]
        elif line.startswith("| "):
            for folder, cell in zip(folders, cells(line), strict=False):
                named = re.findall(r"`([\w/]+\.(?:py|yaml))`", cell) if folder else []
                found += [f"{folder[1]}{name}" for name in named]
    return found


def is_defined(dotted: str) -> bool:
    """Says whether a module or package of that name exists, or a module that defines its last part."""
    path = ROOT / dotted.replace(".", "/")
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    module = path.parent.with_suffix(".py")
    if not module.exists():
        return False
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return path.name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_every_file_that_a_document_names_exists():
    missing = []
    for document in DOCUMENTS:
        text = text_of(document)
        named = {*PATH.findall(text), *files_of_tables(text)} - MADE_BY_THE_READER
        missing += [f"{document.name}: {path}" for path in sorted(named) if not (ROOT / path).exists()]
    assert missing == []


def test_every_function_and_class_that_a_document_names_stands_there():
    named = {(document.name, name) for document in DOCUMENTS for name in DOTTED.findall(text_of(document))}
    assert sorted(one for one in named if not is_defined(one[1])) == []


def test_the_map_says_what_belongs_to_each_task():
    tasks = {path.stem for path in (ROOT / "conf/task").glob("*.yaml")}
    rows = [cells(row)[0].strip("`") for row in text_of(ROOT / "docs/map.md").splitlines() if row.startswith("| `")]
    assert {"word_vectors"} == {task for task in tasks if rows.count(task) != 2}


def test_the_map_names_every_room_and_its_folders():
    text = text_of(ROOT / "docs/map.md")
    rooms = [path.parent for path in (ROOT / "src").glob("*/__init__.py")]
    rows = {
        room.name: next((row for row in text.splitlines() if row.startswith(f"| `src/{room.name}/`")), "")
        for room in rooms
    }
    missing = [
        f"{room.name}/{path.parent.name}"
        for room in rooms
        for path in room.glob("*/__init__.py")
        if f"`{path.parent.name}`" not in rows[room.name]
    ]
    assert [name for name, row in rows.items() if not row] == []
    assert missing == []


AT_THE_TOP = {"encoder": "encoders", "predictor": "predictors"}
WITHOUT_A_FILE = {
    "encoder=bov": "it is static_vectors with other settings",
    "encoder=learned": "it is trained with the model: the inputs of a task",
    "encoder=nb_bigrams": "it is nb_unigrams with other settings",
    "encoder=d_elmo": "it is elmo with other settings",
    "encoder=c_elmo": "it is elmo with other settings",
    "encoder=muse": "it is static_vectors, named by the vectors",
    "encoder=word2vec": "it is static_vectors, named by the vectors",
    "encoder=glove_bpe": "it is subword_vectors, named by the vectors",
    "encoder=own": "it is a class of the user's",
    "encoder=nb_unigrams": "it is tfidf with a probe of its own",
    "encoder=tfidf_released": "it is tfidf with other settings",
    "predictor=random": "it is lstm with weights as drawn",
}


def file_of_choice(path) -> str | None:
    """Returns the file of the class that a file of conf/ names, itself or by the choice that it builds upon."""
    content = yaml.safe_load(text_of(path)) or {}
    datamodule = content.get("task", {}).get("datamodule", {})
    named = content.get("_target_") or datamodule.get("_target_") or content.get("trained_by")
    if named:
        return f"{named.rpartition('.')[0].replace('.', '/')}.py".replace("polyprobe/", "src/", 1)
    below = [one for one in content.get("defaults", []) if isinstance(one, str) and one != "_self_"]
    return file_of_choice(path.parent / f"{below[0].partition('@')[0]}.yaml") if below else None


def files_of_choices(group: str) -> dict[str, str | None]:
    """Returns the file that serves each choice of a group, by the choice's name."""
    return {path.stem: file_of_choice(path) for path in sorted((ROOT / "conf" / group).glob("*.yaml"))}


@pytest.mark.parametrize("group", AT_THE_TOP)
def test_what_is_typed_stands_at_the_top_of_its_room(group):
    top = f"src/{AT_THE_TOP[group]}"
    elsewhere = {
        f"{group}={choice}"
        for choice, file in files_of_choices(group).items()
        if not str(file).startswith((f"{top}/{choice}.py", f"{top}/{choice}/"))
    }
    assert elsewhere == {typed for typed in WITHOUT_A_FILE if typed.startswith(f"{group}=")}


@pytest.mark.parametrize("group", ["model", "probe", "suite", "task"])
def test_the_map_says_what_is_served_by_a_file_of_another_name(group):
    rows = [cells(row) for row in text_of(ROOT / "docs/map.md").splitlines() if row.startswith(f"| `{group}=")]
    said = {typed.strip(" `").partition("=")[2]: row[1].strip("`") for row in rows for typed in row[0].split(",")}
    files = files_of_choices(group)
    assert said == {choice: file for choice, file in files.items() if not file.endswith(f"/{choice}.py")}
