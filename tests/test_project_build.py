"""What is built and installed: a source archive and a wheel that is whole by itself."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from postal import __version__, resources

ROOT = Path(__file__).parents[1]
NAMES = ("games", "templates", "config.example.toml")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source archive, and the wheel that was built from that."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def files_under(folder: Path) -> set[str]:
    """Return the files that come with postal, relative to their home, a checkout's or a wheel's."""
    found = [path for name in NAMES for path in [folder / name, *(folder / name).rglob("*")]]
    return {str(path.relative_to(folder)) for path in found if path.is_file()}


@pytest.mark.slow
def test_the_wheel_holds_games_templates_and_the_example(built: Path) -> None:
    """All that a checkout has beside the package is under postal/_data."""
    (wheel,) = built.glob(f"postal_anaconda-{__version__}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = files_under(ROOT)
    assert "games/smith.toml" in wanted
    assert {f"postal/_data/{name}" for name in wanted} <= names
    assert "postal/py.typed" in names
    assert not any(name.startswith("tests/") for name in names)


@pytest.mark.slow
def test_the_source_archive_holds_what_building_needs(built: Path) -> None:
    """With the licence and the readme."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "games/smith.toml"} <= names


@pytest.mark.slow
def test_an_installed_copy_finds_its_own_files(built: Path, tmp_path: Path) -> None:
    """Unpacked away from the checkout it needs nothing of that."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "from postal.resources import *; print(games_folder(), example_config(), sep='\\n')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    games, example = map(Path, done.stdout.split())
    assert games == tmp_path / "postal" / "_data" / "games"
    assert (games / "smith.toml").is_file()
    assert example.read_bytes() == (ROOT / "config.example.toml").read_bytes()


def test_a_checkout_finds_its_own_files() -> None:
    """Beside the package."""
    assert resources.games_folder() == ROOT / "games"
    assert resources.templates_folder() == ROOT / "templates"
    assert resources.example_config() == ROOT / "config.example.toml"


def test_the_gms_own_folders_come_first(tmp_path: Path) -> None:
    """So that a file of his stands in for postal's."""
    assert resources.games_path(tmp_path) == [tmp_path / "games", ROOT / "games"]
    assert resources.templates_path(tmp_path) == [tmp_path / "templates", ROOT / "templates"]
