#!/usr/bin/env python3
"""What Dask costs: fits arrays of pool_study.py in memory and on two workers, compares the bits.

  dask_study.py FOLDER [ROWS OF A CHUNK]     CPU seconds of both fits, and of moving all rows
"""

import glob
import json
import resource
import sys
import time

import dask.array as da
import distributed
import numpy as np

import conflux
import conflux.dask


def cpu() -> float:
    """CPU seconds of this process, and with it of workers that are threads of it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(work) -> dict:
    start, used = time.time(), cpu()
    out = work()
    return {"seconds": round(time.time() - start, 1), "cpu": round(cpu() - used, 1), "out": out}


def main(folder: str, rows: int) -> None:
    files = sorted(glob.glob(f"{folder}/g*.npy"))
    arrays = [np.load(path, mmap_mode="r") for path in files]
    X = da.concatenate([da.from_array(a, chunks=(rows, a.shape[1])) for a in arrays])
    groups = da.concatenate([da.full(len(a), m, chunks=rows) for m, a in enumerate(arrays)])
    options = {"method": "inb", "layers": 60, "gate": "none", "columns": "coordinates"}
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        aligner = conflux.dask.Aligner(client=client, n_jobs=2, **options)
        ours = timed(lambda: aligner.fit(X, groups))
        moved = timed(lambda: ours["out"].transform(X, groups).sum(axis=0).compute())
    whole, labels = np.concatenate(arrays), groups.compute()
    theirs = timed(lambda: conflux.Aligner(n_jobs=2, **options).fit(whole, labels))
    same = ours["out"].model_.to_bytes() == theirs["out"].model_.to_bytes()
    ours["out"] = theirs["out"] = moved["out"] = None
    print(json.dumps({"rows": len(whole), "chunks": X.numblocks[0], "same_bits": same,
                      "in_memory": theirs, "dask": ours, "transform": moved}))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50_000)
