"""The report in a real browser: with and without scripts, by keyboard, light, dark, on a phone, in print."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path

import pytest

from report_pages import hostile_page

AXE = Path(
    os.environ.get(
        "PARTITA_AXE",
        Path(__file__).parents[1] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js",
    )
)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="there is no Chromium with its driver: .ci/install-browser has them"
)
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="there is no axe-core: .ci/install-browser has it")

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
WIDE, PHONE, NARROW = 1280, 390, 320


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return hostile_page(tmp_path_factory.mktemp("report")).as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, address):
    """The page as a reader with these settings sees it."""

    def open_page(*, width=WIDE, scheme="light", scripts=True):
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(address)
        return browser

    yield open_page
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})


def requests_of(browser):
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    chain = ActionChains(browser)
    for key in keys:
        chain.send_keys(key)
    chain.perform()


@pytest.fixture
def keys():
    from selenium.webdriver.common.keys import Keys

    return Keys


# --- nothing is said, nothing is sent ---------------------------------------------------------------------


@pytest.mark.parametrize("scripts", [True, False])
def test_nothing_is_asked_for_and_nothing_is_said(opened, address, scripts):
    browser = opened(scripts=scripts)
    sent = requests_of(browser)
    assert sent[0] == address  # so that the log is one
    assert [url for url in sent if url != address and not url.startswith("data:")] == []
    assert browser.get_log("browser") == []


def test_a_script_that_were_to_get_in_would_not_run(opened):
    browser = opened()
    browser.execute_script(
        "const script = document.createElement('script');"
        "script.textContent = 'window.ran = true';"
        "const image = document.createElement('img');"
        "image.src = 'http://127.0.0.1:9/x.png';"
        "document.body.append(script, image);"
    )
    assert browser.execute_script("return window.ran") is None
    said = [entry["message"] for entry in browser.get_log("browser")]
    assert len(said) == 2
    assert all("Content Security Policy" in message for message in said)


# --- with and without scripts -----------------------------------------------------------------------------


def test_the_page_is_complete_without_scripts(opened):
    whole = "return document.body.innerText.replace(/[↕↑↓]/g, '').replace(/\\s+/g, ' ')"
    texts = [opened(scripts=scripts).execute_script(whole) for scripts in (True, False)]
    assert len(texts[0]) > 10_000
    assert texts[0] == texts[1]
    assert opened(scripts=False).execute_script("return document.querySelectorAll('button.sort').length") == 0
    assert opened(scripts=True).execute_script("return document.querySelectorAll('button.sort').length") > 50


COLUMN = (
    "return Array.from(arguments[0].tBodies[0].rows, (row) => row.cells[arguments[1]].textContent.trim())"
)


def test_tables_are_sorted_by_keyboard(opened, keys):
    browser = opened()
    table = browser.find_element("css selector", "#validation-table table")
    heads = [th.text.split("\n")[0].rstrip("↕ ") for th in table.find_elements("css selector", "thead th")]
    place = heads.index("value")
    before = browser.execute_script(COLUMN, table, place)
    region = browser.find_element("css selector", "#validation-table .scroll")
    browser.execute_script("arguments[0].focus()", region)
    while browser.switch_to.active_element.text.rstrip("↕ ") != "value":
        press(browser, keys.TAB)
    head = table.find_elements("css selector", "thead th")[place]
    for key, direction in ((keys.ENTER, "ascending"), (keys.SPACE, "descending")):
        press(browser, key)
        shown = browser.execute_script(COLUMN, table, place)
        numbers = [float(text.split()[0]) for text in shown if text and not text.startswith("nan")]
        assert numbers == sorted(numbers, reverse=direction == "descending")
        assert sorted(shown) == sorted(before)
        assert shown != before
        assert head.get_attribute("aria-sort") == direction
    blank = [text for text in shown if not text or text.startswith("nan")]
    assert shown[len(shown) - len(blank) :] == blank


@pytest.mark.parametrize("scripts", [True, False])
def test_what_an_index_means_is_one_key_away(opened, keys, scripts):
    browser = opened(scripts=scripts)
    button = browser.find_element("css selector", "#validation-table tbody th button")
    card = browser.find_element("id", button.get_attribute("popovertarget"))
    assert not card.is_displayed()
    browser.execute_script("arguments[0].focus()", button)
    press(browser, keys.ENTER)
    assert card.is_displayed()
    assert "formula" in card.text
    assert "reference" in card.text
    press(browser, keys.TAB, keys.ENTER)  # the next stop is what closes it
    assert not card.is_displayed()
    assert browser.switch_to.active_element == button
    press(browser, keys.ENTER, keys.ESCAPE)
    assert not card.is_displayed()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_data_behind_a_figure_are_one_key_away(opened, keys, scripts):
    browser = opened(scripts=scripts)
    details = browser.find_element("css selector", "figure details")
    table = details.find_element("tag name", "table")
    assert not table.is_displayed()
    browser.execute_script("arguments[0].focus()", details.find_element("tag name", "summary"))
    press(browser, keys.ENTER)
    assert table.is_displayed()
    press(browser, keys.SPACE)
    assert not table.is_displayed()


def test_the_first_key_leads_to_the_verdict_and_links_lead_to_their_evidence(opened, keys):
    browser = opened()
    press(browser, keys.TAB)
    assert browser.switch_to.active_element.text == "To the verdict"
    press(browser, keys.ENTER)
    assert browser.current_url.endswith("#verdict")
    press(browser, keys.TAB)
    link = browser.switch_to.active_element
    assert "evidence" in link.get_attribute("class")
    target = link.get_attribute("href").partition("#")[2]
    press(browser, keys.ENTER)
    seen = browser.execute_script(
        "const r = document.getElementById(arguments[0]).getBoundingClientRect();"
        "return r.top < innerHeight && r.bottom > 0",
        target,
    )
    assert seen


# --- how it looks -----------------------------------------------------------------------------------------


@needs_axe
@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", PHONE)])
def test_axe_finds_nothing(opened, browser, scheme, width):
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})  # for axe alone: it comes from outside
    browser = opened(scheme=scheme, width=width)
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    browser.set_script_timeout(120)
    run = (
        "const done = arguments[arguments.length - 1]; axe.run().then(done, (e) => done({error: String(e)}));"
    )
    opening = (
        "for (const one of document.querySelectorAll('details')) one.open = true;"
        "document.querySelector('tbody th button').click();"
    )
    for prepare in ("", opening):
        browser.execute_script(prepare)
        found = browser.execute_async_script(run)
        assert "error" not in found
        assert len(found["passes"]) > 20
        told = [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found["violations"]]
        assert told == []


def test_light_and_dark_follow_the_reader(opened):
    shown = {}
    for scheme in ("light", "dark"):
        browser = opened(scheme=scheme)
        shown[scheme] = browser.execute_script(
            "const style = getComputedStyle(document.documentElement);"
            "const text = getComputedStyle(document.querySelector('figure svg text')).fill;"
            "return [style.backgroundColor, style.color, text]"
        )
    light, dark = shown["light"], shown["dark"]
    assert light[0] != dark[0]
    assert light[1] == light[2]  # figures take on the colour of letters
    assert dark[1] == dark[2]
    assert light[1] != dark[1]


@pytest.mark.parametrize("width", [NARROW, PHONE, 768, WIDE, 1920])
def test_the_page_never_scrolls_sideways(opened, width):
    browser = opened(width=width)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true;")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    wider = browser.execute_script(
        "return Array.from(document.querySelectorAll('main *'))"
        ".filter((one) => !one.closest('.scroll, .picture, pre'))"
        ".filter((one) => one.getBoundingClientRect().right > innerWidth + 1)"
        ".map((one) => one.outerHTML.slice(0, 100))"
    )
    assert wider == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_page_prints(opened, scripts):
    browser = opened(scripts=scripts)
    browser.find_element("css selector", "tbody th button").send_keys("\n")  # it must not cover the print
    made = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    content = base64.b64decode(made["data"])
    assert content.startswith(b"%PDF")
    assert 5 < content.count(b"/Type /Page\n") < 100
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script(
        "const all = (name) => Array.from(document.querySelectorAll(name));"
        "const seen = (name) => all(name).map((one) => one.getBoundingClientRect().height > 0);"
        "return {nav: seen('nav'), figures: seen('figure svg[role=img]'), meanings: seen('.meanings > div'),"
        " cut: all('.scroll').filter((one) => getComputedStyle(one).overflow !== 'visible').length}"
    )
    assert shown["nav"] == [False]
    assert all(shown["figures"])
    assert sum(shown["meanings"]) > 20
    assert shown["cut"] == 0
