"""Every place where a path is joined with text that the program does not say itself: who says it, and what it may be.

A new place fails here until it is listed: text from a file of a run, a suite, a model becomes a part of a path by
`file_name`, or after it was checked to be one name.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import polyprobe

ROOT = Path(polyprobe.__path__[0]).parent

PLACES = {
    "run.json or made_files.json, checked: FileName, a pattern of SHOWN_LATER, or relative without ..": {
        "analysis/reports/generated.py": "run.sets / language",
        "analysis/reports/finished_run.py": "run.path / name",
        "analysis/tables/made_sets.py": "run.sets / ABOUT / name; run.sets / name",
        "analysis/work_folder.py": "run.path / name",
        "generation/suites.py": "self.run.path / name",
        "runs/directory.py": "self.path / name",
    },
    "a file, read alone or named in a message: data of a run's first start, the run of a sweep's job, a manifest": {
        "analysis/reports/sweep_tables.py": "folder / record.run",
        "generation/mini/corpora.py": "folder / path",
        "models/elmo/many_languages.py": "folder / Path(named).name; folder / named",
        "predictors/word_level/trained_run.py": "root / name",
        "runs/directory.py": "root / name",
    },
    "a file of a model, checked to be one name of its own folder, or a constant": {
        "encoders/transformer/files.py": "folder / name",
        "encoders/transformer/sentence_modules.py": "folder / name; module.folder / name; one.folder / name",
    },
    "the user: names on the command line, of choices and of files of conf/": {
        "analysis/published/scoreboard.py": "work / FOLDER / one",
        "datamodules/corpora/further_files.py": "path.with_name(name.replace(rule['replace'], rule['by']))",
        "encoders/before_torch.py": "CONF / group; trained / run",
        "generation/grammars/evaluation_sets.py": "root / folder",
        "generation/language_sources.py": "root / entry",
        "generation/text_corpora/prepared_corpus.py": "folder / self.options.language",
        "probing/apply.py": (
            "asked.workspace.runs('probe') / asked.run; run.labelled / source.relative_to(source.anchor); "
            "run.labelled / source.relative_to(source.anchor) / f'{probe.stem}.tsv'"
        ),
        "runs/command/overrides.py": "CONF / f'{name}.yaml'; CONF / group",
        "runs/command/own_data.py": "Path(self.typed) / file.name; Path(typed_path).parent / one; one / part",
        "runs/command/choice_options.py": "CONF / f'{name}.yaml'",
        "runs/command/declared_options.py": "PACKAGE.joinpath(*parts[1:])",
        "runs/command/help.py": "CONF / f'{name}.yaml'",
        "runs/command/sweep_start.py": "Path(configs[0].hydra.sweep.dir).absolute() / sweep_name(name, keys, jobs)",
        "runs/names/conf_folders.py": (
            "CONF / key; PACKAGE / name; PACKAGE.parent / name; folder / group; other / group; "
            "other / group / file.name"
        ),
        "runs/workspace.py": "self.work / RUNS / kind",
        "training/predict.py": (
            "Path.cwd() / place; directory.predictions / source.relative_to(source.anchor); root / predict"
        ),
    },
    "the user and conf/, or a run's suite below the data folder: read alone": {
        "probing/listed.py": "root / file.target; root / one.target",
        "probing/suites/availability.py": (
            "root / (folder if suite.format == 'senteval' else folder.parent); root / target"
        ),
        "probing/suites/minimal_set_files.py": (
            "root / file.target; root / files.grammars.format(language=code); "
            "root / folder_of(files.files, files.pattern_code(language)); root / one.target"
        ),
        "probing/suites/own.py": "folder / part; place / part",
        "probing/suites/tests.py": "root / targets['dev']; root / targets['train']",
        "resources/download.py": (
            "Path(root) / source.target; Path(root) / target; Path.cwd() / target; "
            "path.with_name(f'{path.name}.part'); root / target"
        ),
    },
    "the file system: a folder that is there, and files beside it": {
        "analysis/comparisons/neighbouring_layers.py": (
            "Path(work) / 'comparisons' / f'layers-{predicted.run.name}.csv'"
        ),
        "analysis/work_folder.py": (
            "Path(above, name); Path(place) / name; folder / mark; path.with_name(path.name.removesuffix(BESIDE)); "
            "work / RUNS / kind; work.resolve() / folder.relative_to(work)"
        ),
        "formats/files/atomic.py": "path.with_name(f'.{path.name}.{uuid.uuid4().hex}.tmp')",
        "formats/files/digest.py": "path.with_name(path.name + BESIDE)",
        "generation/made_tests/writing.py": "folder.with_name(f'.{folder.name}.{uuid.uuid4().hex}.tmp')",
        "generation/mini/corpora.py": (
            "folder / 'eval' / LANGUAGE / f'{grammar.stem}.txt'; "
            "folder.with_name(f'.{folder.name}.{uuid.uuid4().hex}.damaged'); "
            "folder.with_name(f'.{folder.name}.{uuid.uuid4().hex}.tmp')"
        ),
        "probing/export.py": "folder / f'.export.{uuid.uuid4().hex}.tmp'; folder / file.name",
        "predictors/log_probabilities.py": "self.path.with_name(f'{self.path.stem}.missing.jsonl')",
        "runs/command/sweep.py": "record.with_name(f'.{record.stem}.lock')",
        "runs/directory.py": "Path(above, name)",
        "training/callbacks/checkpoints.py": (
            "RunDirectory(path.parents[1]).resume / path.name; name.with_name(f'.{name.name}.tmp')"
        ),
    },
    "names by file_name, a function away": {
        "analysis/comparisons/compare.py": (
            "Path(work) / 'comparisons' / f'{comparison_name(references[::-1], AGAINST)}.csv'"
        ),
        "analysis/reports/run_pages.py": (
            "work / 'comparisons' / f'{name}.html'; work / 'reports' / f'{name}.html'; work / FOLDER / f'{name}.html'"
        ),
        "formats/vectors/vectors_folder.py": (
            "folder / f'{file_name(name)}-{digest.hexdigest()[:8]}'; folder / f'{number}-{named}{end}{ENDING}'"
        ),
        "library/own_functions.py": "asked.workspace.log_probabilities / f'{file_name(name)}-{digest}.jsonl'",
        "analysis/reports/side_by_side.py": (
            "Path(work) / 'comparisons' / comparison_name(references, '-beside-'); stem.with_name(name)"
        ),
        "analysis/reports/details.py": "errors / f'{name}.confusion.csv'; errors / f'{name}.tsv'",
        "analysis/reports/finished_run.py": "results.run.pictures / name; run.pictures / name",
        "generation/grammars/evaluation_sets.py": "self.run.sets / f'{file_name(name)}{ending}'",
        "models/base/distributed_processes.py": "study.workspace.processes / f'{study.name}.lock'",
        "runs/study.py": "self.workspace.runs(self.command) / self.name",
        "training/run.py": "settings.workspace.runs('train') / name",
    },
    "digests, numbers": {
        "encoders/cache/encoding_blocks.py": "folder / f'{digest}{_CLAIM}'",
        "encoders/cache/store.py": "self.path / block_name(keys, self.number)",
        "formats/files/outcome_files.py": "self.folder / digest[:2]; self.folder / digest[:2] / f'{digest}.npz'",
        "generation/mini/corpora.py": "Path(root) / f'{LANGUAGE}-{digest(seed)}'",
        "predictors/base/predictor.py": "self.folder / f'{name}.npz'",
        "runs/command/sweep.py": "self.folder / 'jobs' / f'{_digits(sorted(overrides))}.json'",
        "runs/directory.py": "self.epochs / f'{epoch:02d}{CHECKPOINT}'",
    },
    "the program: names of tests that it makes, of splits, tables and pictures, of files of its models": {
        "analysis/results/kinds.py": "run.path / folder",
        "analysis/output/tables.py": "stem.with_name(f'{stem.name}.{ending}'); stem.with_name(name)",
        "analysis/pictures/panels.py": "path.with_name(f'{path.name}.{ending}')",
        "analysis/published/published_cells.py": "FOLDER / f'{paper}.csv'",
        "analysis/published/scoreboard.py": "stem.with_name(f'{stem.name}_cells.csv')",
        "analysis/reports/generated.py": "folder / file",
        "generation/maker.py": "folder / test.name",
        "generation/made_tests/writing.py": "neighbour / f'{split}.txt'",
        "generation/mini/corpora.py": (
            "folder / 'ordered' / LANGUAGE / split; folder / 'trees' / LANGUAGE / f'{split}.tsv'; "
            "folder / f'{LANGUAGE}-up-{split}.conllup'; folder / f'{name}.{ending}'; "
            "folder / f'{split}.conllu'; treebank / f'{split}.conllu'; "
            "parallel / f'{split}.{LANGUAGE}'; parallel / f'{split}.{renderings.LANGUAGE}'"
        ),
        "generation/mini/data_files.py": "FOLDER / f'{name}.tsv'; FOLDER / f'{name}.yaml'",
        "generation/mini/probing_sets.py": "folder / f'{name}.txt'; folder / f'{test}.txt'",
        "generation/sentence_tests/sentence_splits.py": "folder / ABOUT / name; folder / f'{name}.txt'",
        "generation/text_corpora/prepared_corpus.py": "folder / FILES[split]",
        "generation/type_tests/definitions.py": "folder / f'{split}.txt'; folder / test",
        "runs/directory.py": "run.path / self.name",
        "training/word_vectors/run.py": "folder / file; self.run.vectors / file",
    },
}
"""Who says the text, the file where it is joined (below src/), and the expressions, each once."""
CALLS_OF_NUMBERS = {
    "_covariance_divisor", "abs", "arange", "clamp", "concatenate", "cumsum", "detach", "exp", "float", "float32",
    "fsum", "int", "kept_share", "len", "lgamma", "log", "maximum", "norm", "outer", "prod", "sqrt", "sum", "where"
}  # fmt: skip
NUMBERS = {
    "_POWERS", "_divisors", "aligned", "both", "bounds", "codelength", "columns", "counts", "deviation", "divisor",
    "length", "lengths", "millions", "n", "norms", "scales", "sentences", "shape", "size", "sizes", "smoothing",
    "step", "steps", "t", "tagged", "total", "types", "units", "vector_rms", "whole", "width"
}  # fmt: skip
"""What is divided by, besides counts (`n_items`); a division by another name stands here, or is taken for a path."""
ARITHMETIC = (ast.Mult, ast.Sub, ast.Pow, ast.MatMult, ast.FloorDiv)
PATHS = {"Path", "PurePath", "PurePosixPath", "PureWindowsPath"}
METHODS = {"joinpath", "with_name", "with_stem", "with_suffix", "join"}


def is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float()) | ast.UnaryOp():
            return True
        case ast.BinOp(left=left, op=operator, right=right):
            return isinstance(operator, ARITHMETIC) or is_number(left) or is_number(right)
        case ast.Call(func=ast.Name(id="max" | "min"), args=values):
            return any(map(is_number, values))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in CALLS_OF_NUMBERS
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.startswith("n_") or name in NUMBERS
        case ast.Subscript(value=value):
            return is_number(value)
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


def parts_of(node: ast.AST) -> list[ast.expr]:
    """Returns what is joined to a path, where something may be."""
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=name) if not is_number(left) and not is_number(name):
            return [name]
        case ast.AugAssign(op=ast.Div(), value=name) if not is_number(name):
            return [name]
        case ast.Call(func=ast.Name(id=name), args=[first, *more]) if name in PATHS:
            return more or [first] if more or isinstance(first, ast.JoinedStr | ast.Starred) else []
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=names) if name in METHODS:
            is_text = name == "join" and not (isinstance(value, ast.Attribute) and value.attr == "path")  # "".join(…)
            return [] if is_text else names
    return []


def joined(tree: ast.AST) -> Iterator[str]:
    """Yields every path that is joined with text of others."""
    return (ast.unparse(node) for node in ast.walk(tree) if not all(map(is_said_by_the_program, parts_of(node))))


def places() -> dict[str, set[str]]:
    files = [*ROOT.glob("*.py"), *(ROOT / "src").rglob("*.py")]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}
    found = {path.relative_to(ROOT).as_posix().removeprefix("src/"): {*joined(tree)} for path, tree in trees.items()}
    return {path: expressions for path, expressions in found.items() if expressions}


def test_every_place_where_a_path_is_joined_with_text_of_others_is_listed():
    listed: dict[str, set[str]] = {}
    for of_files in PLACES.values():
        for path, expressions in of_files.items():
            listed.setdefault(path, set()).update(expressions.split("; "))
    assert places() == listed


def test_a_name_that_is_joined_to_a_folder_is_seen():
    source = """
a = folder / name; b = Path(x) / f'{row}.csv'; c = run.sets / file_name(name); d = root / 'a' / KIND; e = 1 / x
f = anything / row['name']; g = Path(a, b); h = Path(*parts); i = n_right / n_items; j = os.path.join(a, b)
k = 100 * a / b; l = Path(f'{a}/b'); m = Path(a); n /= name; o = '/'.join(names); p = sums / counts[label]
q = path.joinpath('a', name); r = path.with_suffix(ending); s = folder / max(names)
"""
    seen = "folder / name; Path(x) / f'{row}.csv'; anything / row['name']; Path(a, b); Path(*parts)"
    more = "os.path.join(a, b); Path(f'{a}/b'); n /= name; path.joinpath('a', name); path.with_suffix(ending)"
    assert set(joined(ast.parse(source))) == {*seen.split("; "), *more.split("; "), "folder / max(names)"}
