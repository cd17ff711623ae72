"""`make demo`: its words are as the rules of lang=mini make them, and its page shows the commands that it runs."""

import csv
import re

from tests.commands.scripts import ROOT

CASES = {
    **{"nominative": "NOM", "accusative": "ACC", "dative": "DAT", "locative": "LOC", "ablative": "ABL"},
    **{"genitive": "GEN"},
}


def commands(text: str) -> list[str]:
    """Returns the commands in a text, each in a line, without what all have in common."""
    joined = re.sub(r"\\\n\s*", "", text)
    joined = re.sub(r'encoder\.run=(".*?"|\S+)', "encoder.run=<run>", joined)
    return [line.strip() for line in joined.splitlines() if re.match(r"\s*python (train|probe|analyze)\.py ", line)]


def test_each_word_is_a_form_of_its_lemma_in_its_case_alone(mini_folder):
    lexicon = [
        line.split("\t") for line in (mini_folder / "unimorph/mini/mini.txt").read_text(encoding="utf-8").splitlines()
    ]
    cases: dict[str, set[str]] = {}
    for _, form, tags in lexicon:
        cases.setdefault(form, set()).update(set(tags.split(";")) & set(CASES.values()))
    forms = {(lemma, form) for lemma, form, _ in lexicon}
    with open(ROOT / "docs/case.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["word"] for row in rows}) == 606
    assert [row for row in rows if (row["lemma"], row["word"]) not in forms] == []
    assert [row for row in rows if cases[row["word"]] != {CASES[row["label"]]}] == []


def test_the_page_shows_the_commands_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (words,) = re.findall(r"^WORDS := (.*)", makefile, re.MULTILINE)
    recipe = makefile.replace("$(BIN)/", "").replace("$(WORDS)", words)
    recipe = recipe.replace(" $(QUICK)", "").replace(" paths.work=$(WORK)", "")
    shown = commands((ROOT / "docs/demo.md").read_text(encoding="utf-8"))
    assert len(shown) == 5
    assert shown == commands(recipe)
