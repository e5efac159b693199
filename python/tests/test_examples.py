"""The examples run, on shipped data always, on real data where they are, and do what they claim."""

import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "python" / "examples"))
pytestmark = pytest.mark.filterwarnings("ignore::conflux.FitWarning")


@pytest.fixture(params=["shipped", "real"])
def data_of(request):
    def folder(name):
        if request.param == "shipped":
            return None
        data = request.getfixturevalue("shared_data") / name
        return data if data.is_dir() else pytest.skip(f"no {data}")

    return folder


@pytest.fixture
def figure(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    yield tmp_path / "figure.png"
    from matplotlib import pyplot

    pyplot.close("all")


def test_batch_effect_mixes_donors(data_of, figure):
    import batch_effect

    results = batch_effect.main(data_of("pbmc3500"), figure)
    assert figure.stat().st_size > 4000
    distance, mix = zip(*(results[name] for name in ("before", "after", "shuffled")))
    assert distance[1] < 0.25 * distance[0]
    # Kinds that donors hold in equal shares are mixed better than all cells could be.
    assert mix[0] + 0.3 * (mix[2] - mix[0]) < mix[1] < mix[2] + 0.15


def test_fair_representation_treats_groups_alike(data_of, figure):
    pytest.importorskip("sklearn")
    import fair_representation

    results = fair_representation.main(data_of("compas"), figure)
    assert figure.stat().st_size > 4000
    impact = {name: max(rates) / min(rates) for name, (_, rates) in results.items()}
    assert impact["INB"] < 1.15 < impact["as it is"]
    assert results["INB"][0] > results["as it is"][0] - 0.04


def test_translated_digits_look_like_real_ones(data_of, figure):
    import translate_digits

    before, after, error = translate_digits.main(data_of("mnist_usps"), figure)
    assert figure.stat().st_size > 4000
    assert after < 0.15 * before
    assert error < 1e-9


def test_climate_is_corrected_beyond_quantile_mapping(data_of, figure):
    import climate_bias

    data = data_of("cccma_climate")
    results = climate_bias.main(data, figure)
    assert figure.stat().st_size > 4000
    assert results["INB"] < 0.5 * results["NB"] < 0.5 * results["as it is"]
    if data is not None:
        assert results["INB"] < 0.0035  # 30 random rotations reach 0.0027
