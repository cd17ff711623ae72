"""A section of the configuration as a class: a field says its type, its range and its meaning, once.

    class Fit(Section, key="fit"):
        \"\"\"How a classifier is fitted.\"\"\"

        folds: Annotated[int, Ge(2)]
        \"\"\"Into which all examples are dealt.\"\"\"
        chance: Literal["of_each_fit", "of_all_fits"] = "of_each_fit"
        \"\"\"Whether initial weights are drawn anew for each fit.\"\"\"

`Fit(folds=1)` is refused: fit.folds must be an integer of at least 2, is 1. What a value must be follows from the type
of its field; where that says it badly, `Expected` does. pydantic checks, strictly, and changes no value.
"""

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import ConfigDict, TypeAdapter, ValidationError

from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice, check_choice

Number = int | float
Count = Annotated[int, Ge(1)]
AtLeastZero = Annotated[Number, Ge(0)]
AboveZero = Annotated[Number, Gt(0)]


@dataclass(frozen=True, slots=True)
class Expected:
    """What a value must be, as the end of "must be …", where its type does not say it well."""

    words: str
    of_parts: bool = False
    """Whether a part that is not as its type says is told of in these words, too, with the whole value."""


Seed = Annotated[int, Ge(0), Lt(2**63), Expected("an integer of at least 0, below 2^63")]


