"""Sets of human judgments: one small file a set.

A new set is a new module with a class like those here (`name`, `title`, `presets`, `load`; derived from `CaptionStudy`,
`PairStudy` or `SystemStudy`), and one line in `caplens.meta.registry`.
"""
