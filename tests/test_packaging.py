"""What is handed to users as a package agrees with pyproject.toml, in one version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jinja2
import pytest
import yaml

import partita

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def recipe():
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(jinja2.Template(text, undefined=jinja2.StrictUndefined).render(PYTHON="python"))


def test_the_recipe_for_conda_needs_what_the_package_needs(recipe):
    wanted = [f"python {PROJECT['requires-python']}"]
    wanted += [re.sub("(?=>=)", " ", one) for one in PROJECT["dependencies"]]
    # on conda, matplotlib without a window system is a package of its own
    assert recipe["requirements"]["run"] == [one.replace("matplotlib ", "matplotlib-base ") for one in wanted]
    (command,) = PROJECT["scripts"].items()
    assert recipe["build"]["entry_points"] == [" = ".join(command)]


def test_one_version_everywhere(recipe):
    assert recipe["package"]["version"] == partita.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == partita.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == partita.__version__


def test_the_promised_pythons_begin_where_the_package_does():
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert promised == sorted(promised, key=lambda version: int(version.partition(".")[2]))
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in promised


def test_lowest_versions_are_pins_of_every_requirement():
    script = ROOT / "packaging" / "lowest.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    pins = dict(line.split("==") for line in done.stdout.splitlines())
    assert {one.partition(">=")[0] for one in PROJECT["dependencies"]} <= pins.keys()
    assert {"pyarrow", "openpyxl", "dask"} <= pins.keys()
    assert pins["numpy"] == "2.2"


def test_nothing_that_is_installed_by_names_a_host():
    held = [
        ROOT / "constraints.txt",
        ROOT / "pyproject.toml",
        ROOT / "Makefile",
        *(ROOT / "packaging").rglob("*"),
    ]
    held += [*(ROOT / ".ci").iterdir()]
    for path in held:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "://" not in text, path
            assert not re.search(r"--(extra-)?index-url", text), path
