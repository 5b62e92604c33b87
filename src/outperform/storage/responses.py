"""Responses: what a fitted model answered of its test items, in few bytes, exact to the last bit.

Predicted labels are kept as codes of the classes of y, in the smallest integers. Everything else
is an array with its type, shape and order in memory, because a sum over rows may depend on that.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .contents import pack_one

KINDS = ("predict", "predict_proba", "decision_function")
"""Methods of a model whose answers can be kept; a store knows them by their position."""
LABELS, ARRAY = b"L", b"A"
SAMPLE = 1024
"""Bytes that are compressed to see whether compressing pays."""
PAYS = 0.8
PLAIN = (str, bool, int, float)

AnyArray = npt.NDArray[Any]


class Response(NamedTuple):
    """What one method of a model answered of the test items of a split."""

    values: AnyArray
    classes: AnyArray | None = None
    """The model's own classes, which columns of probabilities stand for."""


class KeptResponses(NamedTuple):
    """What is kept of the responses of one learner."""

    classes: AnyArray | None
    bodies: tuple[Mapping[int, bytes], ...]
    """Of each kind, by address."""

    def at(self, address: Sequence[int]) -> dict[int, Response]:
        """Return the responses of one fit, by kind."""
        key = pack_one(address)
        return {
            kind: decode_response(found[key], self.classes)
            for kind, found in enumerate(self.bodies)
            if key in found
        }


def classes_of(y: AnyArray) -> AnyArray | None:
    """Return the classes that labels are kept as codes of; None where y holds no plain labels."""
    if y.ndim != 1 or y.dtype.kind not in "biufUO":
        return None
    try:
        return np.unique(y)
    except TypeError:  # labels of several types have no order
        return None


def encode_response(response: Response, known: AnyArray | None) -> bytes | None:
    """Return a response as bytes; None where it is nothing that can be kept."""
    values = np.asarray(response.values)
    own = None
    if response.classes is not None:
        own = None if known is None else codes_of(known, np.asarray(response.classes))
        if own is None:
            return None
    elif known is not None and values.ndim == 1 and known.size < 2**16:
        codes = codes_of(known, values)
        if codes is not None:
            return _labels(codes, known, values.dtype)
    return encode_array(values, own)


def decode_response(blob: bytes, known: AnyArray | None) -> Response:
    if blob[:1] == LABELS:
        assert known is not None
        return Response(_read_labels(blob, known))
    values, own = decode_array(blob)
    return Response(values, None if own is None or known is None else known[own])


def codes_of(known: AnyArray, values: AnyArray) -> npt.NDArray[np.intp] | None:
    """Return the position of every label among those that are known; None if one is not."""
    if values.dtype.kind == "f" and known.dtype.kind == "f" and known.size > 256:
        return None  # measurements
    try:
        codes = np.searchsorted(known, values)
    except TypeError:
        return None
    codes[codes == known.size] = 0
    found = known[codes] == values
    return codes if isinstance(found, np.ndarray) and found.all() else None


def _labels(codes: npt.NDArray[np.intp], known: AnyArray, kind: np.dtype[Any]) -> bytes:
    """Return codes: a bit each for two classes, else the smallest integers."""
    width = 0 if known.size <= 2 else 1 if known.size <= 2**8 else 2
    text = b"" if kind == known.dtype else kind.str.encode("ascii")
    body = np.packbits(codes.astype(np.bool_)) if not width else codes.astype(f"<u{width}")
    head = bytes((width, len(text))) + text + codes.size.to_bytes(4, "little")
    return LABELS + head + body.tobytes()


def _read_labels(blob: bytes, known: AnyArray) -> AnyArray:
    width, length = blob[1], blob[2]
    text, at = blob[3 : 3 + length].decode("ascii"), 3 + length
    size, body = int.from_bytes(blob[at : at + 4], "little"), blob[at + 4 :]
    if width:
        codes = np.frombuffer(body, dtype=f"<u{width}")
    else:
        codes = np.unpackbits(np.frombuffer(body, np.uint8), count=size)
    labels = known[codes.astype(np.intp)]
    return labels.astype(np.dtype(text)) if text else labels


def encode_array(values: AnyArray, own: Any = None) -> bytes | None:
    """Return an array with all that its bits depend on; None for one of arbitrary objects."""
    about: dict[str, Any] = {"d": values.dtype.str, "s": values.shape}
    if own is not None:
        about["c"] = [int(code) for code in own]
    if values.dtype.kind in "OSVmM":
        cells = values.ravel().tolist()
        if values.dtype.kind != "O" or not all(type(cell) in PLAIN for cell in cells):
            return None
        body = json.dumps(cells).encode()
    else:
        flat = values
        if values.flags.f_contiguous and not values.flags.c_contiguous:
            about["o"], flat = "F", values.T
        body = np.ascontiguousarray(flat).tobytes()
    if len(body) > SAMPLE // 4:
        probe = body[:SAMPLE]
        if len(zlib.compress(probe, 1)) < PAYS * len(probe):
            about["z"], body = 1, zlib.compress(body, 1)
    head = json.dumps(about, separators=(",", ":")).encode()
    return ARRAY + len(head).to_bytes(4, "little") + head + body


def decode_array(blob: bytes) -> tuple[AnyArray, npt.NDArray[np.intp] | None]:
    """Return an array, and the codes that stand beside it if there are any."""
    end = 5 + int.from_bytes(blob[1:5], "little")
    about, body = json.loads(blob[5:end]), blob[end:]
    if about.get("z"):
        body = zlib.decompress(body)
    shape, kind = tuple(about["s"]), np.dtype(about["d"])
    if kind.kind == "O":
        values = np.empty(shape, dtype=object)
        values.reshape(-1)[:] = json.loads(body)
    elif about.get("o") == "F":
        values = np.frombuffer(body, dtype=kind).reshape(shape[::-1]).T
    else:
        values = np.frombuffer(body, dtype=kind).reshape(shape)
    own = about.get("c")
    return values, None if own is None else np.array(own, dtype=np.intp)


def rankings(
    answers: Sequence[Mapping[int, Response]], n: int, test: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64] | None:
    """Return by what models of two classes rank n items, NaN for those not tested.

    None where something else was kept. Decision values come first, as in scikit-learn's scorers.
    """
    ranked = np.full((len(answers), n), np.nan)
    for row, kept in zip(ranked, answers, strict=True):
        found = kept.get(2) or kept.get(1)
        if found is None or (found.classes is not None and found.classes.size != 2):
            return None
        values = found.values[:, 1] if found.values.ndim == 2 else found.values
        if values.shape != test.shape:
            return None
        row[test] = values
    return ranked


def encode_truth(y: AnyArray) -> bytes | None:
    """Return targets as bytes: numbers as they are, other labels as codes beside their classes."""
    if y.dtype.kind in "biuf":
        return encode_array(y)
    known = classes_of(y)
    codes = None if known is None else codes_of(known, y)
    if known is None or codes is None:
        return None
    head = encode_array(known)
    if head is None:
        return None
    width = next(width for width in (1, 2, 4) if known.size <= 1 << 8 * width)
    body = encode_array(codes.astype(f"<u{width}"))
    assert body is not None
    return LABELS + len(head).to_bytes(4, "little") + head + body


def decode_truth(blob: bytes) -> AnyArray:
    if blob[:1] == ARRAY:
        return decode_array(blob)[0]
    end = 5 + int.from_bytes(blob[1:5], "little")
    known, codes = decode_array(blob[5:end])[0], decode_array(blob[end:])[0]
    labels: AnyArray = known[codes.astype(np.intp)]
    return labels
