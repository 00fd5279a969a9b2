"""What all tests share."""

import os

from hypothesis import settings

# How long an example takes depends on who else is on the machine; speed is measured in benchmarks/. `make test` tries
# the same examples every time, so that a change is what breaks it; `make soak` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
