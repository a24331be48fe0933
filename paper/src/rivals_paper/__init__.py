"""Figures and tables of René & Longtin (2025), one module each: as published, and corrected."""

from rivals_paper._version import __version__

__all__ = ["__version__"]
