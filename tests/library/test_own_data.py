"""Data of the user's own in calls: `pp.probe(…, data="words.csv")`."""

import numpy as np

import polyprobe as pp


def lengths(words):
    return np.array([[len(word), word.count("a")] for word in words], dtype=np.float32)


def test_a_function_is_probed_with_words_of_ones_own(tmp_path):
    words = tmp_path / "my words.csv"
    rows = "".join(f"w{'a' * (n % 4)}{n},{'ab'[n % 2]}\n" for n in range(20))
    words.write_text(f"word,case\n{rows}", encoding="utf-8")
    fast = {"work": tmp_path, "quiet": True, "overrides": ["probe.max_epochs=1"]}
    run = pp.probe(lengths, name="lengths", data=words, columns={"label": "case"}, **fast)
    typed = [f'suite.path="{words}"', "suite.level=type", "suite.label=case", *fast["overrides"]]
    again = pp.probe(lengths, name="lengths", suite="table", **{**fast, "overrides": typed})
    assert run.name.startswith("table-und-")
    assert again.name == run.name
