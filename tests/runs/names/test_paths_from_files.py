"""Every place where a path is joined with text that the program does not say itself: who says it, and what it may be.

A new place fails here until it is listed: text from a file of a run, a suite, a model becomes a part of a path by
`file_name`, or after it was checked to be one name.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import src

ROOT = Path(src.__path__[0]).parent
FOLDERS = {"about", "above", "base", "below", "cache", "conf", "directory", "encodings", "epochs", "errors", "folder",
           "home", "neighbour", "neurons", "own", "parallel", "parent", "path", "pictures", "place", "predictions",
           "probes", "root", "run", "scores", "sets", "snapshot", "target", "unimorph", "work"}  # fmt: skip
"""Names of variables and attributes that are folders."""
OF_FOLDERS = {"Path", "PurePosixPath", "absolute", "cwd", "expanduser", "resolve", "runs", "with_name"}

FROM_FILES = {
    ("src/analysis/reports/generated.py", "run.sets / language"): "run.json: NameOfFile in its layout",
    ("src/analysis/reports/made_files.py", "run.path / name"): "made_files.json: neither absolute nor with ..",
    ("src/analysis/work_folder.py", "run.path / name"): "run.json: a pattern of SHOWN_LATER",
    ("src/analysis/tables/made_sets.py", "run.sets / name"): "run.json: NameOfFile in its layout",
    ("src/analysis/tables/made_sets.py", "run.sets / ABOUT / name"): "run.json: NameOfFile in its layout",
    ("src/analysis/tables/sweep.py", "folder / record.run"): "a sweep's job: read alone, as runs are",
    ("src/encoders/transformer/files.py", "folder / name"): "an index of weights: names of its own folder",
    (
        "src/encoders/transformer/sentence_modules.py",
        "folder / name",
    ): "modules.json: one name; constants",
    ("src/encoders/transformer/sentence_modules.py", "module.folder / name"): "constants",
    ("src/encoders/transformer/sentence_modules.py", "one.folder / name"): "constants",
    ("src/generation/mini/corpora.py", "folder / path"): "the manifest of generated corpora: digested alone",
    ("src/generation/tests_run.py", "self.run.path / name"): "run.json: a pattern of SHOWN_LATER",
    ("src/models/elmo/many_languages.py", "folder / named"): "config.json of a model: read alone, as options",
    ("src/models/elmo/many_languages.py", "folder / Path(named).name"): "the last part of it",
    ("src/predictors/word_level/trained_run.py", "root / name"): "run.json: in a message",
    ("src/runs/directory.py", "self.path / name"): "run.json: a pattern of SHOWN_LATER; FOLDERS",
    ("src/runs/directory.py", "root / name"): "run.json: data of the first start, digested alone",
}
BY_OTHERS = {
    "the user: names on the command line, of choices and of files of conf/": {
        "src/analysis/published/scoreboard.py",
        "src/encoders/before_torch.py",
        "src/generation/grammars/evaluation_sets.py",
        "src/generation/language_sources.py",
        "src/generation/mini/data_files.py",
        "src/runs/command/overrides.py",
        "src/runs/command/script.py",
        "src/runs/command/sweep_job.py",
        "src/runs/command/sweep_start.py",
        "src/runs/names/conf_folders.py",
        "src/training/predict.py",
    },
    "the user and conf/, or a run's suite below the data folder: read alone": {
        "src/probing/listed.py",
        "src/probing/suites/availability.py",
        "src/probing/suites/downstream_tasks.py",
        "src/probing/suites/minimal_set_files.py",
        "src/probing/suites/own.py",
        "src/probing/suites/tests.py",
        "src/resources/download.py",
    },
    "the file system: a folder that is there, and files beside it": {
        "src/analysis/comparisons/neighbouring_layers.py",
        "src/analysis/work_folder.py",
        "src/datamodules/corpora/further_files.py",
        "src/formats/files/atomic.py",
        "src/formats/files/digest.py",
        "src/generation/made_tests/writing.py",
        "src/training/callbacks/checkpoints.py",
    },
    "names by file_name, a function away": {
        "src/analysis/comparisons/compare.py",
        "src/analysis/comparisons/side_by_side.py",
        "src/analysis/reports/finished_run.py",
        "src/generation/grammars/evaluation_sets.py",
        "src/training/run.py",
        "src/training/word_vectors/run.py",
        "src/runs/study.py",
    },
    "digests, numbers": {
        "src/encoders/cache/store.py",
        "src/predictors/base/predictor.py",
        "src/probing/bank/outcome_cache.py",
        "src/probing/downstream/task_outcomes.py",
        "src/runs/command/sweep.py",
        "src/runs/directory.py",
    },
    "tables of the program: names of tests that it makes, of splits, of its tables and pictures": {
        "src/analysis/neurons/ablation_pictures.py",
        "src/analysis/neurons/neuron_output.py",
        "src/analysis/output/tables.py",
        "src/analysis/pictures/panels.py",
        "src/analysis/published/published_cells.py",
        "src/analysis/reports/finished_run.py",
        "src/analysis/reports/generated.py",
        "src/generation/mini/corpora.py",
        "src/generation/mini/probing_sets.py",
        "src/generation/sentence_tests/sentence_splits.py",
        "src/generation/linspector_tests.py",
        "src/generation/text_corpora/prepared_corpus.py",
        "src/generation/token_level.py",
        "src/generation/type_level.py",
        "src/runs/workspace.py",
    },
}


def is_folder(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()):
            return is_folder(node.left)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower() in FOLDERS
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in OF_FOLDERS
    return False


def is_said_by_the_program(node: ast.expr) -> bool:
    """Says whether text is a constant, goes through `file_name`, or is put together of such parts."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "file_name"
        case ast.JoinedStr(values=parts):
            return all(map(is_said_by_the_program, parts))
        case ast.FormattedValue(value=value):
            return is_said_by_the_program(value)
    return False


def joined(tree: ast.AST) -> Iterator[str]:
    """Yields every path that is joined with text of others."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.Div(), left=left, right=name) if is_folder(left) or isinstance(name, ast.JoinedStr):
                found = name
            case ast.Call(func=ast.Attribute(attr="joinpath" | "with_name" | "with_stem"), args=[name]):
                found = name
            case _:
                continue
        if not is_said_by_the_program(found):
            yield ast.unparse(node)


def places() -> set[tuple[str, str]]:
    files = [*ROOT.glob("*.py"), *(ROOT / "src").rglob("*.py")]
    return {
        (path.relative_to(ROOT).as_posix(), one)
        for path in files
        for one in joined(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_every_place_where_a_path_is_joined_with_text_of_others_is_listed():
    found = places()
    others = set().union(*BY_OTHERS.values())
    assert set(FROM_FILES) <= found
    assert {path for path, _ in found - set(FROM_FILES)} == others


def test_a_name_that_is_joined_to_a_folder_is_seen():
    source = "a = folder / name; b = Path(x) / f'{row}.csv'; c = run.sets / file_name(name); d = root / 'a' / KIND"
    assert set(joined(ast.parse(source))) == {"folder / name", "Path(x) / f'{row}.csv'"}
