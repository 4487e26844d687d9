"""What the acceptance tests share: postal as it is installed, away from the checkout."""

import pytest

from tests.acceptance.installed import Installed, install


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return the command of a built wheel."""
    return install(tmp_path_factory.mktemp("installed"))