@dataclass(frozen=True, slots=True)
class Key:
    """Where a value stands in the configuration, if not in the section of its field."""

    key: str


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Section:
    """Values that go together, checked one after the other when they are put in; the first that does not fit is told.

    Raises:
        UnknownChoice: a value is none of its choices; names the nearest.
        BadValue: a value is of another type, or out of its range.
    """

    key: ClassVar[str]
    """Of the section in the configuration, before the keys of its fields in messages; "" where there is none."""

    def __init_subclass__(cls, key: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.key = key
        dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        check_values(self.key, _types_of(type(self)), vars(self))

    @classmethod
    def of(cls, values: Mapping[str, Any], **further: Any) -> Self:
        """Makes a section of what a configuration says, and of further values.

        Raises:
            UnknownChoice, BadValue: see above; or there is no field of a name.
        """
        check_options(cls, values, further)
        return cls(**values, **further)


def check_options(section: type, names: Iterable[str], further: Collection[str] = (), key: str = "") -> None:
    """Checks names of options.

    Args:
        section: whose fields they are to be, or of a data class.
        names: of options.
        further: fields of the section that are no options.
        key: of the section in the configuration, for messages, where it has none of its own.

    Raises:
        UnknownChoice: there is none of a name.
    """
    known = [field.name for field in fields(section) if field.name not in further]
    place = key or getattr(section, "key", "")
    for name in names:
        check_choice(f"{place}: the option" if place else "The option", name, known)


def checked(key: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorates a constructor: arguments annotated with a range (`Annotated`) or choices (`Literal`) are checked.

    Args:
        key: of the section of the configuration that its arguments are in, for messages ("encoder").
    """

    def decorated(constructor: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(constructor)

        @functools.wraps(constructor)
        def checking(*positional: Any, **named: Any) -> None:
            try:
                given = signature.bind(*positional, **named)
            except TypeError:  # of arguments that it does not take: it says so itself
                return constructor(*positional, **named)
            given.apply_defaults()
            check_values(key, _ranged(constructor), given.arguments)
            return constructor(*positional, **named)

        return checking

    return decorated


def check_values(key: str, types: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Checks values against the types of their names, in the order of the types.

    Args:
        key: of their section; "" where they have none.

    Raises:
        UnknownChoice, BadValue: one does not fit.
    """
    for name, annotation in types.items():
        _check(f"{key}.{name}" if key else name, annotation, values[name])


def _check(key: str, annotation: Any, value: Any) -> None:
    try:
        _adapter(annotation).validate_python(value)
    except ValidationError as error:
        place = next((one.key for one in _parted(annotation)[1] if isinstance(one, Key)), key)
        raise _refusal(place, annotation, value, error.errors(include_url=False)[0]["loc"]) from None


@functools.cache
def _types_of(section: type[Section]) -> Mapping[str, Any]:
    """Returns the types of a section's fields, without those of objects that no configuration can say."""
    hints = get_type_hints(section, include_extras=True)
    types = {field.name: hints[field.name] for field in fields(section)}
    return {name: one for name, one in types.items() if _parted(one)[0] is not Any and not _within(one, _is_object)}


@functools.cache
def _ranged(constructor: Callable[..., None]) -> Mapping[str, Any]:
    hints = get_type_hints(constructor, include_extras=True)
    return {name: hint for name, hint in hints.items() if _within(hint, _is_limited) and _parted(hint)[0] is not Any}


def _is_limited(annotation: Any) -> bool:
    return annotation is bool or get_origin(annotation) in (Annotated, Literal)


def _is_object(annotation: Any) -> bool:
    is_class = isinstance(annotation, type) and get_origin(annotation) is None
    return is_class and (is_dataclass(annotation) or annotation.__module__.startswith(("polyprobe.", "pathlib")))


def _within(annotation: Any, is_meant: Callable[[Any], bool]) -> bool:
    """Says whether a type, or one that it is made of, is meant."""
    parts = [annotation.__origin__] if get_origin(annotation) is Annotated else get_args(annotation)
    of_types = [] if get_origin(annotation) is Literal else parts
    return is_meant(annotation) or any(_within(one, is_meant) for one in of_types)


@functools.cache
def _adapter(annotation: Any) -> Any:
    return TypeAdapter(annotation, config=ConfigDict(strict=True, arbitrary_types_allowed=True, allow_inf_nan=False))


def _refusal(key: str, annotation: Any, value: Any, place: Sequence[Any]) -> PolyprobeError:
    """Returns the error about a value, or about the part of it that stands at a place, as pydantic names places."""
    plain, limits = _parted(annotation)
    said = next((one for one in limits if isinstance(one, Expected)), None)
    if len(place) and not (said and said.of_parts) and get_origin(plain) not in (Union, UnionType):
        if place[-1] == "[key]":
            return _refusal(key, get_args(plain)[0], place[0], ())
        if isinstance(value, Mapping):
            return _refusal(f"{key}.{place[0]}", get_args(plain)[1], value[place[0]], place[1:])
        if isinstance(value, list | tuple):
            return _refusal(key, get_args(plain)[0], value[place[0]], place[1:])
    if get_origin(plain) is Literal and not said:
        return UnknownChoice(key, str(value), map(str, get_args(plain)))
    return BadValue(key, value, said.words if said else _in_words(plain, limits))


def _parted(annotation: Any) -> tuple[Any, Sequence[Any]]:
    """Returns a type without its limits, and these; those of `X | None` are those of X."""
    members = [one for one in get_args(annotation) if one is not NoneType]
    if get_origin(annotation) in (Union, UnionType) and len(members) == 1:
        return _parted(members[0])
    if get_origin(annotation) is Annotated:
        plain, inner = _parted(annotation.__origin__)
        return plain, (*annotation.__metadata__, *inner)
    return annotation, ()


_NOUNS = {
    int: "an integer",
    float: "a number",
    Number: "a number",
    bool: "true or false",
    str: "text",
    Path: "text",
    list: "a list",
}

_LIMITS = {Ge: "of at least", Gt: "above", Le: "at most", Lt: "below"}


def _in_words(plain: Any, limits: Sequence[Any]) -> str:
    """Says what a type takes: "an integer of at least 1", "a number above 0, at most 1"."""
    origin = get_origin(plain) or plain
    if origin in (Union, UnionType) and plain not in _NOUNS:
        words = (_in_words(*_parted(one)) for one in get_args(plain) if one is not NoneType)
        return " or ".join(dict.fromkeys(words))
    is_mapping = isinstance(origin, type) and issubclass(origin, Mapping)
    noun = _NOUNS.get(plain) or ("a group of keys" if is_mapping else "a list")
    if any(isinstance(one, MinLen) for one in limits):
        return noun.replace("a ", "a non-empty ", 1)
    ends = [
        f"{_LIMITS[type(one)]} {getattr(one, type(one).__name__.lower())}" for one in limits if type(one) in _LIMITS
    ]
    return f"{noun} {', '.join(ends)}".strip()
