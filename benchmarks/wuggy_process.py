"""Runs the released program on a lexicon, in its own environment (see benchmarks/pseudowords.py).

Called with one argument, a JSON file with `lexicon`, `nuclei`, `seed_words`, `n` and `longest` (seconds for a word);
prints a JSON object with the seconds of loading and searching, and the pseudowords of each seed word.
"""

import json
import os
import re
import sys
import time

from wuggy import WuggyGenerator
from wuggy.plugins.baselanguageplugin import BaseLanguagePlugin


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    start = time.perf_counter()
    generator = WuggyGenerator()
    generator.load("measured", _plugin(task["lexicon"], task["nuclei"]))
    loaded = time.perf_counter()
    found = {}
    for word in task["seed_words"]:
        matches = generator.generate_classic([word], task["n"], task["longest"])
        found[word] = [match["pseudoword"] for match in matches]
    searched = time.perf_counter()
    print(json.dumps({"load": loaded - start, "search": searched - loaded, "found": found}))


def _plugin(lexicon: str, nuclei: list[str]) -> BaseLanguagePlugin:
    path = os.path.relpath(lexicon, os.path.dirname(os.path.abspath(__file__)))  # it looks beside the plugin's file

    class Plugin(BaseLanguagePlugin):
        default_data = default_neighbor_lexicon = default_word_lexicon = default_lookup_lexicon = path
        oncpattern = re.compile(f"(.*?)({'|'.join(nuclei)})(.*)")

        def transform(self, input_sequence, frequency=1):
            return self.pre_transform(input_sequence, frequency=frequency, language=self)

    return Plugin()


if __name__ == "__main__":
    main()
