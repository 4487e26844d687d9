"""The option that has golden conversations written anew: ``make golden``."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--write-golden",
        action="store_true",
        help="write what golden conversations come to, instead of comparing",
    )
