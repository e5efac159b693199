"""Made tables that look like measurements of seven fields, each with the task of its field.

Nothing here is measured; the generators copy what makes each field hard: drift with other shares of the classes
(sensors), two days of a cytometer, spectra of two instruments with few rows, sites confounded with age, users with
habits of their own, word counts of domains, climate of stations. `field_tasks(seed)` returns one task of each.
"""

import numpy as np
import pandas as pd

SENSOR_BATCHES = np.array([445, 1244, 1586, 161, 197, 2300, 3613, 294, 470, 3600])


def frame_of(values):
    return pd.DataFrame(values).add_prefix("c")


def sensors(seed, rows=1500):
    """Ten batches over 36 months; 16 gas sensors of 8 correlated features; gains and offsets wander, classes come
    and go. A classifier that has learned the first batch is asked about the later ones."""
    rng = np.random.default_rng([seed, 1])
    sizes = np.maximum(40, (rows * SENSOR_BATCHES / SENSOR_BATCHES.sum()).astype(int))
    kinds, count = 16, 6
    family = np.repeat(np.arange(4), 4)
    pattern = rng.normal(0, 0.35, (4, count))[family] + rng.normal(0, 0.15, (kinds, count))
    power = rng.uniform(0.4, 0.7, kinds)
    gain = np.zeros(kinds)
    offset = np.zeros(kinds)
    turn = np.zeros((kinds, count))
    load = rng.uniform(0.6, 1.4, (kinds, 8)) * np.array([1, .6, .5, .5, .4, -.5, -.5, -.4])
    bend = rng.normal(0, 0.1, (kinds, 8))
    values, group, label = [], [], []
    for m, size in enumerate(sizes):
        if m:
            step = 0.8 if m == 4 else 0.25
            gain = gain + rng.normal(-0.05, step, kinds) * 0.6 + rng.normal(0, step * 0.4)
            offset = offset + rng.normal(0, step * 0.6, kinds)
            turn = turn + rng.normal(0, 0.06, turn.shape)
        share = rng.dirichlet(np.full(count, 0.8))
        if m == 0:
            share = 0.7 * share + 0.3 / count
        if m in (3, 4):
            share[rng.integers(count)] = 0
            share /= share.sum()
        its = rng.choice(count, size, p=share)
        amount = rng.normal(0, 0.7, size)
        response = (pattern + turn)[:, its].T + power * amount[:, None]
        response = gain + response * np.exp(0.25 * gain) + rng.normal(0, 0.08, response.shape)
        part = response[:, :, None] * load + bend * response[:, :, None] ** 2 + offset[:, None] * load
        part = part + rng.normal(0, 0.08, part.shape)
        values.append(part.reshape(size, -1))
        group += [f"b{m:02d}"] * size
        label += [f"gas{k}" for k in its]
    return frame_of(np.vstack(values)), np.array(group), np.array(label)


def first_to_later(values, group, label, fitted):
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    first = group == np.unique(group)[0]
    mean, scale = values[first].mean(axis=0), values[first].std(axis=0) + 1e-12
    x, y = (values[first] - mean) / scale, (values[~first] - mean) / scale
    models = [KNeighborsClassifier(5), LogisticRegression(C=0.1, max_iter=200)]
    with np.errstate(all="ignore"):
        return float(np.mean([np.mean(m.fit(x, label[first]).predict(y) == label[~first]) for m in models]))


