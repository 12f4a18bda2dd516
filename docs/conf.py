"""How the site is built: `make docs`. Nothing is fetched, and every example is run."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

# Two pages are read at once, beside other work: threads of BLAS and OpenMP would only wait for one another
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import partita  # noqa: E402

# pages are run in processes of their own, which take partita from where this one has it
SOURCE = str(Path(partita.__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join([SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["COLUMNS"] = "100"  # printed tables fit the page
os.environ["PARTITA_DOCS"] = str(HERE)  # where pages find recorded values
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")

project = "partita"
author = "the partita developers"
copyright = f"2026, {author}"
release = version = partita.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "mathml",
    "docstrings",
    "terminal",
    "catalogue",
    "audit",
]
exclude_patterns = ["_build", "_ext", "_templates", "jupyter_execute"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [
    # bases and types that live in scikit-learn, NumPy and Python: their sites are not fetched
    ("py:.*", r"(sklearn|numpy|np|pandas|enum|collections|typing)\..*"),
]

autosummary_generate = True
autodoc_typehints = "none"  # types stand in the docstrings, in words
autodoc_member_order = "bysource"
autodoc_default_options = {
    "inherited-members": "BaseEstimator,ClusterMixin,TransformerMixin,BaseException,Exception,"
    "Enum,StrEnum,str",
    "exclude-members": "set_fit_request,set_predict_request,set_score_request,set_transform_request,"
    "get_metadata_routing,add_note,with_traceback",
}
numpydoc_show_class_members = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "text/html", 5), ("html", "image/svg+xml", 4)]

html_theme = "pydata_sphinx_theme"
html_title = "partita"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
html_sidebars = {
    page: [] for page in ("index", "changelog", "contributing", "catalogue/index", "api/index", "audit/index")
}
