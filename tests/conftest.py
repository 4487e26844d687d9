"""What all tests share: a clean environment, so that a GM's own settings never reach them."""

import os

import pytest


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every POSTAL_ variable out of the environment."""
    for name in [name for name in os.environ if name.startswith("POSTAL_")]:
        monkeypatch.delenv(name)
