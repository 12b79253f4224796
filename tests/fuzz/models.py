"""Files of arrays, vectors, frequencies and features, spoilt; half of them with a right checksum."""

from __future__ import annotations

import io
import struct
import zipfile
from functools import cache

import numpy as np

from caplens.api.frequencies import build_frequencies
from caplens.embeddings import library
from caplens.embeddings.importing import import_vectors
from caplens.files.arrays import read_arrays, write_arrays
from caplens.learned.composite import feedforward
from caplens.learned.critique import model
from caplens.learned.critique.image_features import read_image_features
from caplens.metrics.cider import document_frequencies
from caplens.text._tables import BytesTable
from tests.fuzz.mutations import spoil


def run(source, folder):
    """Make a model, spoil it, and use it."""
    return source.choice(TARGETS)(source, folder)


def vectors_file(source):
    words, numbers = [b"dog", b"cat", "straße".encode()], np.array([[1, 2], [3, 4], [5, 6]], "<f4")
    kind = source.randrange(4)
    if kind == 0:
        return b"".join(word + b" 0.5 1e-3\n" for word in words)
    if kind == 1:
        return b"3 2\n" + b"".join(word + b" 0.5 -2\n" for word in words)
    if kind == 2:
        return b"3 2\n" + b"".join(word + b" " + row.tobytes() for word, row in zip(words, numbers, strict=True))
    head = struct.pack("<ii12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 1, 1, 4, 2, 4, 100, 1e-4)
    head += struct.pack("<iiiqq", 3, 3, 0, 100, -1) + b"".join(
        word + b"\0" + struct.pack("<qb", 1, 0) for word in words
    )
    return head + struct.pack("<?qq", False, 7, 2) + np.ones((7, 2), "<f4").tobytes()


def import_spoilt(source, folder):
    path = folder / "vectors.txt"
    path.write_bytes(spoil(source, vectors_file(source)))
    import_vectors(path, name="fuzzed", half=source.random() < 0.5, limit=source.choice([None, 1, 2]))
    return use_table("fuzzed")


def use_table(name):
    library._stored.cache_clear()
    words = BytesTable()
    words.insert_all([b"dog", b"cat", b"zebra", b"x" * 300])
    found = library.load(name).look_up(words, subwords=True)
    assert np.isfinite(found.vectors).all()
    return "used"


def stored_table(source, folder):
    path = folder / "good.txt"
    path.write_bytes(b"dog 1 2\ncat 3 4\n")
    import_vectors(path, name="stored")
    tables = library.directory()
    target = source.choice(sorted(file for file in tables.iterdir() if file.name.startswith("stored")))
    if target.suffix == ".safetensors" and source.random() < 0.6:
        rewrite(source, target)
    else:
        target.write_bytes(spoil(source, target.read_bytes(), 2))
    return use_table("stored")


def rewrite(source, path):
    """Change arrays or facts and give the file a right checksum."""
    found = read_arrays(path)
    arrays = {name: np.array(array) for name, array in found.items()}
    facts = dict(found.facts)
    name = source.choice(list(arrays))
    array = arrays[name]
    kind = source.randrange(5)
    if kind == 0:
        del arrays[name]
    elif kind == 1 and array.size:
        flat = array.reshape(-1)
        flat[source.randrange(flat.size)] = source.choice(
            [0, 1, 127, flat.dtype.type(-1) if flat.dtype.kind == "i" else 3]
        )
        if flat.dtype.kind == "f":
            flat[source.randrange(flat.size)] = source.choice([np.nan, np.inf, 65504.0])
    elif kind == 2:
        arrays[name] = array[: source.randint(0, len(array))] if array.ndim else array
    elif kind == 3:
        arrays[name] = array.astype(source.choice([np.uint8, np.int64, np.float32])).reshape(-1)
    else:
        fact = source.choice(list(facts) or ["x"])
        facts[fact] = source.choice(["", "-1", "0", "99999999999", "nan", "x", "../x"])
    write_arrays(path, arrays, facts)


@cache
def shipped_weights():
    return (model.SHIPPED / model.WEIGHTS).read_bytes(), (model.SHIPPED / model.CONFIG).read_bytes()


def critique(source, folder):
    place = folder / "critique"
    place.mkdir(exist_ok=True)
    weights, config = shipped_weights()
    (place / model.WEIGHTS).write_bytes(weights)
    (place / model.CONFIG).write_bytes(spoil(source, config, 2) if source.random() < 0.3 else config)
    if source.random() < 0.5:
        rewrite(source, place / model.WEIGHTS)
    model._load.cache_clear()
    loaded = model.load(str(place))
    vectors = loaded.encode([["a", "dog"], []])
    judged = loaded.judge(vectors, np.array([0, 1]), references=(vectors, np.array([1, 0])))
    assert np.isfinite(judged).all()
    return "used"


def composite(source, folder):
    path = folder / "network.safetensors"
    good = feedforward.FeedForward(np.zeros(2), np.ones(2), ((np.ones((1, 2, 1)), np.zeros((1, 1))),), "tanh")
    good.save(path)
    rewrite(source, path)
    network = feedforward.load(path)
    network(np.zeros((3, network.inputs)))
    return "used"


def arrays_file(source, folder):
    path = folder / "arrays.safetensors"
    write_arrays(path, {"numbers": np.arange(20), "text": np.zeros((2, 3), np.float32)}, {"version": "1"})
    path.write_bytes(spoil(source, path.read_bytes(), 3))
    read_arrays(path)
    return "read"


def frequencies(source, folder):
    path = folder / "df.parquet"
    build_frequencies([["a dog", "a dog runs"], ["a dog"]], path)
    path.write_bytes(spoil(source, path.read_bytes(), 3))
    document_frequencies.load(path)
    return "read"


def features(source, folder):
    buffer = io.BytesIO()
    arrays = {"ids": np.array(["1", "2"]), "features": np.ones((2, 3), np.float32)}
    if source.random() < 0.5:
        np.savez(buffer, **arrays)
        path = folder / "features.npz"
        data = buffer.getvalue()
        if source.random() < 0.5:  # spoil what is inside, under a right checksum
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as archive:
                for name, content in members.items():
                    archive.writestr(name, spoil(source, content, 2))
            data = buffer.getvalue()
        else:
            data = spoil(source, data, 3)
    else:
        np.save(buffer, arrays["features"])
        path = folder / "features.npy"
        path.with_suffix(".txt").write_text("1 2")
        data = spoil(source, buffer.getvalue(), 3)
    path.write_bytes(data)
    found = read_image_features(path)
    assert np.isfinite(found.vectors).all()
    return "read"


TARGETS = [
    import_spoilt,
    stored_table,
    critique,
    composite,
    arrays_file,
    frequencies,
    features,
    import_spoilt,
    features,
]
