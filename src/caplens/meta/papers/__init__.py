"""Every table and figure of five papers: what regenerates it, and ours beside the published figures.

One module per paper declares them; `page` writes them down from the outcomes of studies.
"""
