"""Pictures show what they say."""

import numpy as np
import pytest

import conflux
from conflux import GB, INB, NB, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def test_pairs_shows_every_row_in_the_color_of_its_group(moons):
    X, groups = moons
    Z = NB().fit_transform(X, groups)
    figure = plot.pairs(X, Z, groups, names=["left", "up"])
    before, after = (axes.collections[0] for axes in figure.axes)
    shown = before.get_offsets()
    assert sorted(map(tuple, shown)) == sorted(map(tuple, X))
    moved = {tuple(x): tuple(z) for x, z in zip(X, Z)}
    assert [moved[tuple(x)] for x in shown] == [tuple(z) for z in after.get_offsets()]
    color = {tuple(x): g for x, g in zip(X, groups)}
    colors = before.get_facecolors()
    for group in (0, 1):
        own = [colors[i].tolist() for i, x in enumerate(shown) if color[tuple(x)] == group]
        assert all(c == own[0] for c in own)
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["0", "1"]
    assert figure.axes[0].get_xlabel() == "left"
    for wrong in ({"Z": Z[:5]}, {"Z": Z, "columns": (0, 2)}):
        with pytest.raises(ValueError, match="the same rows before and after"):
            plot.pairs(X, groups=groups, **wrong)


def test_history_shows_the_record_of_the_fit(moons):
    inb = INB(layers=6, validation_fraction=0).fit(*moons)
    lines = plot.history(inb).axes[0].get_lines()
    np.testing.assert_array_equal(lines[1].get_xdata(), np.arange(1, 7))
    np.testing.assert_array_equal(
        lines[1].get_ydata(), [record.spread_before for record in inb.history_]
    )
    assert len(plot.history(inb).axes) == 1


def test_history_shows_held_out_rows_and_layers_that_were_left_out():
    X, groups = conflux.datasets.make_moons(600)
    inb = INB(layers=40, patience=5, validation_fraction=0.3, strength=1).fit(X, groups)
    spread, judged = plot.history(inb).axes
    shown = judged.get_lines()[0].get_ydata()
    fitted = [*inb.history_, *inb.dropped_history_]
    assert list(shown) == [inb.model_.held_out_at_start, *(r.held_out for r in fitted)]
    assert bool(spread.patches) == bool(judged.patches) == bool(inb.dropped_history_)


# Three weak layers are worse than one map per feature, which the engine then takes instead.
def test_history_shows_the_layers_that_one_map_per_feature_replaced():
    X, groups = conflux.datasets.make_moons(600)
    with pytest.warns(conflux.FitWarning, match="one map per feature"):
        inb = INB(layers=3, validation_fraction=0.3).fit(X, groups)
    shown, instead, _ = plot.history(inb).axes[1].get_lines()
    assert list(shown.get_xdata()) == [0, 1, 2, 3]
    assert list(shown.get_ydata())[1:] == [record.held_out for record in inb.dropped_history_]
    assert set(instead.get_ydata()) == {inb.history_[0].held_out}


def test_maps_are_those_of_the_layer(moons):
    X, groups = moons
    nb = NB().fit(X, groups)
    figure = plot.maps(nb)
    assert len(figure.axes) == 2
    _, first, second = figure.axes[0].get_lines()
    place = np.asarray(second.get_xdata())
    rows = np.column_stack([place, np.zeros_like(place)])
    np.testing.assert_allclose(second.get_ydata(), nb.transform(rows, 1)[:, 0], atol=1e-12)
    inb = INB(layers=3, estimator="histogram").fit(X, groups)
    assert plot.maps(inb, 1, lines=1).axes[0].get_title() == "direction 1"
    with pytest.raises(ValueError, match="no layer 3; the flow has 3 layers"):
        plot.maps(inb, 3)
    for draw in (plot.maps, plot.history):
        with pytest.raises(conflux.NotFittedError):
            draw(NB())


# A gate mixes several maps along a direction, and a tree has one per box: no curve shows them.
@pytest.mark.parametrize(
    "kind, aligner",
    [("affine", GB()), ("gated", INB(layers=2, gate="clusters")), ("tree", conflux.Tree())],
)
def test_layers_without_a_map_per_line_are_refused(kind, aligner, gaussians):
    aligner.fit(*gaussians)
    assert kind in [layer.kind for layer in aligner.layers_]
    number = [layer.kind for layer in aligner.layers_].index(kind)
    with pytest.raises(ValueError, match=f"layer {number} is {kind}.*choose a sliced"):
        plot.maps(aligner, number)


def test_translations_show_every_group_as_every_other():
    X, groups = conflux.datasets.load_digits()
    kept = groups < 3
    X, groups = X[kept], groups[kept]
    nb = NB(unit_cube="off").fit(X, groups)
    figure = plot.translations(nb, X, groups, (8, 8))
    images = np.array([np.asarray(axes.images[0].get_array()) for axes in figure.axes])
    images = images.reshape(3, 4, 64)
    first = np.array([X[np.argmax(groups == g)] for g in range(3)])
    np.testing.assert_array_equal(images[:, 0], first)
    for to in range(3):
        np.testing.assert_allclose(images[:, 1 + to], nb.translate(first, [0, 1, 2], to))
