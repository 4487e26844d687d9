"""What all tests share: a clean environment, so that a GM's own settings never reach them."""

import os

import pytest
from hypothesis import settings

# No test is timed; CI tries the same examples each time, so that it fails for a change alone.
settings.register_profile("postal", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "postal")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every POSTAL_ variable out of the environment."""
    for name in [name for name in os.environ if name.startswith("POSTAL_")]:
        monkeypatch.delenv(name)
