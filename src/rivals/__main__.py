"""`python -m rivals`, where the command `rivals` is not on the path."""

from rivals.cli import main

if __name__ == "__main__":
    main()
