"""Options in texts: marked where a text is made, named in the words of whoever reads it.

`f"pass {opt.groups}, the group of each point"` reads "pass groups=, …" in Python, and "pass
--groups, …" on the command line. Both forms stand in the mark: what was put into a text beside it,
such as the name of a model, is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

MARK = re.compile("\x02([^\x03]*)\x1f([^\x03]*)\x03")


def either(python: str, command: str) -> str:
    """One text for Python, another for the command line."""
    return f"\x02{python}\x1f{command}\x03"


def in_python(text: str) -> str:
    """As a Python program reads it.

    Examples
    --------
    >>> in_python(f"model 'k=5': pass {opt.new_groups(1)}")
    "model 'k=5': pass new_groups=1"
    """
    return MARK.sub(r"\1", text)


def in_command(text: str) -> str:
    """As the command line reads it."""
    return MARK.sub(r"\2", text)


def options_in(text: str) -> tuple[str, ...]:
    """The options of the command line that a text marks, in their order.

    Examples
    --------
    >>> options_in(f"model '--x': pass {opt.groups}, or {opt.new_groups(1)}")
    ('--groups', '--new-groups')
    """
    commands = [command for _, command in MARK.findall(text)]
    return tuple(dict.fromkeys(each.split()[0] for each in commands if each.startswith("--")))


class Option:
    """One option; called, with a value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return either(f"{self.name}=", _dashed(self.name))

    def __call__(self, value: Any) -> str:
        """With a value, as "left_out=True" and "--left-out"."""
        if value is True:
            return either(f"{self.name}=True", _dashed(self.name))
        if isinstance(value, str) or not isinstance(value, Iterable):
            return either(f"{self.name}={value!r}", f"{_dashed(self.name)} {value}")
        names = list(value)
        return either(f"{self.name}={names!r}", f"{_dashed(self.name)} {','.join(map(str, names))}")


class _Options:
    def __getattr__(self, name: str) -> Option:
        return Option(name)

    def __getitem__(self, name: str) -> str:
        """Its name alone, before "must be …"."""
        return either(name, _dashed(name))


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


opt = _Options()


class Marked(Exception):
    """An error whose text is read in the words of Python, or by `text_of` in others."""

    def __init__(self, text: str) -> None:
        super().__init__(in_python(text))
        self.text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text,)


class Refusal(Marked, ValueError):
    """A value that cannot be used, and what to do."""


class WrongKind(Marked, TypeError):
    """Something of a kind that cannot be used, and what to do."""


def text_of(error: object) -> str:
    """The text with its marks, for whoever tells it on."""
    return str(getattr(error, "text", error))


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Errors say whose they are."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = WrongKind if isinstance(error, TypeError) else Refusal
        raise kind(f"{who}: {text_of(error)}") from error
