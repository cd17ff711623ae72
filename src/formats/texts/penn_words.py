"""Words as in the Penn Treebank: `did n't`, quotation marks as two backquotes or two apostrophes.

The rules are those that the treebank's annotators published as a stream editor's script (MacIntyre 1995), which
SentEval applies to MR, CR, SUBJ and MPQA: one sentence a line, so that only a full stop at the end is a word.
"""

import re

_SPACED = " {} ".format
# In this order: each rule sees what those before it have made.
_BEFORE_PADDING = (
    (r'^"', "`` "),
    (r'([ (\[{<])"', r"\1 `` "),
    (r"\.\.\.", _SPACED("...")),
    (r"[,;:@#$%&]", r" \g<0> "),
    (r"([^.])\.([\])}>\"']*) *$", r"\1 .\2 "),
    (r"[?!]", r" \g<0> "),
    (r"[\[\](){}<>]", r" \g<0> "),
    (r"--", _SPACED("--")),
)
_AFTER_PADDING = (
    (r'"', " '' "),
    (r"([^'])' ", r"\1 ' "),
    (r"'([sSmMdD]) ", r" '\1 "),
    (r"('ll|'re|'ve|n't|'LL|'RE|'VE|N'T) ", r" \1 "),
    (r" ([Cc])annot ", r" \1an not "),
    (r" ([Dd])'ye ", r" \1' ye "),
    (r" ([Gg])imme ", r" \1im me "),
    (r" ([Gg])onna ", r" \1on na "),
    (r" ([Gg])otta ", r" \1ot ta "),
    (r" ([Ll])emme ", r" \1em me "),
    (r" ([Mm])ore'n ", r" \1ore 'n "),
    (r" '([Tt])(is|was) ", r" '\1 \2 "),
    (r" ([Ww])anna ", r" \1an na "),
)
_RULES = tuple(
    tuple((re.compile(pattern), replacement) for pattern, replacement in rules)
    for rules in (_BEFORE_PADDING, _AFTER_PADDING)
)


def penn_words(sentence: str) -> tuple[str, ...]:
    """Cuts a sentence into the words of the Penn Treebank; words end at blanks alone.

    >>> penn_words('He said, "I can\\'t."')
    ('He', 'said', ',', '``', 'I', 'ca', "n't", '.', "''")
    """
    before, after = _RULES
    padded = f" {_rewritten(sentence, before)} "
    return tuple(word for word in _rewritten(padded, after).split(" ") if word)


def _rewritten(text: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text
