"""Names and lists for sentences, safe to print."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_SHOWN = 20_000
LONGEST_NOUN = 24
LONGEST_ACRONYM = 3
# Of the message of another library: its beginning, and its end, where mostly the remedy stands.
BEGINNING = 400
END = 200
# Names of columns that do not say what their groups are.
NO_NOUNS = ("groups", "group", "label", "labels", "index", "none", "cluster", "value", "values")
# Last words of a column that holds names or numbers of things: "school_id" is of schools.
OF_LABELS = ("id", "ids", "name", "no", "nr", "num", "number", "code", "label", "key")
# Several of a thing, where no letter says so.
IRREGULAR = {
    "child": "children",
    "person": "people",
    "man": "men",
    "woman": "women",
    "mouse": "mice",
    "species": "species",
    "series": "series",
    "analysis": "analyses",
}
SINGULAR = {several: one for one, several in IRREGULAR.items()}


def show(name: object) -> str:
    """A name made safe for a terminal and for messages.

    Control characters, escapes and newlines are spelled out. Of text longer than any name, as a
    damaged file may hold, only the beginning is shown.
    """
    text = str(name)
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]}… ({len(text)} characters)"
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def in_short(message: str) -> str:
    """The message of another library, in one line, without the data that it may hold.

    Examples
    --------
    >>> in_short("Expected 2D array,\\n got 1D")
    'Expected 2D array, got 1D'
    >>> len(in_short("0.123 " * 1000))
    603
    """
    text = " ".join(message.split())
    if len(text) <= BEGINNING + END:
        return text
    return f"{text[:BEGINNING]} … {text[-END:]}"


def two_digits(value: float) -> str:
    """Two significant digits, without an exponent where people would write none.

    Examples
    --------
    >>> two_digits(0.0123), two_digits(168.0), two_digits(1.23e9)
    ('0.012', '170', '1.2e+09')
    """
    return f"{float(f'{value:.2g}'):g}"


def probability_text(probability: float) -> str:
    """Three decimals, but never a claim of certainty.

    Examples
    --------
    >>> probability_text(0.98), probability_text(0.99999)
    ('0.980', '> .999')
    """
    if probability < 0.0005:
        return "< .001"
    if probability > 0.9995:
        return "> .999"
    return f"{probability:.3f}"


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names for a sentence, cut short if there are many.

    Examples
    --------
    >>> listed(["A", "B", "C", "D"], most=2)
    'A, B and 2 more'
    """
    shown = ", ".join(map(show, names[:most]))
    n_others = len(names) - most
    return f"{shown} and {n_others} more" if n_others > 0 else shown


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Parts of a sentence, the last two with "and", or another word.

    Examples
    --------
    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def noun_of(column: object, default: str) -> str:
    """What one of the things in a column is called, from its name; the default if that is no word.

    Examples
    --------
    >>> noun_of("School", "group"), noun_of("patient_id", "group"), noun_of("x17", "group")
    ('school', 'patient', 'group')
    >>> noun_of("schoolNR", "group"), noun_of("children", "group"), noun_of("years", "group")
    ('school', 'child', 'year')
    """
    # "schoolNR" and "SchoolName" are two words.
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(column)).replace("_", " ").split()
    if len(words) > 1 and words[-1].lower() in OF_LABELS:
        words = words[:-1]
    if words:
        words[-1] = _singular(words[-1])
    noun = " ".join(words)
    is_word = all(word.isalpha() for word in words) and 2 < len(noun) <= LONGEST_NOUN
    if not is_word or noun.lower() in NO_NOUNS:
        return default
    is_acronym = noun.isupper() and len(noun) <= LONGEST_ACRONYM
    return noun if is_acronym else noun.lower()


def _singular(noun: str) -> str:
    """One of the things that a column is called after, where its name says several."""
    small = noun.lower()
    if small in SINGULAR:
        return SINGULAR[small]
    if len(small) < 5 or not small.endswith("s") or small.endswith(("ss", "us", "is", "as")):
        return noun
    if small.endswith("ies"):
        return f"{noun[:-3]}y"
    if small.endswith(("sses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1]


def plural(noun: str) -> str:
    """Several of them.

    Examples
    --------
    >>> plural("school"), plural("study"), plural("class"), plural("day"), plural("child")
    ('schools', 'studies', 'classes', 'days', 'children')
    """
    before, space, last = noun.rpartition(" ")
    if last in IRREGULAR:
        return f"{before}{space}{IRREGULAR[last]}"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def shortened(text: str, longest: int) -> str:
    """Text cut in the middle: names of variants often differ only at their end.

    Examples
    --------
    >>> shortened("gradient boosting, depth 12", 15)
    'gradien…epth 12'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return text[: longest - 1 - tail] + "…" + text[len(text) - tail :]


def all_shortened(texts: Sequence[str], longest: int) -> list[str]:
    """Texts cut alike, to no less than what keeps them apart.

    Examples
    --------
    >>> all_shortened(["boosting, depth 1, rate 0.1", "boosting, depth 2, rate 0.1"], 12)
    ['boosting, d…1, rate 0.1', 'boosting, d…2, rate 0.1']
    """
    different = len(set(texts))
    for length in range(longest, max(map(len, texts), default=0) + 1):
        if len({shortened(text, length) for text in texts}) == different:
            return [shortened(text, length) for text in texts]
    return list(texts)


def told_apart(values: Sequence[float]) -> dict[float, str]:
    """Each number as text, with as many digits, three at least, as tell all of them apart.

    Examples
    --------
    >>> list(told_apart([2**-10, 1.0]).values()), list(told_apart([1.0, 1.00001]).values())
    (['0.000977', '1'], ['1', '1.00001'])
    """
    for digits in range(3, 17):
        texts = {value: f"{value:.{digits}g}" for value in values}
        if len(set(texts.values())) == len(texts):
            return texts
    return {value: f"{value:.17g}" for value in values}