def cytometry(seed, rows=2000):
    """Two days of one panel: cell types in other shares, gains and backgrounds of the channels differ."""
    rng = np.random.default_rng([seed, 2])
    markers, types = 25, 12
    high = rng.random((types, markers)) < 0.2
    center = np.where(high, rng.uniform(0.8, 2.4, (types, markers)), rng.uniform(0, 0.6, (types, markers)))
    spread = np.where(high, 0.7, 0.4) * rng.uniform(0.7, 1.3, (types, markers))
    share = rng.dirichlet(np.full(types, 1.5))
    values, group, label = [], [], []
    for m in range(2):
        its_share = share * np.exp(rng.normal(0, 0.5, types))
        its = rng.choice(types, rows // 2, p=its_share / its_share.sum())
        part = center[its] + spread[its] * rng.normal(size=(len(its), markers))
        part += 0.25 * rng.normal(size=(len(its), 1))
        if m:
            part = np.arcsinh(np.sinh(part) * np.exp(rng.normal(0.1, 0.3, markers)))
            part += np.abs(rng.normal(0, 0.15, markers))
        values.append(np.arcsinh(np.maximum(np.sinh(part) + rng.normal(0, 0.3, part.shape), 0)))
        group += [f"day{m}"] * len(its)
        label += [f"type{k}" for k in its]
    return frame_of(np.vstack(values)), np.array(group), np.array(label)


def spectra(seed, rows=60, count=700):
    """Samples measured by two instruments, each by one of them: smooth spectra of few substances; the second has
    another baseline, gain, shift of wavelengths and resolution. Error of an amount, learned on the first."""
    rng = np.random.default_rng([seed, 3])
    at = np.linspace(0, 1, count)
    parts = 8
    pure = np.zeros((parts, count))
    for k in range(parts):
        for _ in range(4):
            pure[k] += rng.uniform(0.2, 1) * np.exp(-0.5 * ((at - rng.random()) / rng.uniform(0.02, 0.08)) ** 2)
    values, group, label = [], [], []
    for m in range(2):
        amounts = 1 + 0.25 * rng.normal(size=(rows, parts)) * np.linspace(1, 0.3, parts)
        axis = at + (0.008 * rng.normal() + 0.008 * rng.normal() * at if m else 0)
        seen = np.array([np.interp(axis, at, row) for row in amounts @ pure])
        if m:
            seen = seen * (1 + 0.05 * rng.normal() + 0.08 * rng.normal() * (at - 0.5)) + 0.1 * rng.normal()
            seen = seen + 0.1 * rng.normal() * at + 0.05 * rng.normal() * np.sin(6 * at + rng.random())
        seen = seen + 0.02 * rng.normal(size=(rows, 1)) + 0.002 * rng.normal(size=(rows, count))
        values.append(seen)
        group += [f"instrument{m}"] * rows
        label += list(amounts[:, 2])
    return frame_of(np.vstack(values)), np.array(group), np.array(label)


def instrument_error(values, group, label, fitted):
    """1 less the error in deviations of the label, both ways; best of a few numbers of components is not asked."""
    from sklearn.cross_decomposition import PLSRegression

    out = []
    for name in np.unique(group):
        learn, ask = group == name, group != name
        model = PLSRegression(6, scale=False).fit(values[learn], label[learn])
        error = np.sqrt(np.mean((model.predict(values[ask]).ravel() - label[ask]) ** 2)) / label[ask].std()
        out.append(max(1 - error, -1))
    return float(np.mean(out))


def mri(seed, rows=915, features=419, sites=20):
    """Thickness and volumes of regions; site effects of location and scale; sites recruit other ages."""
    rng = np.random.default_rng([seed, 4])
    sizes = rng.multinomial(rows - 20 * sites, rng.dirichlet(np.full(sites, 2.0))) + 20
    slope = rng.normal(-0.25, 0.35, features)
    axes = rng.normal(0, 1, (12, features)) * 0.35
    scale = rng.uniform(0.5, 20, features)
    values, group, label = [], [], []
    for m, size in enumerate(sizes):
        middle = rng.uniform(8, 30)
        age = np.clip(rng.normal(middle, 3, size), 5, 45)
        part = slope * (age[:, None] - 18) / 5 + rng.normal(size=(size, 12)) @ axes
        part += 0.8 * rng.normal(size=part.shape)
        part = part * np.exp(rng.normal(0, 0.08, features)) + rng.normal(0, 0.3, features)
        values.append(part * scale)
        group += [f"site{m:02d}"] * size
        label += list(age)
    return frame_of(np.vstack(values)), np.array(group), np.array(label)


def age_error(values, group, label, fitted):
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GroupKFold

    z = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-12)
    found = np.zeros(len(label))
    for learn, ask in GroupKFold(5).split(z, label, group):
        found[ask] = Ridge(300).fit(z[learn], label[learn]).predict(z[ask])
    return float(max(1 - np.sqrt(np.mean((found - label) ** 2)) / label.std(), -1))


def activity(seed, users=36, each=20, features=561):
    """Windows of six activities; users move each in their own way, and wear the sensor in their own way."""
    rng = np.random.default_rng([seed, 5])
    hidden = 15
    axes = rng.normal(size=(hidden, features)) / np.sqrt(hidden) * (rng.random((hidden, features)) < 0.4)
    center = rng.normal(0, 0.8, (6, hidden)) * np.linspace(1.0, 0.2, hidden)
    values, group, label = [], [], []
    for m in range(users):
        its = rng.choice(6, each, p=rng.dirichlet(np.full(6, 8.0)))
        own = rng.normal(0, 0.7, (6, hidden)) + rng.normal(0, 0.35, hidden)
        part = (center + own)[its] + 0.6 * rng.normal(size=(each, hidden))
        part = np.tanh(part @ axes) + 0.35 * rng.normal(size=(each, features)) + rng.normal(0, 0.15, features)
        values.append(part)
        group += [f"user{m:02d}"] * each
        label += [f"act{k}" for k in its]
    return frame_of(np.vstack(values)), np.array(group), np.array(label)


