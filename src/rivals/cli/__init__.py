"""The command line: the same names and defaults as the library."""

from rivals.cli.app import app, main

__all__ = ["app", "main"]
