"""The command line: the same names and defaults as the library. It needs the extra `cli`."""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command `rivals`, or say what to install for it."""
    # Libraries write to a stream that the shell may have closed (`2>&-`), even as they load.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    try:
        import typer  # noqa: F401
    except ImportError as error:
        sentence = f"the command `rivals`: the package {error.name!r} is not installed"
        print(f'rivals: {sentence}; pip install "rivals[cli]"', file=sys.stderr)
        raise SystemExit(2) from None
    from rivals.cli.app import main as run

    run()
