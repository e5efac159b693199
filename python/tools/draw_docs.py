"""Draws the pictures of docs/python.md.

    build/venv/bin/python python/tools/draw_docs.py DATA docs/images

DATA holds the folders pbmc3500, compas, mnist_usps and cccma_climate.
"""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import batch_effect  # noqa: E402
import climate_bias  # noqa: E402
import fair_representation  # noqa: E402
import translate_digits  # noqa: E402
from PIL import Image  # noqa: E402

from conflux import INB, NB, FitWarning, datasets, plot  # noqa: E402


def main(data, images):
    warnings.simplefilter("ignore", FitWarning)
    for example, folder, name in [
        (batch_effect, "pbmc3500", "python_batch_effect.png"),
        (fair_representation, "compas", "python_fair_representation.png"),
        (translate_digits, "mnist_usps", "python_translations.png"),
        (climate_bias, "cccma_climate", "python_climate_bias.png"),
    ]:
        print(f"== {example.__name__}")
        example.main(data / folder, images / name)
    X, groups = datasets.make_gaussians(1000)
    inb = INB().fit(X, groups)
    plot.pairs(X, inb.transform(X, groups), groups).savefig(images / "python_pairs.png", dpi=80)
    plot.maps(NB().fit(X, groups)).savefig(images / "python_maps.png", dpi=80)
    plot.history(inb).savefig(images / "python_history.png", dpi=80)
    for path in images.glob("python_*.png"):
        # A palette halves the bytes; with fewer colors, groups begin to look alike.
        with Image.open(path) as picture:
            few = picture.convert("RGB").quantize(160, Image.Quantize.MAXCOVERAGE)
        few.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
