"""The command line: the same names and defaults as the library. It needs the extra `cli`."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command `rivals`, or say what to install for it."""
    try:
        import typer  # noqa: F401
    except ImportError as error:
        sentence = f"the command `rivals`: the package {error.name!r} is not installed"
        print(f'rivals: {sentence}; pip install "rivals[cli]"', file=sys.stderr)
        raise SystemExit(2) from None
    from rivals.cli.app import main as run

    run()
