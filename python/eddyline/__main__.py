"""`python -m eddyline`: the command."""

import sys

from eddyline.cli import main

sys.exit(main())
