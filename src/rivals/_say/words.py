"""Names and lists for sentences, safe to print."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST_SHOWN = 20_000


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
