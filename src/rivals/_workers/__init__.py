"""Work in other processes, for calibration and cross-validation alike.

`processes.run_all` runs a job. Read on in the order of the files: what a job is (`jobs`), what runs
in a worker (`attempts`, with `time_limits`, `sending`, `beats`, `dask`), what the parent keeps
(`plan`, `interrupts`, `progress`), and where work runs (`pool`, `local`, `cluster`).
"""
