"""Python gives the results of the command on the same table."""

import json
import subprocess
import warnings

import numpy as np
import pytest

import conflux
from conflux._columns import python_words
from test_columns import people

pd = pytest.importorskip("pandas")


def in_python(sentences):
    """Return what the command says, with parameters instead of flags."""
    return [python_words(sentence) for sentence in sentences]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a folder with people.csv, and what a user reads from it."""
    folder = tmp_path_factory.mktemp("table")
    people(1200).assign(kind=lambda t: np.where(t["income"] > 22000, "rich", "poor")).to_csv(
        folder / "people.csv", index=False
    )
    return folder, pd.read_csv(folder / "people.csv", float_precision="round_trip")


def run(command, folder, *arguments):
    done = subprocess.run(
        [command, *arguments, "--json"], cwd=folder, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def read(path):
    return pd.read_csv(path, float_precision="round_trip")


def same(ours, theirs):
    """Compare figures that went through a text, and flags that have other names here."""
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("method", ["inb", "nb", "auto"])
def test_a_fit_has_the_bits_of_the_command(table, command, method):
    folder, frame = table
    layers = [] if method == "nb" else ["--layers", "3"]
    run(command, folder, "fit", "people.csv", "--group", "site", "-o", method, "--method", method,
        "--drop", "kind", "--as", "grade=category", *layers)
    run(command, folder, "transform", method, "people.csv", "-o", "moved.csv", "--force")
    run(command, folder, "translate", method, "people.csv", "--to", "north", "-o", "north.csv",
        "--force")
    frame = frame.drop(columns="kind")
    ours = conflux.Aligner(
        method=method, group_column="site", columns="grade=category",
        **({} if method == "nb" else {"layers": 3}),
    ).fit(frame)
    moved = read(folder / "moved.csv").drop(columns=["kind", "site"])
    pd.testing.assert_frame_equal(ours.transform(frame), moved, check_exact=True)
    north = ours.translate(frame, frame["site"], "north")
    pd.testing.assert_frame_equal(
        north, read(folder / "north.csv").drop(columns="kind"), check_exact=True, check_dtype=False
    )
    theirs = conflux.load(folder / method)
    pd.testing.assert_frame_equal(theirs.transform(frame), moved, check_exact=True)
    ours.save(folder / "ours")
    run(command, folder, "transform", "ours", "people.csv", "-o", "again.csv", "--force")
    assert (folder / "again.csv").read_bytes() == (folder / "moved.csv").read_bytes()


def check_matches(ours, theirs):
    assert ours.differ == theirs["differ"] and ours.advice == theirs["advice"]
    same(ours.p_value, theirs["p_value"])
    same(ours.prediction.auc, theirs["prediction"]["auc"])
    same(ours.prediction.by_chance, theirs["prediction"]["by_chance"])
    same(ours.overlap, theirs["overlap"])
    assert ours.rows == theirs["rows"] and set(ours.features) == set(theirs["features"])
    for name, feature in ours.features.items():
        assert feature.differs == theirs["features"][name]["differs"]
        same(feature.shift, theirs["features"][name]["shift"])
        same(feature.importance, theirs["features"][name]["importance"])
    assert ours.sentences == in_python(theirs["sentences"])


def test_check_says_what_the_command_says(table, command):
    folder, frame = table
    theirs = run(command, folder, "check", "people.csv", "--group", "site", "--drop", "kind")
    ours = conflux.check(frame.drop(columns="kind"), "site")
    check_matches(ours, theirs)
    same(conflux.predict_groups(frame.drop(columns="kind"), "site").auc, theirs["prediction"]["auc"])
    theirs = run(command, folder, "check", "people.csv", "--group", "site", "--label", "kind",
                 "--scale", "normal", "--as", "grade=category")
    ours = conflux.check(frame, "site", "kind", scale="normal", columns={"grade": "category"})
    check_matches(ours, theirs)
    for group, shares in ours.shares.items():
        same(shares, theirs["labels"]["shares"][group])


@pytest.mark.parametrize("label", [False, True])
def test_align_does_what_the_command_does(table, command, label):
    folder, frame = table
    more = ["--label", "kind"] if label else ["--drop", "kind"]
    theirs = run(command, folder, "align", "people.csv", "--group", "site", "--layers", "6",
                 "-o", "aligned.csv", "--model", "model", "--force", *more)
    given = frame if label else frame.drop(columns="kind")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = conflux.align(given, "site", "kind" if label else None, layers=6)
    check_matches(done.check, theirs["check"])
    summary, expected = done.summary, theirs["summary"]
    assert summary.verdict == expected["verdict"] and summary.stop == expected["stop"]
    same(summary.auc_before, expected["group_auc"]["before"])
    same(summary.auc_after, expected["group_auc"]["after"])
    same(summary.auc_by_chance, expected["group_auc"]["by_chance"])
    same(summary.neighbors_kept, expected["neighbors_kept"])
    same(summary.moved_most, expected["moved_most"])
    assert summary.within_labels == expected["within_labels"] == label
    assert done.unseen.sum() == 240
    assert summary.judged_rows == expected["judged_rows"] == len(frame)
    assert summary.sentences == in_python(expected["sentences"])
    # The table of the command has the dropped column still.
    theirs_here = [each for each in theirs["warnings"] if label or "copied unchanged" not in each]
    assert len(summary.warnings) == len(theirs_here)
    assert len(caught) >= len(summary.warnings)
    for sentence in [*done.check.sentences, *summary.sentences]:
        assert sentence in str(done)
    aligned = read(folder / "aligned.csv")
    pd.testing.assert_frame_equal(done.rows, aligned[done.rows.columns], check_exact=True)

    # The rest of the way: the command's model, judged on the same rows.
    theirs = run(command, folder, "evaluate", "model", "people.csv")["judgement"]
    for model in (done.model, conflux.load(folder / "model")):
        ours = conflux.evaluate(model, given, "site")
        assert ours.verdict == theirs["verdict"]
        assert ours.sentences == in_python(theirs["sentences"])
        same(ours.prediction_before.auc, theirs["group_auc"]["before"])
        same(ours.prediction_after.auc, theirs["group_auc"]["after"])
        same(ours.figures["energy"], theirs["energy"])
        same(ours.features_moved, theirs["features_moved"])
        if label:
            same(ours.prediction_within_after, theirs["group_auc_within_labels"]["after"])
            same(ours.figures["label_transfer"], theirs["label_transfer"])


def test_align_shows_rows_as_one_group(table, command):
    folder, frame = table
    frame = frame.drop(columns="kind")
    theirs = run(command, folder, "align", "people.csv", "--group", "site", "--drop", "kind",
                 "--layers", "4", "--to", "south", "-o", "south.csv")
    done = conflux.align(frame, "site", to="south", layers=4)
    assert done.summary.sentences == in_python(theirs["summary"]["sentences"])
    south = read(folder / "south.csv").drop(columns="kind")
    pd.testing.assert_frame_equal(done.rows, south, check_exact=True, check_dtype=False)
    with pytest.raises(ValueError, match="to is 'east'; choose one of the groups"):
        conflux.align(frame, "site", to="east")


def test_groups_that_do_not_differ_are_left_alone(table, command):
    folder, frame = table
    shuffled = frame.drop(columns="kind").assign(
        site=np.random.default_rng(0).permutation(frame["site"])
    )
    shuffled.to_csv(folder / "shuffled.csv", index=False)
    theirs = run(command, folder, "align", "shuffled.csv", "--group", "site", "-o", "left.csv")
    done = conflux.align(shuffled, "site")
    assert not done.check.differ and done.rows is shuffled
    assert done.summary.sentences == in_python(theirs["summary"]["sentences"])
    assert done.summary.verdict == "nothing to align"
    assert done.model.layers_ == []
