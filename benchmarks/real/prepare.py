"""What some data sets need before their columns can be used: the catalogue names it."""

from __future__ import annotations

import numpy as np
import pandas as pd


def hour_of_day(d: pd.DataFrame) -> pd.DataFrame:
    """Police stops: the hour as an angle."""
    return d.assign(hour=pd.to_datetime(d["date"]).dt.hour * np.pi / 12)


def genres(d: pd.DataFrame) -> pd.DataFrame:
    """MovieLens: four genres as columns of 0 and 1."""
    found = {}
    for genre in ("Drama", "Comedy", "Action", "Horror"):
        found[genre.lower()] = d["genres"].str.contains(genre) * 1.0
    return d.assign(**found)


def stations(d: pd.DataFrame) -> pd.DataFrame:
    """Irish wind: a row for each station and day; two stations predict the ten others."""
    reference = d[["DUB", "VAL"]].mean(axis=1) + 0.1
    tables = []
    for station in ["RPT", "ROS", "KIL", "SHA", "BIR", "CLA", "MUL", "CLO", "BEL", "MAL"]:
        columns = {
            "station": station,
            "month": d["month"],
            "reference": reference,
            "speed": d[station] + 0.1,
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def sixty_thousand(d: pd.DataFrame) -> pd.DataFrame:
    """Flights: so many, drawn at random, of those that arrived."""
    return d.dropna(subset=["arr_delay", "dep_delay"]).sample(60_000, random_state=0)


def year_and_weekday(d: pd.DataFrame) -> pd.DataFrame:
    """Chicago trains: both from the date."""
    date = pd.to_datetime(d["date"])
    return d.assign(year=date.dt.year, weekday=date.dt.day_name())


def year_and_month(d: pd.DataFrame) -> pd.DataFrame:
    """Suicide attempts: a label for each month of the three years."""
    month = d["Month"].astype(int).astype(str).str.zfill(2)
    return d.assign(year_and_month=d["Year"].astype(int).astype(str) + "-" + month)
