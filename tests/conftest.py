"""What all tests share."""

from hypothesis import settings

# How long an example takes depends on who else is on the machine; speed is measured in benchmarks/.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
