"""One page that shows what a model does to rows."""

import numpy as np
import pytest

import conflux


@pytest.fixture(name="scene", scope="module")
def fixture_scene():
    X, groups = conflux.datasets.make_moons(600)
    return conflux.INB(layers=30).fit(X[::2], groups[::2]), X[1::2], groups[1::2]


def test_the_report_has_the_figures_of_evaluate(scene):
    found = conflux.report(*scene)
    judged = conflux.evaluate(*scene)
    assert found.verdict in ("aligned", "reduced", "below chance") and found.verdict in str(found)
    assert found.json["judgement"]["group_auc"]["after"] == judged.prediction_after.auc
    assert found.json["judgement"]["energy"] == judged.figures["energy"]
    assert found.json["version"] == 1


def test_the_page_is_whole_and_a_notebook_shows_it_in_a_frame(scene, tmp_path):
    found = conflux.report(*scene)
    found.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found.html
    assert found.html.startswith("<!doctype html>") and "http" not in found.html.split("</head>")[1]
    shown = found._repr_html_()
    assert shown.startswith("<iframe sandbox ") and shown.count("<") == 2


def test_rows_can_be_kept_out_and_threads_change_nothing(scene):
    assert "view" not in conflux.report(*scene, rows=0).json
    assert conflux.report(*scene, n_jobs=1).html == conflux.report(*scene, n_jobs=2).html
    with pytest.raises(ValueError, match="rows is -1"):
        conflux.report(*scene, rows=-1)


def test_labels_that_were_fused_are_named():
    random = np.random.default_rng(0)
    labels = np.where(random.random(800) < np.repeat([0.5, 0.05], 400), "mono", "tcell")
    X = random.normal(size=(800, 2))
    X[:, 0] += 8.0 * (labels == "mono")
    X[400:, 1] += 2
    groups = np.repeat(["a", "b"], 400)
    found = conflux.report(conflux.INB(layers=20, gate="none").fit(X, groups), X, groups, labels)
    assert found.verdict in ("aligned", "reduced") and found.cautions
    assert any("mono" in sentence and "tcell" in sentence for sentence in found.sentences)


def test_rows_of_the_fit_are_known_and_the_look_before_it_is_kept():
    X, groups = conflux.datasets.make_moons(200)
    done = conflux.align(X, groups, layers=5)
    found = conflux.report(done.model, X, groups)
    assert found.json["data"]["fitted_rows"]
    assert any("training rows" in sentence for sentence in found.sentences)
    assert found.json["fit"]["check"]["auc"] == done.check.prediction.auc
    assert not conflux.report(done.model, X + 1e-9, groups).json["data"]["fitted_rows"]
    fitted = conflux.INB(layers=5).fit(X, groups)
    found = conflux.report(fitted, X, groups)
    assert found.json["data"]["fitted_rows"]
    assert found.json["fit"]["check"] is None
