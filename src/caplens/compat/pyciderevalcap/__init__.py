"""The names of ``pyciderevalcap`` (ruotianluo/cider): CIDEr and CIDEr-D with document frequencies from a file.

The reward of self-critical training: ``CiderD(df="coco-train-idxs")`` reads ``data/coco-train-idxs.p`` and scores
batches of captions, also of word numbers (``"12 7 40 0"``).
"""
