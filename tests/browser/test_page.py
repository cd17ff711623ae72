"""Pages in a real browser: what a reader clicks works, nothing is loaded, and without script all is there."""

import json
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
    """Three tests over four layers, with a memoriser that is above some scores."""
    rows = [
        probing(
            test, value + 0.02 * layer, layer=f"layer_{layer}", interval_low=value - 0.05, interval_high=value + 0.1
        )
        for test, value in (("Case", 0.5), ("Tense", 0.8), ("Number", 0.3))
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
    assert urls == {(run / "report.html").as_uri()}
    assert browser.get_log("browser") == []


def test_a_click_sorts_by_a_column_and_another_turns_it_round(browser, run):
    shown(browser, run)
    assert column(browser, 0) == ["Case", "Tense", "Number"]
    score = next(place for place, one in enumerate(headers(browser)) if one.text.startswith("layer_0"))
    for names, order in ((["Tense", "Case", "Number"], "descending"), (["Number", "Case", "Tense"], "ascending")):
        headers(browser)[score].click()
        assert column(browser, 0) == names
        assert headers(browser)[score].find_element("xpath", "..").get_attribute("aria-sort") == order


def test_the_switch_shows_differences_from_a_baseline_and_back(browser, run):
    shown(browser, run)
    score = next(place for place, one in enumerate(headers(browser)) if one.text.startswith("layer_0"))
    before = column(browser, score)
    browser.find_element("css selector", "input[value=memoriser]").click()
    assert column(browser, score) == ["+15.0", "+45.0", "\u22125.0"]
    for _ in ("falling", "rising"):
        headers(browser)[score].click()
    assert column(browser, score) == ["\u22125.0", "+15.0", "+45.0"]
    browser.find_element("css selector", "input[type=radio]").click()
    assert sorted(column(browser, score)) == sorted(before)


def test_the_filter_leaves_lines_with_the_words(browser, run):
    shown(browser, run)
    browser.find_element("id", "filter").send_keys("en")
    assert column(browser, 0) == ["Tense"]


def test_without_script_tables_and_figures_are_there(run):
    without = opened(script=False)
    try:
        shown(without, run)
        assert column(without, 0) == ["Case", "Tense", "Number"]
        assert len(without.find_elements("css selector", "svg[role=img]")) == 4
        assert not without.find_element("id", "filter").is_displayed()
    finally:
        without.quit()


def test_text_of_a_run_does_nothing(browser, tmp_path):
    folder = predicted_run(tmp_path, "hostile", predictions("Case", {"0": [[1, 0, 1, 1]]}), model=HOSTILE)
    shown(browser, folder)
    assert "onerror=alert(2)" in browser.find_element("css selector", "h1").text
    assert browser.find_elements("css selector", "img") == []
    assert browser.get_log("browser") == []


def test_in_print_all_that_is_folded_is_there(browser, tmp_path):
    folder = predicted_run(tmp_path, "run", predictions("Case", {"0": [[1, 0, 1, 1]]}))
    shown(browser, folder)
    assert not browser.find_element("css selector", "details table").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        heights = browser.execute_script(
            "return [...document.querySelectorAll('details table')].map(one => one.getBoundingClientRect().height)"
        )
        assert len(heights) == 3
        assert min(heights) > 20
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


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
const all = [...document.querySelectorAll('td,th,p,li,h1,h2,h3,summary,figcaption')];
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
