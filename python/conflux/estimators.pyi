# Made by tools/make_stubs.py from the options of the engine.
import os
from typing import Mapping, Sequence, Union

import numpy as np

from ._aligner import BaseAligner

_Seed = Union[int, np.random.Generator, np.random.RandomState, None]

__all__ = ["Auto", "CASCADE", "Means", "LocationScale", "NB", "INB", "RandNB", "NBINB", "NBRandNB", "GB", "GBINB", "SINF", "DD", "Tree", "TreeINB", "Conditional", "Aligner", "load"]

class Auto(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class CASCADE(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class Means(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class LocationScale(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class NB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class INB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class RandNB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class NBINB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class NBRandNB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class GB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class GBINB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class SINF(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class DD(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class Tree(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class TreeINB(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class Conditional(BaseAligner):
    def __init__(
        self,
        *,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

class Aligner(BaseAligner):
    def __init__(
        self,
        *,
        method: str = ...,
        goal: str = ...,
        layers: int | None = ...,
        directions: int | None = ...,
        search_steps: int = ...,
        polar_steps: bool = ...,
        inner_steps: int = ...,
        search_rows: int | None = ...,
        split: str = ...,
        estimator: str = ...,
        knots: int | None = ...,
        bins: int | None = ...,
        pseudo_count: float | None = ...,
        grid: int = ...,
        strength: float | None = ...,
        amount: float = ...,
        scales: bool = ...,
        interaction: bool = ...,
        shrinkage: bool = ...,
        weights: str | Sequence[float] = ...,
        target: str | int | None = ...,
        validation_fraction: float | None = ...,
        patience: int = ...,
        judge: str = ...,
        gate: str = ...,
        clusters: int | None = ...,
        min_cluster: int = ...,
        image: str | Sequence[int] | None = ...,
        unit_cube: str = ...,
        unit_cube_margin: float = ...,
        dd_stack: str = ...,
        tree_leaves: int = ...,
        tree_rows: int = ...,
        tree_uniform: float = ...,
        fit_rows: int | str | None = ...,
        random_state: _Seed = ...,
        n_jobs: int | None = ...,
        group_column: str | int | None = ...,
        columns: Mapping[str, object] | str | None = ...,
        support: Mapping[str, str] | str | None = ...,
        scale: str = ...,
        missing: str = ...,
        repeats: str = ...,
        key: str | None = ...,
        covariates: Sequence[str] | str | None = ...,
        verbose: int = ...,
    ) -> None: ...
    method: str
    goal: str
    layers: int | None
    directions: int | None
    search_steps: int
    polar_steps: bool
    inner_steps: int
    search_rows: int | None
    split: str
    estimator: str
    knots: int | None
    bins: int | None
    pseudo_count: float | None
    grid: int
    strength: float | None
    amount: float
    scales: bool
    interaction: bool
    shrinkage: bool
    weights: str | Sequence[float]
    target: str | int | None
    validation_fraction: float | None
    patience: int
    judge: str
    gate: str
    clusters: int | None
    min_cluster: int
    image: str | Sequence[int] | None
    unit_cube: str
    unit_cube_margin: float
    dd_stack: str
    tree_leaves: int
    tree_rows: int
    tree_uniform: float
    fit_rows: int | str | None
    random_state: _Seed
    n_jobs: int | None
    group_column: str | int | None
    columns: Mapping[str, object] | str | None
    support: Mapping[str, str] | str | None
    scale: str
    missing: str
    repeats: str
    key: str | None
    covariates: Sequence[str] | str | None
    verbose: int

def load(path: str | os.PathLike[str]) -> BaseAligner: ...
