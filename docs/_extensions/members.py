"""What a public class has: its properties and methods in the order in which they are defined, for the pages of the API."""

from functools import cached_property
from importlib import import_module
from inspect import isroutine


def members_of(module: str, name: str) -> dict[str, list[str]]:
    """Names of documented attributes and of methods, those that `rivals` itself defines."""
    found: dict[str, list[str]] = {"attributes": [], "methods": []}
    for cls in getattr(import_module(module), name).__mro__:
        if not cls.__module__.startswith("rivals"):
            continue
        for member, value in vars(cls).items():
            if member.startswith("_") and member != "__call__":
                continue
            if isinstance(value, property | cached_property):
                found["attributes"].append(member)
            elif isroutine(value) or isinstance(value, classmethod | staticmethod):
                found["methods"].append(member)
    return {kind: list(dict.fromkeys(names)) for kind, names in found.items()}
