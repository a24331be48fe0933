"""Values as people write them on the command line."""

from __future__ import annotations


def parse_c(texts: list[str]) -> list[float]:
    """Values of c.

    Examples
    --------
    >>> parse_c(["2^-2, 0.5", "2**3"])
    [0.25, 0.5, 8.0]
    """
    values = []
    for text in ",".join(texts).split(","):
        base, _, exponent = text.strip().replace("**", "^").partition("^")
        try:
            values.append(float(base) ** float(exponent) if exponent else float(base))
        except (ValueError, OverflowError, ZeroDivisionError):
            raise ValueError(f"--c is not a number: got {text.strip()!r}; write 0.25 or 2^-2") from None
    return values
