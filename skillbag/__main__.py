"""`python -m skillbag`."""

from skillbag.cli import main

if __name__ == "__main__":
    main()
