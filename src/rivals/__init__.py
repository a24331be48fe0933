"""Which of several fitted models would still be worth keeping if the experiment were repeated?"""

from rivals._version import __version__

__all__ = ["__version__"]
