"""One peer of studies/peer_study.py, in a process of its own, so that its time and memory can be told.

    /usr/bin/python3 studies/peers.py NAME FIT.csv NEW.csv OUT.csv

Both tables have columns `batch` and `label`; OUT has the features of NEW, corrected.
"""

import sys

import numpy as np
import pandas as pd


def features_of(table):
    return table.drop(columns=["batch", "label"], errors="ignore").to_numpy(float)


def quantiles(fit, new, target=None):
    """Every feature of a batch through its own ranks to the values of all batches, or of one: scikit-learn."""
    from sklearn.preprocessing import QuantileTransformer
    wanted = fit if target is None else fit[fit.batch == target]
    all_rows = QuantileTransformer(n_quantiles=1000).fit(features_of(wanted))
    out = features_of(new)
    for batch in new.batch.unique():
        own = QuantileTransformer(n_quantiles=1000).fit(features_of(fit[fit.batch == batch]))
        mine = (new.batch == batch).to_numpy()
        out[mine] = all_rows.inverse_transform(own.transform(out[mine]))
    return out


def quantiles_to(fit, new):
    """The last batch is the target."""
    return quantiles(fit, new, fit.batch.unique()[-1])


def linear(fit, new):
    """What a straight line tells from the batch is taken out: scikit-learn, as fairlearn's CorrelationRemover."""
    from sklearn.linear_model import LinearRegression
    batches = sorted(fit.batch.unique())
    sides = [np.stack([table.batch == each for each in batches], 1).astype(float) for table in (fit, new)]
    model = LinearRegression().fit(sides[0] - sides[0].mean(0), features_of(fit))
    return features_of(new) - (sides[1] - sides[0].mean(0)) @ model.coef_.T


def transport(fit, new, make):
    """The first batch is moved to the second: POT."""
    source, target = fit.batch.unique()[:2]
    model = make().fit(Xs=features_of(fit[fit.batch == source]), Xt=features_of(fit[fit.batch == target]))
    out = features_of(new)
    mine = (new.batch == source).to_numpy()
    out[mine] = model.transform(Xs=out[mine])
    return out


def sinkhorn(fit, new):
    from ot.da import SinkhornTransport
    return transport(fit, new, lambda: SinkhornTransport(reg_e=0.1, norm="max"))


def emd(fit, new):
    from ot.da import EMDTransport
    return transport(fit, new, EMDTransport)


def main():
    name, fit, new, out = sys.argv[1:]
    peers = {each.__name__: each for each in (quantiles, quantiles_to, linear, sinkhorn, emd)}
    moved = peers[name](pd.read_csv(fit), pd.read_csv(new))
    pd.DataFrame(moved).to_csv(out, index=False)


if __name__ == "__main__":
    main()
