"""Pages in a real browser: what a reader clicks works, nothing is loaded, and without script all is there."""

import base64
import json
import re
import shutil

import numpy as np
import pytest

from polyprobe.analysis.page.html_page import html_of
from polyprobe.analysis.reports.run_pages import page_of_run
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import HOSTILE, PROBING, as_read, predicted_run, predictions, probing

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(shutil.which("chromedriver") is None, reason="no chromedriver: Debian's chromium-driver has it"),
]


VALUES = {"Case": 0.5, "Tense": 0.8, "Number": 0.3, "Mood": 0.6, "Person": 0.7}


def opened(*, script: bool = True, dark: bool = False):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1250,1600"):
        options.add_argument(argument)
    if dark:
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.add_experimental_option(
        "prefs", {"profile.managed_default_content_settings.javascript": 1 if script else 2}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options)


@pytest.fixture(scope="module")
def browser():
    found = opened()
    yield found
    found.quit()


@pytest.fixture
def run(tmp_path):
    """Five tests over four layers, with a memoriser that is above some scores."""
    rows = [
        probing(
            test, value + 0.02 * layer, layer=f"layer_{layer}", interval_low=value - 0.05, interval_high=value + 0.1
        )
        for test, value in VALUES.items()
        for layer in range(4)
    ]
    as_read(rows, tmp_path / PROBING)
    return tmp_path / PROBING


def shown(browser, folder):
    """Opens the page of a run."""
    file = folder / "report.html"
    file.write_text(html_of(page_of_run(RunDirectory(folder))), encoding="utf-8")
    browser.get_log("performance"), browser.get_log("browser")
    browser.get(file.as_uri())
    return browser


def column(browser, place: int) -> list[str]:
    rows = browser.find_elements("css selector", "table.sortable:first-of-type tbody tr")
    first = browser.find_element("css selector", "table.sortable")
    rows = first.find_elements("css selector", "tbody tr")
    return [row.find_elements("css selector", "th,td")[place].text for row in rows if row.is_displayed()]


def headers(browser):
    return browser.find_element("css selector", "table.sortable").find_elements("css selector", "thead button")


def test_one_file_is_loaded_and_the_console_stays_empty(browser, run):
    shown(browser, run)
    requests = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = {one["params"]["request"]["url"] for one in requests if one["method"] == "Network.requestWillBeSent"}
    assert {url for url in urls if not url.startswith("data:")} == {(run / "report.html").as_uri()}
    assert browser.get_log("browser") == []


def test_a_click_sorts_by_a_column_and_another_turns_it_round(browser, run):
    shown(browser, run)
    assert column(browser, 0) == [*VALUES]
    score = next(place for place, one in enumerate(headers(browser)) if one.text.startswith("layer_0"))
    falling = sorted(VALUES, key=VALUES.__getitem__, reverse=True)
    for names, order in ((falling, "descending"), (falling[::-1], "ascending")):
        headers(browser)[score].click()
        assert column(browser, 0) == names
        assert headers(browser)[score].find_element("xpath", "..").get_attribute("aria-sort") == order


def test_the_filter_leaves_lines_with_the_words(browser, run):
    shown(browser, run)
    browser.find_element("id", "filter").send_keys("en")
    assert column(browser, 0) == ["Tense"]


def test_without_script_tables_and_figures_are_there(run):
    without = opened(script=False)
    try:
        shown(without, run)
        assert column(without, 0) == [*VALUES]
        assert len(without.find_elements("css selector", "svg[role=img]")) == 2
        assert not without.find_element("id", "filter").is_displayed()
    finally:
        without.quit()


def test_text_of_a_run_does_nothing(browser, tmp_path):
    folder = predicted_run(tmp_path, "hostile", predictions("Case", {"0": [[1, 0, 1, 1]]}), model=HOSTILE)
    shown(browser, folder)
    assert "onerror=alert(2)" in browser.find_element("css selector", "h1").text
    assert browser.find_elements("css selector", "img") == []
    assert browser.get_log("browser") == []


def test_a_run_of_one_test_by_layer_prints_on_three_pages_at_most_with_its_configuration_folded(browser, tmp_path):
    known = {"macro_f1": 0.5, "random": 0.4, "control": 0.3, "selectivity": 0.2, "interval_low": 0.45}
    rows = [probing("Case", 0.5, layer=f"layer_{layer}", interval_high=0.55, **known) for layer in range(25)]
    as_read(rows, tmp_path / PROBING, libraries={f"library{number}": "1.0" for number in range(15)})
    (tmp_path / PROBING / "config.yaml").write_text("".join(f"key{number}: 1\n" for number in range(300)))
    shown(browser, tmp_path / PROBING)
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 3


def test_a_page_is_no_wider_than_a_phone(browser, run):
    shown(browser, run)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    )
    try:
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_a_picture_draws_is_seen(browser, run):
    """A policy that forbids styles leaves those of attributes."""
    shown(browser, run)
    found = "[...document.querySelectorAll('svg path[stroke=\"#0072b2\"]')].map(one => getComputedStyle(one).stroke)"
    assert set(browser.execute_script(f"return {found}")) == {"rgb(0, 114, 178)"}
    image = browser.find_element("css selector", "svg image")
    assert image.size["width"] > 100


def test_forms_from_right_to_left_keep_their_line(browser, tmp_path):
    forms = np.array(["\u05d9\u05dc\u05d3 (1)", "b", "c", "d"])
    folder = predicted_run(tmp_path, "run", predictions("Case", {"0": [[0, 0, 1, 1]]}, inputs=forms))
    shown(browser, folder)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    cell = browser.find_element("xpath", f"//td/bdi[contains(., '{forms[0]}')]")
    line = cell.find_element("xpath", "../..")
    assert cell.value_of_css_property("unicode-bidi") == "isolate"
    assert [one.text for one in line.find_elements("css selector", "th,td")] == ["1", forms[0], "a", "b", "1"]


def test_every_number_of_the_rows_is_on_the_page(browser, run):
    shown(browser, run)
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    cells = {one.text.split(" ")[0].rstrip("\u2193*\u2020") for one in browser.find_elements("css selector", "td.r")}
    assert {f"{100 * row[name]:.1f}" for row in rows for name in ("value", "majority", "memoriser")} <= cells


_CONTRASTS = """
const parts = text => (text.match(/[\\d.]+/g) || []).map(one => text.startsWith('color(') ? 255 * one : +one);
const linear = v => (v /= 255, v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
const light = rgb => { const [r, g, b] = rgb.map(linear);
  return .2126 * r + .7152 * g + .0722 * b; };
const behind = element => { for (let one = element; one; one = one.parentElement) {
  const found = parts(getComputedStyle(one).backgroundColor); if (found.length === 3 || found[3] > 0) return found; } };
const all = [...document.querySelectorAll('td,th,p,li,h1,h2,h3,summary,dt,dd')];
return all.filter(one => one.offsetParent).map(one => {
  const [a, b] = [light(parts(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
  return [(a + .05) / (b + .05), one.textContent.slice(0, 40)]; });
"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_in_either_scheme(run, dark):
    found = opened(dark=dark)
    try:
        contrasts = shown(found, run).execute_script(_CONTRASTS)
        assert contrasts
        assert [one for one in contrasts if one[0] < 4.5] == []
    finally:
        found.quit()