def leave_user_out(values, group, label, fitted):
    from sklearn.linear_model import RidgeClassifier
    from sklearn.neighbors import KNeighborsClassifier

    names = np.unique(group)
    z = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-12)
    right = []
    for part in np.array_split(names, 4):
        ask = np.isin(group, part)
        for model in (RidgeClassifier(1000), KNeighborsClassifier(9)):
            right.append(np.mean(model.fit(z[~ask], label[~ask]).predict(z[ask]) == label[ask]))
    return float(np.mean(right))


def visual_words(seed, words=800, classes=10):
    """Counts of visual words in pictures of four sources; sources see words in other shares."""
    rng = np.random.default_rng([seed, 6])
    sizes = [320, 360, 150, 80]
    base = rng.normal(0, 1.0, words)
    of_class = rng.normal(0, 0.4, (classes, words))
    values, group, label = [], [], []
    for m, size in enumerate(sizes):
        tilt = rng.normal(0, 0.2, words)
        own = rng.normal(0, 0.3, (classes, words))
        its = rng.choice(classes, size, p=rng.dirichlet(np.full(classes, 10.0)))
        log = base + tilt + (of_class + own)[its] + 0.5 * rng.normal(size=(size, words))
        share = np.exp(log)
        share /= share.sum(axis=1, keepdims=True)
        length = rng.integers(150, 900 if m < 2 else 400, size)
        values.append(np.array([rng.multinomial(n, p) / n for n, p in zip(length, share)]) * 100)
        group += [f"source{m}"] * size
        label += [f"class{k}" for k in its]
    values = np.vstack(values)
    return frame_of(values[:, values.std(axis=0) > 0]), np.array(group), np.array(label)


def nearest_transfer(values, group, label, fitted):
    from sklearn.neighbors import KNeighborsClassifier

    z = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-12)
    right = []
    for a in np.unique(group):
        for b in np.unique(group):
            if a != b:
                model = KNeighborsClassifier(1).fit(z[group == a], label[group == a])
                right.append(np.mean(model.predict(z[group == b]) == label[group == b]))
    return float(np.mean(right))


def climate(seed, days=800, features=8):
    """Daily weather of a model and of observations: other means, spreads, shapes and dependence, by season.
    Task: 1 less the energy distance of unseen days (in deviations of observations, times ten)."""
    rng = np.random.default_rng([seed, 7])
    axes = rng.normal(size=(features, features)) / np.sqrt(features)
    values, group = [], []
    for m in range(2):
        season = np.sin(2 * np.pi * np.arange(days) / 365.0)
        mine = axes + (0.25 * rng.normal(size=axes.shape) / np.sqrt(features) if m else 0)
        part = rng.normal(size=(days, features)) @ mine + season[:, None] * np.linspace(2, 0, features)
        part[:, -2:] = np.maximum(part[:, -2:] + (0.3 if m else 0), 0) ** (1.8 if m else 2.0)
        if m:
            part[:, :-2] = part[:, :-2] * np.exp(rng.normal(0, 0.2, features - 2)) + rng.normal(0, 0.6, features - 2)
        values.append(part)
        group += ["model" if m else "observed"] * days
    return frame_of(np.vstack(values)), np.array(group), np.array(["day"] * len(group))


def unseen_distance(values, group, label, fitted):
    from scipy.spatial.distance import cdist

    names = np.unique(group)
    scale = values[(group == names[-1])].std(axis=0) + 1e-12
    a, b = (values[(group == n) & ~fitted] / scale for n in names[:2])
    between, aa, bb = cdist(a, b).mean(), cdist(a, a), cdist(b, b)
    energy = 2 * between - aa.sum() / (len(a) * (len(a) - 1)) - bb.sum() / (len(b) * (len(b) - 1))
    return float(1 - 10 * energy)


#: Name, maker, score, whether all rows are fitted (the field has no unseen rows), whether the label is a number.
FIELDS = [
    ("sensors", sensors, first_to_later, True, False),
    ("cytometry", cytometry, None, False, False),
    ("spectra", spectra, instrument_error, True, True),
    ("mri", mri, age_error, True, True),
    ("activity", activity, leave_user_out, True, False),
    ("visual words", visual_words, nearest_transfer, True, False),
    ("climate", climate, unseen_distance, False, False),
]
