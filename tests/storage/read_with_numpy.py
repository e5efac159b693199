"""Runs the code of docs/file_format.md on the golden model. Exit code 77: there is no numpy."""

import json
import pathlib
import re
import sys

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no numpy")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"


def golden_rows():
    """rows[layer, group] after each layer; layer -1 is the input."""
    rows = {}
    for line in (GOLDEN / "model_v1.txt").read_text().splitlines():
        layer, group, *values = line.split()
        rows[int(layer), int(group)] = np.array(values, float).reshape(3, 3)
    return rows


def main():
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/file_format.md").read_text(), re.S)
    assert len(code) == 2, len(code)
    assert len(code[0].strip().splitlines()) <= 12, "the reader has grown"
    names = {}
    for part in code:
        exec(part, names)
    metadata, arrays = names["read_model"](GOLDEN / "model_v1.conflux")
    assert metadata["format"] == "conflux" and metadata["format_version"] == "1"
    assert json.loads(metadata["features"]) == ["x", "y", "z"]
    assert json.loads(metadata["options"])["method"] == metadata["method"] == "inb"
    assert arrays["layer.1.matrix"].shape == (3, 3, 3)
    product = arrays["layer.1.matrix"] @ arrays["layer.1.inverse"]
    assert np.allclose(product, np.eye(3), atol=1e-9)

    rows = golden_rows()
    sliced = [
        l
        for l, layer in enumerate(json.loads(metadata["layers"]))
        if layer == {"kind": "sliced", "maps": "quantile"}
    ]
    assert len(sliced) == 2, sliced
    for l in sliced:
        for m in range(3):
            moved = names["forward_sliced"](arrays, l, m, rows[l - 1, m])
            assert np.allclose(moved, rows[l, m], rtol=1e-12, atol=1e-10), (l, m)
    print(f"numpy {np.__version__} reads {len(arrays)} arrays and moves rows to the same places")


if __name__ == "__main__":
    main()
