"""One self-contained interactive HTML page about a comparison."""

from rivals.report.page import write_report

__all__ = ["write_report"]
