"""Scores models on SyntaxGym's items: surprisals of regions, and which of their predictions hold.

    items -> sentences -> distinct questions -> predictor -> answers -> surprisals of regions -> margins of predictions

A region's surprisal is the sum over the tokens of its words, in bits. A token that crosses a blank belongs to the word
in which it starts, so to the region of that word; the end of the sentence, where it counts, to the last region that has
words. Both are as in syntaxgym-core (suite.py, `tokenize_regions`). A word put after every sentence
(`suite.end_of_sentence`) belongs to no region.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from polyprobe.formats.minimal_sets.region_formulas import margin, references
from polyprobe.predictors.base.predictor import Answers
from polyprobe.probing.minimal_sets.outcome import UNKNOWN_REGION, Model, ScoredRegions, ScoringRules
from polyprobe.probing.minimal_sets.questions import Layout, QuestionScores, Sentences, last_words, tokens_of
from polyprobe.probing.suites.minimal_sets import Preparation, RegionConstruction
from polyprobe.runs.array_records import RegionScores

NOT_SCORED = "a region that is predicted has no scored word"
INFINITE = "surprisals without a difference: infinite ones"
NO_REGION = -1


@dataclass(frozen=True, eq=False)
class RegionSums(QuestionScores):
    """What one model makes of the regions of a test suite."""

    surprisals: np.ndarray
    """In bits, NaN where a region has no token and a word that no token covers: float64 `[regions]`."""
    has_unknown: np.ndarray
    """Whether a word is unknown, or no token covers it: bool `[regions]`."""
    is_oov: np.ndarray
    """Whether a word is unknown: bool `[regions]`."""


@dataclass(frozen=True, eq=False)
class RegionLayout(Layout[RegionSums]):
    """A test suite before a model is asked; an item is a set."""

    conditions: Sequence[str]
    """Of each sentence."""
    region_of_word: np.ndarray
    """The region of every word of every sentence, and of its end: int64 `[words and ends]`."""
    first_word: np.ndarray
    """Where the words of each sentence start in that: int64 `[sentences]`."""
    sentence_of_region: np.ndarray
    numbers: np.ndarray
    """Of each region: int64 `[regions]`."""
    place_of: Mapping[tuple[int, str, int], int]
    """Of each region, by item, condition and number."""
    places_of_all: Mapping[tuple[int, str], Sequence[int]]
    """Of the regions of a condition, by item and condition."""
    is_predicted: np.ndarray
    """Whether a prediction refers to the region: bool `[regions]`."""

    not_scored = NOT_SCORED

    @classmethod
    def of(cls, construction: RegionConstruction, preparation: Preparation) -> "RegionLayout":
        """Lays the items of a test suite out."""
        texts, items, conditions, region_of_word, first_word = [], [], [], [], []
        sentence_of_region, numbers = [], []
        place_of: dict[tuple[int, str, int], int] = {}
        conditions_of_items = (
            (number, *named) for number, item in enumerate(construction.sets) for named in item.conditions.items()
        )
        for item, name, one in conditions_of_items:
            text = preparation.sentence(" ".join(one.words))
            of_words = np.full(text.count(" ") + 2, NO_REGION)
            for number, (start, end) in one.regions.items():
                place_of[item, name, number] = len(numbers)
                of_words[start:end] = len(numbers)
                sentence_of_region.append(len(texts))
                numbers.append(number)
            of_words[-1] = of_words[len(one.words) - 1]
            first_word.append(len(region_of_word))
            region_of_word += of_words.tolist()
            texts.append(text)
            items.append(item)
            conditions.append(name)
        places_of_all: dict[tuple[int, str], list[int]] = {}
        for (item, name, _), place in place_of.items():
            places_of_all.setdefault((item, name), []).append(place)
        is_predicted = np.zeros(len(numbers), dtype=bool)
        for item, condition, region in _predicted(construction):
            is_predicted[_places(place_of, places_of_all, item, condition, region)] = True
        sentences = Sentences(
            texts=texts,
            words=[tuple(text.split(" ")) for text in texts],
            set_of_sentence=np.array(items, dtype=np.int64),
            spans=np.zeros((len(texts), 2), dtype=np.int64),
            lemmas=[str(item.number) for item in construction.sets],
        )
        arrays = [np.array(one, np.int64) for one in (region_of_word, first_word, sentence_of_region, numbers)]
        of_items = np.full(sentences.n_sets, "", dtype=object), np.ones(len(texts), dtype=bool)
        return cls(construction, sentences, *of_items, conditions, *arrays, place_of, places_of_all, is_predicted)

    def scores(self, answers: Answers, numbers: np.ndarray) -> RegionSums:
        """Sums the answers up region by region."""
        n_regions = len(self.numbers)
        sentence, token = tokens_of(answers, numbers)
        word, last = (self.first_word[sentence] + of[token] for of in (answers.word_of_token, last_words(answers)))
        is_unknown = answers.is_unknown[token]
        is_uncovered = self.is_word & (_n_covering(word, last, len(self.region_of_word)) == 0)
        is_unknown = self.is_word & (_n_covering(word[is_unknown], last[is_unknown], len(self.region_of_word)) > 0)
        has_uncovered, has_unknown = (
            np.bincount(self.region_of_word[which], minlength=n_regions) > 0 for which in (is_uncovered, is_unknown)
        )
        region = self.region_of_word[word]
        token, region = token[region != NO_REGION], region[region != NO_REGION]
        bits = answers.log_probabilities[token].astype(np.float64) / -np.log(2)
        n_tokens = np.bincount(region, minlength=n_regions)
        sums = np.bincount(region, bits, minlength=n_regions)
        return RegionSums(
            surprisals=np.where((n_tokens == 0) & has_uncovered, np.nan, sums),
            n_tokens=n_tokens,
            has_unknown=has_unknown | has_uncovered,
            is_oov=has_unknown,
            refusals=np.array([*answers.refusals, ""], dtype=object)[numbers],
        )

    def is_unscored(self, scores: RegionSums) -> np.ndarray:
        return self.any_of_item(self.is_predicted & np.isnan(scores.surprisals))

    def scored(self, of_models: Sequence[RegionSums], models: Sequence[Model], rules: ScoringRules) -> ScoredRegions:
        left_out = self.left_out(of_models)
        has_unknown, is_oov = (
            np.any([self.any_of_item(self.is_predicted & of_model) for of_model in of_all], axis=0) & (left_out == "")
            for of_all in zip(*((scores.has_unknown, scores.is_oov) for scores in of_models), strict=True)
        )
        if rules.unknown_focus == "skipped":
            left_out[has_unknown] = UNKNOWN_REGION
        self.check_same_tokens(of_models, models, (left_out == "")[self.item_of_region])
        surprisals = np.stack([scores.surprisals for scores in of_models])
        margins = _margins(self, surprisals, left_out == "")
        left_out[np.isnan(margins).any(axis=(0, 1)) & (left_out == "")] = INFINITE
        margins[:, :, left_out != ""] = np.nan
        kept = _region_scores(self, left_out, models, surprisals, margins)
        return ScoredRegions(kept, is_oov, has_unknown, self.construction.n_bad_lines)

    @property
    def is_word(self) -> np.ndarray:
        """Says of the words and ends which are words of a region: bool `[words and ends]`."""
        is_word = self.region_of_word != NO_REGION
        is_word[self.first_word - 1] = False  # the ends; that of the last sentence is the last of all
        return is_word

    @property
    def item_of_region(self) -> np.ndarray:
        """int64 `[regions]`."""
        return self.sentences.set_of_sentence[self.sentence_of_region]

    def any_of_item(self, of_region: np.ndarray) -> np.ndarray:
        """Says of each item whether something is true of one of its regions: bool `[items]`."""
        return np.bincount(self.item_of_region[of_region], minlength=self.sentences.n_sets) > 0

    def sums(self, surprisals: np.ndarray, item: int, condition: str, region: int | None) -> np.ndarray:
        """Returns the surprisal of a region of an item, or of all of a condition: float64 `[models]`."""
        places = _places(self.place_of, self.places_of_all, item, condition, region)
        return surprisals[:, places].sum(axis=1)


def _predicted(construction: RegionConstruction) -> Iterator[tuple[int, str, int | None]]:
    for prediction in construction.predictions:
        for one in references(prediction.claim):
            for item in range(len(construction.sets)):
                yield item, one.condition, one.region


def _places(place_of: Mapping, places_of_all: Mapping, item: int, condition: str, region: int | None) -> Sequence[int]:
    return places_of_all[item, condition] if region is None else [place_of[item, condition, region]]


def _n_covering(firsts: np.ndarray, lasts: np.ndarray, n_words: int) -> np.ndarray:
    """Returns how many tokens cover each word: int64 `[words]`.

    Args:
        firsts, lasts: the first and the last word of each token: int64 `[tokens]`.
    """
    begin, end = (np.bincount(of, minlength=n_words + 1) for of in (firsts, lasts + 1))
    return np.cumsum(begin - end)[:n_words]


def _margins(one: RegionLayout, surprisals: np.ndarray, is_left: np.ndarray) -> np.ndarray:
    """Returns the margin of each prediction: float64 `[models, predictions, items]`, NaN where an item is left out."""
    predictions = one.construction.predictions
    margins = np.full((len(surprisals), len(predictions), len(is_left)), np.nan)
    for item in np.flatnonzero(is_left).tolist():
        sums = partial(one.sums, surprisals, item)
        for number, prediction in enumerate(predictions):
            margins[:, number, item] = margin(prediction.claim, sums)
    return margins


def _region_scores(
    one: RegionLayout, left_out: np.ndarray, models: Sequence[Model], surprisals: np.ndarray, margins: np.ndarray
) -> RegionScores:
    construction = one.construction
    return RegionScores(
        test=construction.name,
        numbers=np.array([item.number for item in construction.sets], dtype=np.int64),
        left_out=left_out.astype(str),
        sentences=np.array(one.sentences.texts, dtype=str),
        conditions=np.array(one.conditions, dtype=str),
        set_of_sentence=one.sentences.set_of_sentence,
        sentence_of_region=one.sentence_of_region,
        region_numbers=one.numbers,
        models=np.array([model.name for model in models]),
        surprisals=surprisals,
        predictions=np.array([prediction.text for prediction in construction.predictions], dtype=str),
        margins=margins,
    )
