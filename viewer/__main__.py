"""`python -m viewer` is `claude-view`."""

from viewer.cli import main

if __name__ == "__main__":
    main()
