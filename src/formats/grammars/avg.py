"""Attribute-varying grammars (Mueller et al. 2020, section 3, and the grammars released with it): one statement a line.

    vary: V[]                        what is varied: every V; V[1,s] those with both attributes; V[1]; V[s] with either
    S[] the N[sg] V[sg] | a N[sg]    templates: words and slots; a slot is a name with a set of attributes
    N[sg] baker | bus driver         a preterminal and its alternatives, each of one word or several

Statements come in any order. A slot names the preterminal of the same name and the same attributes, in any order. Two
definitions of one preterminal are joined. Lines that are empty or begin with `#` are left out. The file common.avg of a
folder is read before each other file of it.

Differs from the released generator, which silently drops words or makes up others: a rule may be indented, a
tab may follow its left-hand side, or an arrow (→ or ->), attributes may have blanks, several blanks count as one;
meaningless lines are refused. Lines may end in CR LF, the last one without either: published files do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from src.errors import PolyprobeError, nearest
from src.formats.grammars.avg_statements import Alternative, Definition, Slot, Template, VaryItem, statements

COMMON = "common.avg"
SUFFIX = ".avg"


@dataclass(frozen=True, slots=True)
class Grammar:
    """A whole grammar; every slot of its templates is defined.

    Attributes:
        path: the file of the construction.
        templates: in the order of the file, at least one.
        preterminals: the alternatives of each slot; slots in the order of their first definitions.
        vary: empty where there is no vary statement: then every sentence is grammatical.
    """

    path: Path
    templates: tuple[Template, ...]
    preterminals: Mapping[Slot, tuple[Alternative, ...]]
    vary: tuple[VaryItem, ...]

    def is_varied(self, slot: Slot) -> bool:
        return any(item.slot.name == slot.name for item in self.vary)

    def rivals(self, slot: Slot) -> list[Slot]:
        """Returns the preterminals whose forms make the slot ungrammatical, in the order of their definitions."""
        others = (one for one in self.preterminals if one.name == slot.name and one != slot)
        return [one for one in others if any(item.matches(one) for item in self.vary)]


def grammar_files(place: Path) -> list[Path]:
    """Returns a grammar's file, or those of a folder in the order of their names, without common.avg.

    Raises:
        PolyprobeError: there is no grammar at this path.
    """
    if place.is_file():
        return [place]
    files = sorted(file for file in place.glob(f"*{SUFFIX}") if file.name != COMMON)
    if not files:
        what = f"has no file *{SUFFIX} but {COMMON}" if place.is_dir() else "is not there"
        raise PolyprobeError(f"{place} {what}. Expected a grammar, or a folder of grammars.")
    return files


def files_behind(path: Path) -> list[Path]:
    """Returns the files of a grammar in the order of reading: first common.avg of its folder, if there is one."""
    common = path.with_name(COMMON)
    return [common, path] if common.is_file() and path.name != COMMON else [path]


def read(path: Path) -> Grammar:
    """Reads the grammar of one construction.

    Raises:
        MalformedLine: at the first line that is not a statement, at a slot that is not defined, at an item of a vary
            statement that no preterminal satisfies, and where forms that are paired by position differ in number.
        PolyprobeError: there is no template.
    """
    templates: list[Template] = []
    preterminals: dict[Slot, tuple[Alternative, ...]] = {}
    vary: list[VaryItem] = []
    for statement in (one for file in files_behind(path) for one in statements(file)):
        if isinstance(statement, Definition):
            preterminals[statement.slot] = (*preterminals.get(statement.slot, ()), *statement.alternatives)
        else:
            (templates if isinstance(statement, Template) else vary).append(statement)
    grammar = Grammar(path, tuple(templates), preterminals, tuple(vary))
    _check(grammar)
    return grammar


def _check(grammar: Grammar) -> None:
    if not grammar.templates:
        expected = "a line such as S[] the N[sg] V[sg]"
        raise PolyprobeError(f"{grammar.path}: the grammar has no template. Expected {expected}.")
    for item in grammar.vary:
        if not any(item.matches(slot) for slot in grammar.preterminals):
            found = f"vary item {item.slot.text} matches no preterminal{_near(item.slot, grammar)}"
            raise item.place.malformed(found, "the name of a preterminal with some of its attributes, or none")
    for template in grammar.templates:
        for slot in template.slots:
            if slot not in grammar.preterminals:
                found = f"preterminal {slot.text} is used in a template but not defined{_near(slot, grammar)}"
                raise template.place.malformed(found, "a slot with the very attributes of a definition")
            _check_lengths(grammar, slot)


def _near(slot: Slot, grammar: Grammar) -> str:
    known = list(grammar.preterminals)
    namesakes = [one.text for one in known if one.name == slot.name]
    hint = f"did you mean {' or '.join(namesakes[:4])}?" if namesakes else nearest(slot.text, [s.text for s in known])
    return f" ({hint.removesuffix('.')})"


def _check_lengths(grammar: Grammar, slot: Slot) -> None:
    """Refuses a varied slot if one of its rivals has more or fewer forms."""
    n_own = len(grammar.preterminals[slot])
    for rival in grammar.rivals(slot):
        forms = grammar.preterminals[rival]
        if len(forms) != n_own:
            lists = "1 form" if len(forms) == 1 else f"{len(forms)} forms"
            found = f"{rival.text} lists {lists}, but {slot.text} lists {n_own}"
            raise forms[0].place.malformed(found, "as many: forms are paired by position")
