"""Callbacks, progress, interrupts, and other threads."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import conflux
from conflux import INB


def test_the_callback_sees_every_layer(moons):
    seen = []
    inb = INB(layers=7, validation_fraction=0).fit(*moons, callback=seen.append)
    assert seen == inb.history_
    assert [record.layer for record in seen] == list(range(7))


def test_true_from_the_callback_stops_the_fit_there(moons):
    X, groups = moons
    stopped = INB(layers=9, validation_fraction=0).fit(
        X, groups, callback=lambda record: record.layer == 2
    )
    assert len(stopped.history_) == 3
    whole = INB(layers=3, validation_fraction=0).fit(X, groups)
    np.testing.assert_array_equal(stopped.transform(X, groups), whole.transform(X, groups))


def test_an_exception_of_the_callback_leaves_the_estimator_unfitted(moons):
    X, groups = moons
    inb = INB(layers=5).fit(X, groups)

    def fail(record):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        inb.fit(X, groups, callback=fail)
    with pytest.raises(conflux.NotFittedError):
        inb.transform(X, groups)
    assert not hasattr(inb, "groups_")


# A whole process, because the signal must reach the main thread while the engine works there.
def test_ctrl_c_interrupts_a_fit_and_leaves_the_estimator_unfitted():
    # A shell's background jobs ignore Ctrl-C, and so would their children.
    script = """
    import signal
    import conflux
    signal.signal(signal.SIGINT, signal.default_int_handler)
    X, groups = conflux.datasets.make_gaussian_groups(2, 20, 2000)
    inb = conflux.INB(layers=1000000, validation_fraction=0)
    try:
        inb.fit(X, groups, callback=lambda r: print("layer", r.layer, flush=True))
    except KeyboardInterrupt:
        print("interrupted", hasattr(inb, "model_"), flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "layer 0\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out.splitlines()[-1] == "interrupted False"
    assert process.returncode == 0


# With the GIL held, the other thread would not count before the fit is over.
def test_other_threads_run_during_a_fit():
    X, groups = conflux.datasets.make_gaussian_groups(2, 60, 4000)
    counted = []
    done = threading.Event()

    def count():
        while not done.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    start = time.perf_counter()
    try:
        INB(layers=1, search_steps=200, validation_fraction=0, n_jobs=1).fit(X, groups)
    finally:
        end = time.perf_counter()
        done.set()
        other.join()
    inside = [moment for moment in counted if start < moment < end]
    assert len(inside) > 5, f"{len(inside)} steps of another thread in {end - start:.2f} s"


def test_two_fits_at_the_same_time_do_not_disturb_each_other(gaussians):
    X, groups = gaussians
    expected = INB(layers=5).fit_transform(X, groups)
    results = [None] * 4

    def fit(place):
        results[place] = INB(layers=5).fit_transform(X, groups)

    threads = [threading.Thread(target=fit, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)


def test_verbose_prints_every_layer_if_asked_to(moons, capsys):
    INB(layers=3, verbose=2, validation_fraction=0).fit(*moons)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[2].startswith("layer 3/3 (sliced)")
    INB(layers=3).fit(*moons)
    assert capsys.readouterr().out == ""


def test_progress_is_a_bar_of_tqdm(moons, capsys):
    pytest.importorskip("tqdm")
    INB(layers=3, verbose=1, validation_fraction=0).fit(*moons)
    assert "3/3" in capsys.readouterr().err


def test_progress_is_a_line_now_and_then_without_tqdm(moons, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    INB(layers=30, verbose=1, validation_fraction=0).fit(*moons)
    assert len(capsys.readouterr().out.splitlines()) == 10


def memory_of(call, **names):
    """Return the memory that a call takes in a process of its own, in tables of float64."""
    script = """
    import numpy as np, conflux
    random = np.random.default_rng(0)
    dtype, layout, order = "{dtype}", "{layout}", "{order}"
    X = random.standard_normal((150000, 100), dtype)
    if layout == "F":
        X = np.asfortranarray(X)
    groups = np.repeat([0, 1], 75000)
    few = slice(74000, 76000)
    nb = conflux.NB(n_jobs=1).fit(X[few], groups[few])
    if order == "mixed":
        groups = random.permutation(groups)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew

    def kilobytes(what):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(what))

    before = kilobytes("VmRSS")
    result = {call}
    print((kilobytes("VmHWM") - before) * 1024 / (8 * X.size))
    """
    values = {"dtype": "f8", "layout": "C", "order": "sorted", **names}
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script.format(call=call, **values))],
        capture_output=True, text=True, check=True,
    )
    return float(out.stdout)


# Rows at equal distances are read where they are: the engine's own copy, which its layers move, is
# the only one. Mixed groups are gathered, and what is gathered is that copy. Single precision stays
# so, and takes half of it. One direction, because projections of all rows are kept for each.
@pytest.mark.parametrize(
    "names, copies",
    [
        ({}, 1),
        ({"order": "mixed"}, 1),
        ({"dtype": "f4"}, 0.5),
        ({"dtype": "f4", "order": "mixed"}, 0.5),
    ],
)
def test_a_fit_copies_no_more_than_it_must(names, copies):
    fit = """conflux.INB(
        layers=1, directions=1, search_rows=100, validation_fraction=0, fit_rows="all", n_jobs=1,
        columns={columns}
    ).fit(X, groups)"""
    # A fit holds little beside the rows.
    plain = memory_of(fit.format(columns="'coordinates'"), **names)
    assert copies - 0.1 < plain < copies + 0.2
    # Columns are looked at in a copy of them, and sorted, before the fit begins.
    assert memory_of(fit.format(columns="None"), **names) < 4.5


# Whatever it reads: blocks are converted in the cache.
@pytest.mark.parametrize("names", [{}, {"dtype": "f4"}, {"layout": "F"}, {"order": "mixed"}])
def test_a_transform_makes_nothing_but_its_result(names):
    assert 0.95 < memory_of("nb.transform(X, groups)", **names) < 1.1
