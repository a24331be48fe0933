"""The real data sets: what is predicted from what, and which column says where a replication begins and ends.

A *group* is a school, a state, a person, a year: the same question asked again elsewhere. Formulas are those of patsy. `few` and `all`
are two sets of predictors, `curve` is the predictor that gets a spline. Rows with a missing value in a column that is used are left
out, and so are groups of fewer than `least` points; `left_out` says what else is. Data are loaded when they are needed and never
shipped: they belong to packages for R, under their own licences (GPL).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

Prepare = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class DataSet:
    """One data set and how it is used; `source` is package/item, with "debian:" before it where Debian has the package."""

    name: str
    source: str
    unit: str
    group: str
    kind: Literal["real", "positive", "count", "binary"]
    response: str
    few: str
    all: str
    curve: str | None = None
    prepare: Prepare | None = None
    left_out: str = ""
    least: int = 25
    in_time: bool = False  # within a group, rows are in the order of time


def yes(column: str, label: str) -> Prepare:
    """A response of 0 and 1 from a column of labels."""
    return lambda d: d[d[column].notna()].assign(response=lambda e: (e[column] == label) * 1.0)


def only(words: str) -> Prepare:
    """The rows for which a condition holds."""
    return lambda d: d.query(words)


def searched(d: pd.DataFrame) -> pd.DataFrame:
    hour = pd.to_datetime(d["date"]).dt.hour * np.pi / 12
    return yes("personSearch", "YES")(d.assign(hour=hour))


def genres(d: pd.DataFrame) -> pd.DataFrame:
    return d.assign(
        **{
            g.lower(): d["genres"].str.contains(g) * 1.0
            for g in ("Drama", "Comedy", "Action", "Horror")
        }
    )


def stations(d: pd.DataFrame) -> pd.DataFrame:
    """A row for each station and day; two stations are the predictors of the ten others."""
    reference = d[["DUB", "VAL"]].mean(axis=1) + 0.1
    others = ["RPT", "ROS", "KIL", "SHA", "BIR", "CLA", "MUL", "CLO", "BEL", "MAL"]
    tables = [
        pd.DataFrame(
            {"station": s, "month": d["month"], "reference": reference, "speed": d[s] + 0.1}
        )
        for s in others
    ]
    return pd.concat(tables, ignore_index=True)


SEASON = "np.cos(2 * np.pi * month / 12)"
OTHER_PRICES = " + ".join(f"np.log(price{i})" for i in range(1, 6))

CATALOGUE = (
    # ---- schools and courses
    DataSet("Exam", "mlmRev/Exam", "school", "school", "real", "normexam", "standLRT", "standLRT + sex + intake", "standLRT"),
    DataSet("Chem97", "mlmRev/Chem97", "education authority", "lea", "real", "score", "gcsescore", "gcsescore + gender + age", "gcsescore"),
    DataSet("STAR", "mlmRev/star", "school", "sch", "real", "math", "C(gr)", "C(gr) + C(cltype) + C(ses) + sx + C(eth) + exp", "exp"),
    DataSet(
        "Growth in mathematics", "mlmRev/egsingle", "school", "schoolid", "real", "math", "year",
        "year + C(grade) + C(retained) + C(female) + C(black) + C(hispanic)", "year",
    ),
    DataSet("Scottish schools", "mlmRev/ScotsSec", "school", "second", "real", "attain", "verbal", "verbal + sex + social", "verbal"),
    DataSet("Science attitudes", "DAAG/science", "school", "school", "real", "like", "sex", "sex + PrivPub + State"),
    DataSet(
        "Swahili", "Stat2Data/Swahili", "school", "School", "real", "attitude", "Sex", "Sex + Province",
        prepare=lambda d: d.rename(columns={"Attitude.Score": "attitude"}),
    ),
    DataSet("Lecture ratings", "lme4/InstEval", "department", "dept", "real", "y", "C(service)", "C(service) + C(studage) + C(lectage)"),
    DataSet(
        "College earnings", "causaldata/scorecard", "state", "state_abbr", "positive", "earnings_med", "C(pred_degree_awarded_ipeds)",
        "C(pred_degree_awarded_ipeds) + np.log(count_working + 1) + np.log(count_not_working + 1) + year", "year", least=60,
    ),
    # ---- households, wages, houses, loans
    DataSet("Vietnam households", "Ecdat/VietNamH", "commune", "commune", "real", "lntotal", "educyr", "educyr + age + farm + hhsize + sex", "age"),
    DataSet(
        "Vietnam visits", "Ecdat/VietNamI", "commune", "commune", "count", "pharvis", "age",
        "age + illness + sex + married + lnhhexp + insurance", "lnhhexp",
    ),
    DataSet("Italian budgets", "Ecdat/BudgetItaly", "year", "year", "real", "wfood", "np.log(totexp)", "np.log(totexp) + size + np.log(income)", "size"),
    DataSet("US census wages", "wooldridge/census2000", "state", "state", "real", "lweekinc", "educ", "educ + exper", "exper"),
    DataSet(
        "Unemployment benefits", "Ecdat/Benefits", "state", "state", "binary", "response", "age",
        "age + tenure + joblost + nwhite + sex + bluecol + married + rr", "tenure", yes("ui", "yes"),
    ),
    DataSet(
        "Ames houses", "modeldata/ames", "neighbourhood", "Neighborhood", "positive", "Sale_Price", "np.log(Gr_Liv_Area)",
        "np.log(Gr_Liv_Area) + Year_Built + Total_Bsmt_SF + Garage_Cars + Full_Bath", "Year_Built",
    ),
    DataSet(
        "Grinnell houses", "Stat2Data/GrinnellHouses", "year of sale", "YearSold", "positive", "SalePrice", "np.log(SquareFeet)",
        "np.log(SquareFeet) + Bedrooms + Baths + YearBuilt", "YearBuilt",
    ),
    DataSet(
        "Texas housing", "ggplot2/txhousing", "city", "city", "positive", "median", "year",
        "year + C(month) + np.log(inventory + 0.1) + np.log(sales + 1)", "year", in_time=True,
    ),
    DataSet(
        "Loans", "openintro/loans_full_schema", "state", "state", "positive", "interest_rate", "debt_to_income",
        "debt_to_income + np.log(annual_income + 1) + term + homeownership + verified_income + np.log(loan_amount)", "debt_to_income",
    ),
    DataSet(
        "Crop insurance", "causaldata/social_insure", "village", "village", "binary", "takeup_survey", "age",
        "age + agpop + ricearea_2010 + disaster_prob + male + default + intensive + literacy", "age",
    ),
    # ---- shops, firms, machines
    DataSet(
        "Cigarette sales", "plm/Cigar", "state", "state", "positive", "sales", "np.log(price / cpi)",
        "np.log(price / cpi) + np.log(ndi / cpi) + year", "year", in_time=True,
    ),
    DataSet("Cheese sales", "debian:bayesm/cheese", "retailer", "RETAILER", "positive", "VOLUME", "np.log(PRICE)", "np.log(PRICE) + DISP", "np.log(PRICE)", in_time=True),
    DataSet(
        "Orange juice", "debian:bayesm/orangeJuice", "store", "store", "real", "logmove", "price1", f"{OTHER_PRICES} + deal + feat", "week",
        only("brand == 1"), "all brands but the first", in_time=True,
    ),
    DataSet(
        "Innovation", "sandwich/InstInnovation", "industry", "industry", "count", "cites", "np.log(sales)",
        "np.log(sales) + np.log(employment + 0.1) + capital + institutions + C(year)", "institutions", only("sales > 0"), "firms without sales",
    ),
    DataSet("Wafer", "nlme/Wafer", "wafer", "Wafer", "positive", "current", "voltage", "voltage + I(voltage**2)", "voltage"),
    DataSet(
        "Cars 2021", "openintro/epa2021", "manufacturer", "mfr_name", "positive", "comb_mpg", "engine_displacement",
        "engine_displacement + no_cylinders + transmission_speed", "engine_displacement",
    ),
    DataSet("Auto mpg", "ISLR/Auto", "model year", "year", "real", "mpg", "weight", "weight + horsepower + displacement + acceleration + C(origin)", "weight"),
    # ---- people: experiments, surveys, votes
    DataSet(
        "Lexical decisions", "debian:rtdists/speed_acc", "person", "id", "positive", "rt", "condition", "condition + frequency + stim_cat + response",
        prepare=only("0.18 < rt < 3 and not censor"), left_out="censored responses, and those outside 0.18 to 3 s", in_time=True,
    ),
    DataSet(
        "Naming and decisions", "debian:afex/fhch2010", "person", "id", "positive", "rt", "stimulus",
        "stimulus + density + frequency + C(length) + task", prepare=only("correct"), left_out="wrong responses",
    ),
    DataSet(
        "Stroop", "debian:afex/stroop", "person", "pno", "positive", "rt", "congruency", "congruency + condition + trialnum + C(acc)", "trialnum",
        only("0.15 < rt < 3"), "responses outside 0.15 to 3 s", least=100, in_time=True,
    ),
    DataSet("French fries", "reshape2/french_fries", "taster", "subject", "real", "potato", "treatment", "treatment + C(time)"),
    DataSet("MovieLens", "dslabs/movielens", "viewer", "userId", "real", "rating", "year", "year + drama + comedy + action + horror", "year", genres, least=100),
    DataSet("Soldiers' well-being", "debian:multilevel/bh1996", "army company", "GRP", "real", "WBEING", "HRS", "HRS + LEAD + COHES", "HRS"),
    DataSet("Soldiers' hostility", "debian:multilevel/lq2002", "army company", "COMPID", "real", "HOSTILE", "LEAD", "LEAD + TSIG", "LEAD"),
    DataSet("GSS vocabulary", "carData/GSSvocab", "survey year", "year", "real", "vocab", "educ", "educ + age + gender + nativeBorn", "age"),
    DataSet(
        "Vote 2016", "stevedata/TV16", "state", "state", "binary", "votetrump", "age", "age + female + collegeed + pid7na + ideo + bornagain", "pid7na",
    ),
    DataSet(
        "Police stops", "carData/MplsStops", "neighbourhood", "neighborhood", "binary", "response", "problem",
        "problem + race + gender + np.sin(hour) + np.cos(hour)", prepare=searched, least=60,
    ),
    DataSet(
        "Inspections", "causaldata/restaurant_inspections", "year", "Year", "real", "inspection_score", "Weekend", "Weekend + NumberofLocations", "NumberofLocations",
    ),
    # ---- animals, weather, travel, sport
    DataSet(
        "Ovary", "nlme/Ovary", "mare", "Mare", "count", "follicles", "np.sin(2 * np.pi * Time)",
        "np.sin(2 * np.pi * Time) + np.cos(2 * np.pi * Time)", "Time", in_time=True,
    ),
    DataSet("Pigs", "geepack/dietox", "litter", "Litter", "real", "Weight", "Time", "Time + Start + C(Evit) + C(Cu)", "Time"),
    DataSet("Hawks", "Stat2Data/Hawks", "year", "Year", "positive", "Weight", "Wing", "Wing + Species + Tail + Age", "Wing"),
    DataSet(
        "Irish wind", "debian:gstat/wind", "station", "station", "positive", "speed", SEASON,
        f"{SEASON} + np.sin(2 * np.pi * month / 12) + np.log(reference)", "reference", stations, "two stations, which are predictors", least=100, in_time=True,
    ),
    DataSet(
        "Flights", "nycflights13/flights", "destination", "dest", "real", "arr_delay", "dep_delay", "dep_delay + distance + hour + carrier + origin", "hour",
        lambda d: d.dropna(subset=["arr_delay", "dep_delay"]).sample(60_000, random_state=0), "all but 60 000 flights, drawn at random", least=100,
    ),
    DataSet(
        "Baseball", "plyr/baseball", "season", "year", "count", "hr", "np.log(ab + 1)",
        "np.log(ab + 1) + np.log(g + 1) + np.log(h + 1) + np.log(bb + 1)", "g", only("ab > 0"), "players who never batted",
    ),
)  # fmt: skip
