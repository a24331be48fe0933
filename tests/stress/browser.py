"""Pages with hostile names in a real Chromium: nothing in a name runs, nothing is fetched."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rivals
from stress.names import NAMES, compare, mixtures

# What every page sees before its own scripts: `boom` counts its calls.
TRAP = "window.boomed = 0; window.boom = () => { window.boomed += 1; };"
TOUCH = """
for (const element of document.querySelectorAll('*'))
    for (const kind of ['mouseover', 'click', 'focus', 'load', 'error'])
        if (element.tagName != 'A') element.dispatchEvent(new Event(kind, {bubbles: false}));
return window.boomed;
"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A driver, or None where there is no Chromium."""
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    driver_path = shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        found = None
    if found is None or driver_path is None:
        yield None
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = found
        for option in (
            "--headless=new",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(option)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService(executable_path=driver_path)
        )
        try:
            driver.set_page_load_timeout(60)
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TRAP})
            driver.get("about:blank")
            yield driver
        finally:
            driver.quit()


def write_pages(result: rivals.Comparison, folder: Path) -> list[Path]:
    """The report; what a notebook shows, in a page that forbids nothing; two drawings."""
    from matplotlib.figure import Figure

    from rivals import plots

    result.report(folder / "report.html", title=result.names[0])
    shown = (
        result._repr_html_() + result.pairs._repr_html_() + result.sweep([0.1, 1.0])._repr_html_()
    )
    (folder / "notebook.html").write_text(
        f"<!DOCTYPE html><meta charset=utf-8><body>{shown}", encoding="utf-8"
    )
    for name, plot in (("risks.svg", plots.plot_risks), ("matrix.svg", plots.plot_probability)):
        figure = Figure()
        plot(result, ax=figure.subplots())
        figure.savefig(folder / name)
    return [folder / name for name in ("report.html", "notebook.html", "risks.svg", "matrix.svg")]


def browse(seconds: float, seed: int, *, least: int = 1) -> dict[str, Any]:
    """Open pages of all hostile names together, then of mixtures, until the time is over."""
    end = time.monotonic() + seconds
    counts: dict[str, Any] = {"inputs": 0, "executed": 0, "fetched": 0, "problems": []}
    warnings.simplefilter("ignore")
    with chromium() as driver, tempfile.TemporaryDirectory() as name:
        if driver is None:
            return counts | {"skipped": "there is no Chromium here"}
        endless = mixtures(seed)
        names = list(NAMES.values())
        while least > 0 or time.monotonic() < end:
            least -= 1
            for page in write_pages(compare(names), Path(name)):
                driver.get_log("performance")
                driver.get(page.as_uri())
                counts["inputs"] += len(names)
                boomed = driver.execute_script(TOUCH)
                counts["executed"] += int(boomed)
                events = [
                    json.loads(entry["message"])["message"]
                    for entry in driver.get_log("performance")
                ]
                sent = [
                    each["params"]["request"]["url"]
                    for each in events
                    if each["method"] == "Network.requestWillBeSent"
                ]
                outside = [
                    address for address in sent if not address.startswith(("file:", "data:"))
                ]
                counts["fetched"] += len(outside)
                if boomed or outside:
                    counts["problems"].append(f"{page.name}: {boomed} calls, {outside[:3]}")
            names = list(dict.fromkeys(next(endless) for _ in range(8)))
    return counts


if __name__ == "__main__":
    print(json.dumps(browse(float(sys.argv[1]), 15), indent=1))
