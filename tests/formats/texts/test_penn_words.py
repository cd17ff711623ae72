"""Words as in the Penn Treebank; expected values as `sed -f tokenizer.sed` gives them."""

import pytest

from polyprobe.formats.reading.tokenised import penn_words

CASES = {
    "it didn't work .": "it did n't work .",
    'he said , "why ?"': "he said , `` why ? ''",
    '("so," she said)': "( `` so , '' she said )",
    "wait...what": "wait ... what",
    "the u.s. economy is o.k.": "the u.s. economy is o.k .",
    'the end.")': "the end . '' )",
    "we'll say they're here, I'd go": "we 'll say they 're here , I 'd go",
    "the dogs' bowl": "the dogs ' bowl",
    "it's 5% @home #1 $3": "it 's 5 % @ home # 1 $ 3",
    "I cannot; gimme -- 'tis more'n": "I can not ; gim me -- 't is more 'n",
    "rock--n--roll": "rock -- n -- roll",
    "no-break\u00a0space": "no-break\u00a0space",
    "": "",
}


@pytest.mark.parametrize("sentence", CASES)
def test_words_are_cut_as_in_the_treebank(sentence):
    assert " ".join(penn_words(sentence)) == CASES[sentence]
