"""What a public class has: its properties and methods in the order in which they are
defined, for the pages of the API.
"""

from functools import cached_property
from importlib import import_module
from inspect import isroutine


def members_of(module: str, name: str) -> dict[str, list[str]]:
    """Names of documented attributes, of methods and of bases, as far as `rivals` itself
    defines the members.
    """
    found: dict[str, list[str]] = {"attributes": [], "methods": []}
    documented = getattr(import_module(module), name)
    for cls in documented.__mro__:
        if not cls.__module__.startswith("rivals"):
            continue
        for member, value in vars(cls).items():
            if member.startswith("_") and member != "__call__":
                continue
            if isinstance(value, property | cached_property):
                found["attributes"].append(member)
            elif isroutine(value) or isinstance(value, classmethod | staticmethod):
                found["methods"].append(member)
    # Bases of our own are where some of the members live, not something that readers know.
    others = [base for base in documented.__bases__ if not base.__module__.startswith("rivals")]
    found["derived"] = [base.__name__ for base in others if base is not object]
    return {kind: list(dict.fromkeys(names)) for kind, names in found.items()}
