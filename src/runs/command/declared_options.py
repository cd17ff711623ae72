"""What a class or a function says of its options, read from its source: nothing is imported, so torch is not.

An option is a field of a data class, with its text below it, or an argument, with its text under `Args:`. The types are
those of the annotations; one that names a class of a heavy package is taken for any.
"""

import ast
import collections.abc
import functools
import inspect
import itertools
import pathlib
import re
import textwrap
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import annotated_types

from polyprobe import section
from polyprobe.runs.names.conf_folders import PACKAGE

_PLAIN = {one.__name__: one for one in (int, float, str, bool, list, dict, tuple, object)}
_LIGHT = {one.__name__: one for one in (typing, collections.abc, annotated_types, pathlib, section)}
_NO_DEFAULT = object()
UNTOLD = "…"
"""In place of a default that only running the code would tell."""


@dataclass(frozen=True, slots=True)
class Declared:
    """An option as its class or function declares it."""

    annotation: Any
    """Its type; Any where it is unknown."""
    meaning: str
    """The first paragraph of its text; "" where there is none."""
    default: Any = _NO_DEFAULT
    """Where it has one that is a plain value."""
    is_field: bool = False
    """Whether it is a field: its text is the meaning for users, too."""
    is_checked: bool = False
    """Whether its range or its closed list is checked by its annotation."""

    @property
    def is_needed(self) -> bool:
        """Whether there is no default."""
        return self.default is _NO_DEFAULT


def declared(dotted: str) -> Mapping[str, Declared]:
    """Returns the options of a class or function of ours by their names; of any other none are known."""
    found = _definition(dotted)
    return {} if found is None else dict(_options(*found))


def summary(dotted: str) -> str:
    """Returns the first paragraph of the text of a class or function of ours; "" where it is unknown."""
    found = _definition(dotted)
    return "" if found is None else _first_paragraph(ast.get_docstring(found[1]) or "")


@functools.cache
def _module(name: str) -> ast.Module | None:
    parts = name.split(".")
    path = PACKAGE.joinpath(*parts[1:]).with_suffix(".py")
    is_ours = parts[0] == "polyprobe" and all(map(str.isidentifier, parts)) and path.is_file()
    return ast.parse(path.read_text(encoding="utf-8")) if is_ours else None


def _definition(dotted: str) -> tuple[str, ast.ClassDef | ast.FunctionDef] | None:
    """Returns the module of a class or function, and its node."""
    module, _, name = dotted.rpartition(".")
    tree = _module(module)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return module, node
    return None


def _is_section(module: str, node: ast.ClassDef) -> bool:
    """Says whether a class is derived from `Section`, directly or by others of ours."""
    names = [ast.unparse(base) for base in node.bases]
    return "Section" in names or any(
        isinstance(found[1], ast.ClassDef) and _is_section(*found)
        for name in names
        if (found := _definition(_dotted(module, name)))
    )


def _options(module: str, node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[str, Declared]]:
    if isinstance(node, ast.FunctionDef):
        yield from _arguments(module, node, ast.get_docstring(node) or "")
        return
    constructor = next((one for one in node.body if getattr(one, "name", "") == "__init__"), None)
    fields = dict(_fields(module, node))
    if constructor is not None:
        yield from _arguments(module, constructor, ast.get_docstring(node) or "")
        return
    bases = [found for base in node.bases if (found := _definition(_dotted(module, ast.unparse(base))))]
    for base in bases:
        yield from ((name, one) for name, one in _options(*base) if name not in fields)
    yield from fields.items()


def _fields(module: str, node: ast.ClassDef) -> Iterator[tuple[str, Declared]]:
    """Yields the fields of a data class, each with the text right below it."""
    for one, below in itertools.pairwise([*node.body, ast.Pass()]):
        if isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            meaning = _first_paragraph(inspect.cleandoc(below.value.value)) if is_text else ""
            is_checked = _is_section(module, node)
            annotation = _evaluated(module, one.annotation)
            yield one.target.id, Declared(annotation, meaning, _value(module, one.value), is_text, is_checked)


