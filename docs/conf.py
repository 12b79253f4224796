"""Configuration of the documentation site (``make docs``)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import caplens

project = "caplens"
author = "The caplens developers"
copyright = "the caplens developers"  # noqa: A001 (Sphinx names it)
version = release = caplens.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "site_pages",  # from here on: docs/_ext
    "site_links",
    "site_math",
]
exclude_patterns = ["_build", "_ext", "_notes", "README.md", "**.ipynb_checkpoints"]
nitpicky = False
smartquotes = False  # options keep their two hyphens
suppress_warnings = ["mystnb.unknown_mime_type"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4
# Notebooks are committed with their outputs; the tests run them again.
nb_execution_mode = "off"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = f"caplens {version}"
html_static_path = ["_static"]
html_logo = "figures/logo.svg"
html_favicon = "figures/logo.svg"
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
highlight_language = "none"  # what commands print is no program; code says which language it is in
pygments_dark_style = "monokai"
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
