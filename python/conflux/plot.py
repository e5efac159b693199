"""Pictures of fits, with matplotlib if it is installed.

All functions return matplotlib's Figure. They draw into `axes` or `figure` if those are given.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from . import _labels
from ._aligner import BaseAligner
from ._arrays import as_samples

__all__ = ["history", "maps", "pairs", "translations"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("conflux.plot needs matplotlib; install it.") from error
    return pyplot


def _plain(axes: Any, count: int, width: float, height: float, share: bool = False) -> Any:
    """Return axes in a row, new ones unless there are some, without the upper and right lines."""
    if axes is None:
        _, grid = _pyplot().subplots(
            1, count, figsize=(width * count, height), constrained_layout=True, squeeze=False,
            sharex=share, sharey=share,
        )
        axes = grid[0]
    for ax in axes[:count]:
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def pairs(
    X: npt.ArrayLike,
    Z: npt.ArrayLike,
    groups: Any,
    *,
    columns: tuple[int, int] = (0, 1),
    titles: tuple[str, str] = ("before", "after"),
    names: Sequence[str] | None = None,
    size: float = 4,
    axes: Any = None,
) -> Any:
    """Draw the groups before and after, side by side.

    Parameters
    ----------
    X, Z : array-like of shape (n_samples, n_features)
        Rows before and after.
    groups : array-like of shape (n_samples,)
        Their labels.
    columns : pair of int
        Features to draw.
    titles : pair of str
        Above the two parts.
    names : sequence of str, optional
        Names of all features.
    size : float
        Size of the points.

    Examples
    --------
    >>> from conflux import NB, datasets, plot
    >>> X, groups = datasets.make_moons(100)
    >>> figure = plot.pairs(X, NB().fit_transform(X, groups), groups)
    >>> [axes.get_title() for axes in figure.axes]
    ['before', 'after']
    """
    rows, moved = as_samples(X), as_samples(Z, "Z")
    if rows.shape != moved.shape or max(columns) >= rows.shape[1]:
        raise ValueError(
            f"X is {rows.shape}, Z is {moved.shape} and columns are {columns}; give the same rows "
            "before and after, and columns that they have."
        )
    labels, _, codes = _labels.encode(groups, len(rows))
    axes = _plain(axes, 2, 4, 3.8, share=True)
    # In one order for all groups, or the last one drawn would hide the others.
    order = np.random.default_rng(0).permutation(len(rows))
    for ax, points, title in zip(axes, (rows, moved), titles):
        colors = np.array([f"C{m % 10}" for m in range(len(labels))])[codes[order]]
        ax.scatter(points[order, columns[0]], points[order, columns[1]], s=size, c=colors,
                   linewidths=0, alpha=0.7)
        ax.set_title(title)
        if names is not None:
            ax.set_xlabel(names[columns[0]])
            axes[0].set_ylabel(names[columns[1]])
    for m, label in enumerate(labels):
        axes[1].scatter([], [], s=20, c=f"C{m % 10}", label=str(label))
    axes[1].legend(frameon=False, fontsize="small", loc="best")
    return axes[0].figure


def history(aligner: BaseAligner, *, axes: Any = None) -> Any:
    """Draw how far apart the groups were, layer by layer.

    On the left is the spread of the groups along the directions of each layer. On the right, if
    rows were held out, is their energy distance, which may fall below 0 because it has no bias,
    with that of a single NB layer to compare. Layers on gray ground were fitted but left out,
    because held-out rows gained nothing by them.

    Parameters
    ----------
    aligner : fitted estimator
    axes : sequence of axes, optional
        Two if rows were held out, else one.

    Examples
    --------
    >>> from conflux import INB, datasets, plot
    >>> X, groups = datasets.make_moons(100)
    >>> figure = plot.history(INB(layers=5).fit(X, groups))
    >>> figure.axes[0].get_xlabel()
    'layer'
    """
    start = aligner._fitted().held_out_at_start
    parts = 1 if start is None else 2
    axes = _plain(axes, parts, 4.5, 3.4)
    fitted, dropped = aligner.history_, aligner.dropped_history_
    if dropped and dropped[0].layer == 0:
        fitted = []  # one map per feature stands in for all of them
    fitted = [*fitted, *dropped]
    searched = [record for record in fitted if record.spread_before > 0]
    layers = [record.layer + 1 for record in searched]
    for values, style, label in [
        ([r.spread_at_start for r in searched], {"ls": ":", "c": "0.6"}, "random directions"),
        ([r.spread_before for r in searched], {"marker": "."}, "found directions"),
        ([r.spread_after for r in searched], {}, "there, after the layer"),
    ]:
        axes[0].plot(layers, values, label=label, **style)
    if searched:
        axes[0].set_yscale("log")
    axes[0].set_ylabel("mean spread of the groups")
    if start is not None:
        judged = [record for record in fitted if record.held_out is not None]
        values = [start, *(record.held_out or 0 for record in judged)]
        axes[1].plot([0, *(record.layer + 1 for record in judged)], values, ".-", c="C3",
                     label="this fit")
        axes[1].axhline(aligner.model_.held_out_nb, c="0.4", ls="--", lw=1,
                        label="one map per feature (NB)")
        axes[1].axhline(0, c="0.6", lw=0.8)
        # Straight below a decade that is small beside the largest value, which are the ticks then.
        straight = 10.0 ** np.ceil(np.log10(max(1e-2 * max(values), 1e-12)))
        axes[1].set_yscale("symlog", linthresh=straight, linscale=0.7)
        axes[1].set_ylim(min(*values, 0) - 0.3 * straight, 1.5 * max(*values, straight))
        axes[1].set_ylabel("energy distance of held-out rows")
    for ax in axes[:parts]:
        if dropped:
            ax.axvspan(dropped[0].layer + 0.5, dropped[-1].layer + 1.5, color="0.93", lw=0)
        ax.set_xlabel("layer")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(frameon=False, fontsize="small")
    return axes[0].figure


def maps(
    aligner: BaseAligner, layer: int = 0, *, lines: int = 3, axes: Any = None
) -> Any:
    """Draw the maps of a layer along its first lines.

    A line is a direction of a sliced layer, or a feature of a coordinate layer. Every group has its
    own increasing map there; the dotted diagonal would leave points where they are.

    Parameters
    ----------
    aligner : fitted estimator
    layer : int
        Number of the layer in ``layers_``.
    lines : int
        How many lines to draw at most.

    Examples
    --------
    >>> from conflux import NB, datasets, plot
    >>> X, groups = datasets.make_moons(100)
    >>> figure = plot.maps(NB().fit(X, groups))
    >>> [axes.get_title() for axes in figure.axes]
    ['x0', 'x1']
    """
    layers = aligner.layers_
    if not -len(layers) <= layer < len(layers):
        raise ValueError(f"there is no layer {layer}; the flow has {len(layers)} layers.")
    chosen = layers[layer]
    count = min(lines, chosen.num_lines)
    if count < 1:
        raise ValueError(
            f"layer {layer} is {chosen.kind}, whose maps do not lie along lines; choose a sliced "
            "or a coordinate layer."
        )
    axes = _plain(axes, count, 3, 3)
    features = aligner.get_feature_names_out()
    for line, ax in enumerate(axes[:count]):
        ranges = [chosen.line_range(m, line) for m in range(len(aligner.groups_))]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        margin = 0.05 * (high - low)
        ax.plot([low, high], [low, high], ":", c="0.6")
        for m, label in enumerate(aligner.groups_):
            points = np.linspace(ranges[m][0] - margin, ranges[m][1] + margin, 400)
            images = chosen.move_along_line(m, line, points)
            ax.plot(points, images, c=f"C{m % 10}", label=str(label))
        ax.set_title(f"direction {line + 1}" if chosen.frame is not None else str(features[line]))
        ax.set_xlabel("from")
    axes[0].set_ylabel("to")
    axes[0].legend(frameon=False, fontsize="small")
    return axes[0].figure


def translations(
    aligner: BaseAligner,
    X: npt.ArrayLike,
    groups: Any,
    shape: tuple[int, int],
    *,
    limits: tuple[float, float] | None = None,
    figure: Any = None,
) -> Any:
    """Draw images of every group as if they were of every other.

    Parameters
    ----------
    aligner : fitted estimator
    X : array-like of shape (n_samples, height * width)
        Images; the first of each group is drawn.
    groups : array-like of shape (n_samples,)
        Their labels.
    shape : pair of int
        Height and width.
    limits : pair of float, optional
        Values that are white and black; None takes those of X.

    Examples
    --------
    >>> from conflux import NB, datasets, plot
    >>> X, groups = datasets.load_digits()
    >>> figure = plot.translations(NB().fit(X, groups), X, groups, (8, 8))
    >>> len(figure.axes)
    110
    """
    rows = as_samples(X)
    labels, _, codes = _labels.encode(groups, len(rows))
    order = sorted(range(len(labels)), key=lambda m: str(labels[m]))
    targets = sorted(aligner.groups_, key=str)
    low, high = (float(rows.min()), float(rows.max())) if limits is None else limits
    width, height = len(targets) + 1, len(order)
    if figure is None:
        figure = _pyplot().figure(figsize=(0.6 * width, 0.6 * height + 0.3))
    room = {"wspace": 0.08, "hspace": 0.08, "left": 0.01, "right": 0.99, "bottom": 0.01}
    room["top"] = 1 - 0.3 / (0.6 * height + 0.3)
    axes = figure.subplots(height, width, squeeze=False, gridspec_kw=room)
    for row, m in enumerate(order):
        image = rows[np.argmax(codes == m)][None]
        drawn = [image, *(aligner.translate(image, labels[m], to) for to in targets)]
        for column, values in enumerate(drawn):
            ax = axes[row, column]
            pixels = np.asarray(values).reshape(shape)
            ax.imshow(pixels, cmap="gray_r", vmin=low, vmax=high, interpolation="nearest")
            ax.set_xticks([])
            ax.set_yticks([])
            is_own = column == 0 or targets[column - 1] == labels[m]
            for spine in ax.spines.values():
                spine.set_color("C0" if is_own else "0.85")
            if row == 0:
                ax.set_title("as it is" if column == 0 else str(targets[column - 1]), fontsize=8)
    return figure