def _arguments(module: str, node: ast.FunctionDef, text: str) -> Iterator[tuple[str, Declared]]:
    """Yields the arguments of a function; `**options: Annotated[Any, Fit]` are the fields of `Fit`."""
    is_checked = any(ast.unparse(one).startswith("checked(") for one in node.decorator_list)
    meanings, given = dict(_meanings(text)), node.args
    annotated = "" if given.kwarg is None else ast.unparse(given.kwarg.annotation or ast.Constant(""))
    further = re.search(r"\[Any, (\w+)\]", annotated)
    found = _definition(_dotted(module, further[1])) if further else None
    fields = dict(_options(*found)) if found else {}
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults + given.kw_defaults
    for one, default in zip([*given.args, *given.kwonlyargs], defaults, strict=True):
        if one.arg != "self":
            annotation = Any if one.annotation is None else _evaluated(module, one.annotation)
            field = fields.pop(one.arg, None)
            is_field = field is not None and field.is_field
            meaning = field.meaning if is_field else _whole(module, one.arg, meanings.get(one.arg, ""))
            yield one.arg, Declared(annotation, meaning, _value(module, default), is_field, is_checked)
    yield from fields.items()


def _whole(module: str, name: str, meaning: str) -> str:
    """Returns the meaning of an argument; where it says "see `tokeniser`", what is said there."""
    there = re.match(r"see `([\w.]+)`", meaning)
    found = _definition(there[1] if there and "." in there[1] else _dotted(module, there[1])) if there else None
    of_there = dict(_options(*found)) if found else {}
    return of_there[name].meaning if name in of_there else meaning


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    """Yields what stands under `Args:`, by argument."""
    listed = re.search(r"^Args:\n((?:    .*\n?|\n)*)", text, re.MULTILINE)
    entries = re.split(r"^(?=\w[\w, ]*: )", textwrap.dedent(listed[1]), flags=re.MULTILINE) if listed else []
    for entry in filter(str.strip, entries):
        names, _, meaning = entry.partition(": ")
        yield from ((name.strip(), " ".join(meaning.split())) for name in names.split(","))


def _dotted(module: str, name: str) -> str:
    """Returns the whole name of what a module calls `name`."""
    tree = _module(module)
    for node in tree.body if tree else ():
        if isinstance(node, ast.ImportFrom) and any(name == (one.asname or one.name) for one in node.names):
            return f"{node.module}.{name}"
    return f"{module}.{name}"


def _evaluated(module: str, node: ast.expr) -> Any:
    """Returns the type, or the default, that an expression stands for; Any where it is none of few simple kinds."""
    try:
        return _value_of(module, node)
    except TypeError:  # of what is no type after all
        return Any


def _value_of(module: str, node: ast.expr) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _named(module, node.id)
        case ast.Tuple() | ast.List():
            parts = [_value_of(module, one) for one in node.elts if not isinstance(one, ast.Starred)]
            parts += [
                part for one in node.elts if isinstance(one, ast.Starred) for part in _value_of(module, one.value)
            ]
            return parts if isinstance(node, ast.List) else tuple(parts)
        case ast.BinOp(op=ast.BitOr()):
            return typing.Union[_value_of(module, node.left), _value_of(module, node.right)]  # noqa: UP007
        case ast.Subscript():
            base, inner = _value_of(module, node.value), _value_of(module, node.slice)
            return Any if base is Any else base[inner]
        case ast.Call(keywords=keywords):
            made = _value_of(module, node.func)
            plain = [_value_of(module, one) for one in node.args]
            named = {one.arg: _value_of(module, one.value) for one in keywords}
            is_known = isinstance(made, type) and not any(one is Any for one in (*plain, *named.values()))
            return made(*plain, **named) if is_known else Any
    return Any


def _named(module: str, name: str) -> Any:
    """Returns what a name stands for: a plain type, one of a light module, or what a module of ours assigns to it."""
    if name in _PLAIN:
        return _PLAIN[name]
    there, _, last = _dotted(module, name).rpartition(".")
    if there in _LIGHT:
        return getattr(_LIGHT[there], last, Any)
    tree = _module(there)
    for node in tree.body if tree else ():
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = zip(target.elts, value.elts, strict=True) if several else [(target, value)]
            for one, of_one in pairs:
                if ast.unparse(one) == last:
                    return _value_of(there, of_one)
    return Any


def _value(module: str, node: ast.expr | None) -> Any:
    """Returns a default as a configuration would have it; "…" for one that only running the code would tell."""
    if node is None:
        return _NO_DEFAULT
    if isinstance(node, ast.Call):
        factory = next((one.value for one in node.keywords if one.arg == "default_factory"), None)
        return {} if isinstance(factory, ast.Name) and factory.id == "dict" else UNTOLD
    found = _evaluated(module, node)
    return UNTOLD if found is Any else list(found) if isinstance(found, tuple) else found


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())
