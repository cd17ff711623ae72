from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.lexica.wuggy_lexicon import SyllabifiedWord
from polyprobe.generation.pseudowords import PseudowordLexicon, UnsuitableLexicon, lexicon_of_plain_words
from tests.generation.pseudoword_windows import candidates
from tests.generation.syllabified import write_lexicon

# Every transition can be counted by hand.
SHORT = ("bak", "bat", "dak", "det", "tek")
LEXICA = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["", "b", "d", "bd"]), st.sampled_from(["", "a", "e"]), st.sampled_from(["", "k"]))
        .map("".join)
        .filter(bool),
        min_size=1,
        max_size=2,
    ).map(tuple),
    min_size=1,
    max_size=9,
)


def lexicon_of(words: tuple[str, ...] | list[str]) -> PseudowordLexicon:
    """Builds a Turkish lexicon of words whose syllables are joined by hyphens."""
    rows = [
        SyllabifiedWord(line, word.replace("-", ""), tuple(word.split("-")), 1.0)
        for line, word in enumerate(words, start=1)
    ]
    return PseudowordLexicon(rows, "tr")


def found_by_width(lexicon: PseudowordLexicon, seed_word: str, most_windows: int = 40) -> dict[int, set[str]]:
    return {width: {one.letters for one in found} for width, found in lexicon.windows(seed_word, most_windows)}


def test_a_third_of_the_segments_changes_and_no_word_is_found():
    # bak may change one of b, a, k: dak and bat are words, tak has no transition t-a, bek none b-e.
    assert found_by_width(lexicon_of(SHORT), "bak") == {2: set()}
    # det: dat changes e to a (d-a and a-t exist), dek changes t to k (e-k exists), tet changes d to t.
    assert found_by_width(lexicon_of(SHORT), "det") == {2: {"dat", "dek", "tet"}}


@pytest.mark.parametrize(
    ("n_dak", "by_width"),
    [
        # d-a is in 3 words, d-e in 1; d begins 4, t 1; k ends 5, t 2.
        (3, {2: {"dat"}, 4: {"dek", "tet"}}),
        # d-a is in 9 words; d begins 10; k ends 11.
        (9, {2: set(), 4: set(), 8: {"dat"}, 16: {"dek", "tet"}}),
    ],
)
def test_a_window_has_the_transitions_whose_counts_differ_by_its_width_at_most(n_dak, by_width):
    words = ["bak", "bat", *["dak"] * n_dak, "det", "tek"]
    assert found_by_width(lexicon_of(words), "det") == by_width


def test_windows_end_with_the_first_that_has_all_transitions():
    words = [*(f"{onset}a" for onset in "bcdfg"), "ze", "be"]
    # Five words end in a, two in e: a window of 4 has both.
    assert list(found_by_width(lexicon_of(words), "ze", most_windows=10**6)) == [2, 4]
    assert list(found_by_width(lexicon_of(words), "ze", most_windows=1)) == [2]


def brute_force(words: list[tuple[str, ...]], seed_word: str, most_windows: int) -> dict[int, set[str]]:
    """Enumerates every sequence of segments of as many syllables, and applies the definition to each."""
    lexicon = lexicon_of(["-".join(word) for word in words])
    segmented = [lexicon_of(["-".join(word), "a"]).segments("".join(word)) for word in words]
    seed = lexicon.segments(seed_word)
    alike = [segments for segments in segmented if len(segments) == len(seed)]

    def count(place: int, pair: tuple[str, str]) -> int:
        return sum(segments[place : place + 2] == pair for segments in alike)

    found: dict[int, set[str]] = {}
    at_places = [{s[place] for s in alike if len(s[place]) == len(seed[place])} for place in range(len(seed))]
    for path in product(*at_places):
        counts = [count(place, pair) for place, pair in enumerate(pairwise(path))]
        written = "".join(path[1:-1])
        n_same = sum(own == other for own, other in zip(path[1:-1], seed[1:-1], strict=True))
        if 0 in counts or 3 * n_same != 2 * (len(seed) - 2) or written in map("".join, words):
            continue
        differences = [
            abs(c - count(place, pair)) for c, (place, pair) in zip(counts, enumerate(pairwise(seed)), strict=True)
        ]
        exponent = next(e for e in range(1, 60) if max(differences) <= 2**e)
        if exponent <= most_windows:
            found.setdefault(2**exponent, set()).add(written)
    return _first_seen(found)


def _first_seen(found: dict[int, set[str]]) -> dict[int, set[str]]:
    seen: set[str] = set()
    first = {}
    for width in sorted(found):
        first[width] = found[width] - seen
        seen |= found[width]
    return {width: written for width, written in first.items() if written}


@given(words=LEXICA, most_windows=st.integers(0, 3))
def test_what_is_found_is_what_an_enumeration_of_all_sequences_finds(words, most_windows):
    words = [*words, ("ba",)]  # so that there is a nucleus
    seed_word = "".join(words[0])
    found = found_by_width(lexicon_of(["-".join(word) for word in words]), seed_word, most_windows)
    assert {width: some for width, some in found.items() if some} == brute_force(words, seed_word, most_windows)


