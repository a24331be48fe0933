"""One self-contained interactive page about a comparison."""

from rivals.report._page import write

__all__ = ["write"]
