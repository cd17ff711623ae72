"""The bundle of a word of a treebank: converted from UD, or as FEATS has it."""

from collections.abc import Callable
from pathlib import Path

from src.errors import MalformedLine
from src.formats.treebanks.conllu import Row
from src.generation.token_tests.token_level_options import TokenLevelOptions
from src.generation.unimorph.ud_conversion import basic_labels, bundle_of, language_labels

BundleReader = Callable[[Path, int, Row], str]
_NONE = "_"


def bundle_reader(options: TokenLevelOptions) -> BundleReader:
    """Returns a function from (file, line, row) to the bundle of a word, empty where it has none.

    It raises `MalformedLine` at FEATS of another kind than `options.labels` says.
    """
    if options.labels == "unimorph":
        return _unimorph
    return _BasicBundles() if options.conversion == "basic" else _LanguageBundles(options.language)


def _unimorph(path: Path, line: int, row: Row) -> str:
    if "=" in row.feats:
        expected = "labels of UniMorph, such as N;NOM;SG; for features of Universal Dependencies token_level.labels=ud"
        raise MalformedLine(path, line, f'FEATS is "{row.feats}"', expected)
    return "" if row.feats == _NONE else row.feats


class _BasicBundles:
    """Converts by the table; each pair of part of speech and features once."""

    def __init__(self):
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, path: Path, line: int, row: Row) -> str:
        known = self._known.get((row.upos, row.feats))
        if known is None:
            _check_features(path, line, row.feats)
            known = self._known[row.upos, row.feats] = bundle_of(basic_labels(row.upos, row.feats)).strip(_NONE)
        return known


class _LanguageBundles:
    """Converts by the table and the rules of a language, which may ask for the form."""

    def __init__(self, language: str):
        self._language = language
        self._basic: dict[tuple[str, str], frozenset[str]] = {}

    def __call__(self, path: Path, line: int, row: Row) -> str:
        basic = self._basic.get((row.upos, row.feats))
        if basic is None:
            _check_features(path, line, row.feats)
            basic = self._basic[row.upos, row.feats] = basic_labels(row.upos, row.feats)
        return bundle_of(language_labels(self._language, row.form, basic)).strip(_NONE)


def _check_features(path: Path, line: int, feats: str) -> None:
    pairs = [] if feats == _NONE else feats.split("|")
    if not all(name and value for name, _, value in (pair.partition("=") for pair in pairs)):
        expected = 'pairs such as Case=Nom|Number=Sing, or "_"; for labels of UniMorph token_level.labels=unimorph'
        raise MalformedLine(path, line, f'FEATS is "{feats}"', expected)