@given(words=LEXICA)
def test_paths_are_found_by_number_in_the_order_of_enumeration(words):
    lexicon = lexicon_of([*("-".join(word) for word in words), "ba"])
    for _, paths in lexicon.paths("".join(words[0]), 3):
        assert list(paths) == [paths.path(number) for number in range(paths.n_paths)]


@given(words=LEXICA, n=st.integers(1, 6), seed=st.integers(0, 3))
def test_narrow_windows_are_taken_whole_and_the_last_by_chance(words, n, seed):
    lexicon = lexicon_of([*("-".join(word) for word in words), "ba"])
    seed_word = "".join(words[0])
    chosen = lexicon.chosen(seed_word, n, 40, seed)
    by_width = found_by_width(lexicon, seed_word)
    assert len({one.letters for one in chosen}) == len(chosen) == min(n, sum(map(len, by_width.values())))
    assert all(one.letters in by_width[one.window] for one in chosen)
    last = max((one.window for one in chosen), default=0)
    assert all(
        len(found) == sum(one.window == width for one in chosen) for width, found in by_width.items() if width < last
    )


def test_all_there_are_are_drawn_each_once_with_its_narrowest_window():
    lexicon = lexicon_of(["bak", "bat", *["dak"] * 3, "det", "tek"])
    for seed in range(30):
        chosen = lexicon.chosen("det", 5, 40, seed)
        assert sorted((one.letters, one.window) for one in chosen) == [("dat", 2), ("dek", 4), ("tet", 4)]
        assert [one.letters for one in lexicon.chosen("det", 2, 40, seed)] in (["dat", "dek"], ["dat", "tet"])


WIDE = [f"{onset}{nucleus}{coda}" for onset, nucleus, coda in ("bak", "dek", "fok", "gik", "hat", "jet", "kot", "lit")]
WIDE += [f"{onset}a" for onset in "bdfghjkl"] + [f"{onset}e" for onset in "bdfghjkl"]


def test_a_choice_depends_on_the_seed_and_the_seed_word_alone():
    lexicon = lexicon_of(WIDE)
    alone = [one.letters for one in lexicon.chosen("bak", 2, 40, seed=1)]
    lexicon.chosen("dek", 2, 40, seed=1)
    assert [one.letters for one in lexicon.chosen("bak", 2, 40, seed=1)] == alone
    draws = {tuple(one.letters for one in lexicon.chosen("bak", 2, 40, seed)) for seed in range(20)}
    assert len(draws) > 1


def test_every_pseudoword_of_a_window_is_drawn_about_as_often():
    lexicon = lexicon_of(SHORT)
    draws = [lexicon.chosen("det", 1, 40, seed)[0].letters for seed in range(300)]
    assert {letters: draws.count(letters) > 70 for letters in draws} == {"dat": True, "dek": True, "tet": True}


def test_a_billion_paths_cost_no_more_than_ten():
    letters = "bcdfghjklmnprstv"
    syllables = [f"{onset}{nucleus}{coda}" for onset in letters for nucleus in "aeiou" for coda in letters]
    words = ["-".join(syllables[(start + step * 17) % len(syllables)] for step in range(6)) for start in range(1280)]
    chosen = lexicon_of(words).chosen(words[0].replace("-", ""), 5, 40, seed=1)
    assert len({one.letters for one in chosen}) == 5


def test_a_seed_word_that_is_not_in_the_lexicon_is_refused_with_the_nearest(tmp_path):
    lexicon = write_lexicon(tmp_path / "lexicon.txt", SHORT)
    with pytest.raises(UnsuitableLexicon, match=r'"bal" is not among the 5 words .* Did you mean ba[kt] or'):
        candidates(lexicon, "tr", "bal", 3)
    with pytest.raises(UnsuitableLexicon, match=r"Expected a word of the lexicon\.$"):
        candidates(lexicon, "tr", "", 3)


def test_every_line_of_a_repeated_word_counts_and_its_last_syllables_are_the_seeds():
    lexicon = lexicon_of(["a-ged", "aged", "bak"])
    assert lexicon.segments("aged") == ("^", "", "a", "ged", "$")
    lexicon = lexicon_of(["bak", "bak", "bat"])
    assert lexicon.chain.counts(lexicon.segments("bak")) == [3, 3, 2, 2]


def test_what_is_not_accepted_is_not_drawn_and_another_is():
    lexicon = lexicon_of(SHORT)
    for seed in range(10):
        drawn = lexicon.chosen("det", 2, 40, seed, lambda pseudoword: pseudoword != "dat")
        assert sorted(one.letters for one in drawn) == ["dek", "tet"]
    assert lexicon.chosen("det", 2, 40, 1, lambda pseudoword: False) == []


def test_plain_words_get_syllables_by_their_vowels():
    lexicon = lexicon_of_plain_words(["kala", "kana", "sano", "salo", "2", "o'clock"])
    assert lexicon.segments("kala") == ("^", "k", "a", "", "l", "a", "", "$")
    # Two of k, l and the second a change: sana and kano have transitions that words have, and salo is a word.
    assert found_by_width(lexicon, "kala") == {2: {"sana", "kano"}}
