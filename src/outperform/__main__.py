"""`python -m outperform` is the command line."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working folder, from which the installed program imports nothing

    from .cli import main

    main()
