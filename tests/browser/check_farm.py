#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a farm's page in headless Chromium, uses it as a person would, and prints TAP lines without a plan.

    check_farm.py PAGE PDF

PAGE is that of tests/cli/82-farm-report.sh: ten nodes, eight GCDs, hostile names.
"""
import base64
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Chromium, Failed, Page  # noqa: E402


def tell(good, title, *more):
    print("%s - %s" % ("ok" if good else "not ok", title))
    for line in more if not good else ():
        print("# %s" % line)


def equal(got, want, title):
    tell(got == want, title, "got:  %r" % (got,), "want: %r" % (want,))


STATUS = "document.getElementById('status').textContent"
CELLS = "[...document.querySelectorAll('.grid .body .row')].map(r => r.children[%d].textContent)"


def put(page, name, value, kind):
    page.ask("(e => { e.value = %r; e.dispatchEvent(new Event(%r)); })(document.getElementById(%r))" % (value, kind, name))


def key(page, name, code):
    for kind in ("rawKeyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)


def check_rows(page):
    equal(page.ask(STATUS), "SIMULATED: 8 of 8 GCDs", "all GCDs are there")
    names = page.ask(CELLS % 0)
    equal(sorted(set(n.split(" ")[0] for n in names)), ["SIMULATED", "beta"], "a simulated row says so, an observed one does not")
    put(page, "search", "alpha no-output", "input")
    equal(page.ask(STATUS), "SIMULATED: 1 of 8 GCDs", "search: every word must be there")
    put(page, "search", "0000:C1", "input")
    equal(page.ask(STATUS), "SIMULATED: 4 of 8 GCDs", "search: an address, in any case")
    put(page, "search", "no such thing", "input")
    equal([page.ask(STATUS), page.ask(CELLS % 0)], ["SIMULATED: 0 of 8 GCDs", []], "search: nothing is nothing")
    put(page, "search", "", "input")
    put(page, "verdict", "accepted", "change")
    equal(page.ask(CELLS % 4), ["\u2713 accepted"] * 4, "filter by verdict")
    put(page, "source", "2", "change")
    equal(page.ask(CELLS % 0), ["beta"], "and by source")
    put(page, "source", "", "change")
    put(page, "verdict", "", "change")


def check_sort(page):
    page.ask("document.querySelectorAll('.grid .head button')[4].click()")
    up = page.ask(CELLS % 4)
    equal([page.ask("document.querySelectorAll('[role=columnheader]')[4].getAttribute('aria-sort')"), up[0], up[-1]],
          ["ascending", "\u2713 accepted", "\u2717 no-output"], "sorted by verdict, and says so")
    page.ask("document.querySelectorAll('.grid .head button')[4].click()")
    equal([page.ask("document.querySelectorAll('[role=columnheader]')[4].getAttribute('aria-sort')"),
           page.ask(CELLS % 4)[0]], ["descending", "\u2717 no-output"], "and the other way")


def check_nodes(page):
    put(page, "view", "nodes", "change")
    equal(page.ask(STATUS), "SIMULATED: 10 of 10 nodes", "nodes: all of them, with a record or not")
    put(page, "outcome", "record-damaged", "change")
    equal(sorted(page.ask(CELLS % 0)), ["liar", "swapped", "torn"], "filter by outcome")
    tell(set(page.ask(CELLS % 2)) == {"unknown"}, "of which nothing is known, not 0")
    put(page, "outcome", "", "change")


def check_keys(page):
    page.ask("document.getElementById('grid').focus()")
    key(page, "End", 35)
    equal(page.ask("document.querySelector('[aria-selected=true]').getAttribute('aria-rowindex')"), "11", "keys: End")
    key(page, "Home", 36)
    key(page, "ArrowDown", 40)
    equal(page.ask("document.getElementById(document.getElementById('grid').getAttribute('aria-activedescendant'))"
                   ".getAttribute('aria-rowindex')"), "3", "keys: Home and down, and it is the active one")
    equal(page.ask("document.getElementById('detail').hidden"), True, "nothing is open")
    key(page, "Enter", 13)
    text = page.ask("document.getElementById('detail').textContent")
    tell("beta" in text and "SHA-256" in text and "unique id" in text, "keys: Enter opens the node with its digest and GCDs", text)


def check_hostile(page):
    equal(page.ask("typeof window.evil"), "undefined", "hostile names: nothing of them runs")
    equal(page.ask("document.querySelectorAll('img,svg,iframe,form,a,b,i,link,object').length"), 0, "or is markup")
    put(page, "search", "window.evil", "input")
    put(page, "view", "gcds", "change")
    equal(page.ask(STATUS), "SIMULATED: 2 of 8 GCDs", "but is found")
    tell("<script>" in page.ask("document.querySelector('.grid .body').textContent"), "and shown as it is",
         page.ask("document.querySelector('.grid .body').textContent"))
    put(page, "search", "", "input")


CONTRAST = """(() => {
    const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
    const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255,255,255)'; };
    let least = 99;
    for (const e of document.querySelectorAll('h1,h2,p,td,th,button,label,input,.grid .row > *')) {
        if (!e.textContent.trim()) continue;
        const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
        least = Math.min(least, (a + 0.05) / (b + 0.05)); }
    return least; })()"""


def check_looks(page, pdf):
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tell(page.ask(CONTRAST) >= 4.5, "%s: text stands out by at least 4.5 to 1" % scheme, page.ask(CONTRAST))
    page.call("Emulation.setEmulatedMedia", features=[])
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    equal(page.ask("document.documentElement.scrollWidth <= 390"), True, "phone: only the rows scroll sideways")
    page.call("Emulation.clearDeviceMetricsOverride")
    page.ask("window.dispatchEvent(new Event('beforeprint'))")
    equal(page.ask("document.querySelectorAll('#printed tbody tr').length"), 8, "print: the rows are a table on paper")
    page.ask("window.dispatchEvent(new Event('afterprint'))")
    pathlib.Path(pdf).write_bytes(base64.b64decode(page.call("Page.printToPDF", printBackground=True)["data"]))
    page.call("Emulation.setEmulatedMedia", media="print")
    equal(page.ask("getComputedStyle(document.querySelector('.watermark')).display"), "block", "print: marked on each page")
    page.call("Emulation.setEmulatedMedia", media="")


def main():
    url, pdf = pathlib.Path(sys.argv[1]).absolute().as_uri(), sys.argv[2]
    with Chromium() as browser:
        page = Page(browser)
        page.open(url)
        equal(page.ask("document.title.startsWith('SIMULATED ') && document.querySelectorAll('.banner').length"), 1,
              "SIMULATED: in the title and a banner")
        check_rows(page)
        check_sort(page)
        check_nodes(page)
        check_keys(page)
        check_hostile(page)
        check_looks(page, pdf)
        equal(page.complaints(), [], "nothing on the console, no exception, no refusal by its policy")
        equal(page.requests(), [], "no request leaves the page")
        equal(len(page.files()), 1, "the only file it reads is itself")
        bare = Page(browser, script=False)
        bare.open(url)
        text = bare.ask("document.body.innerText") or ""
        tell("torn" in text and "node-down" in text and "--json" in text, "without script: counts, undecided nodes and where the rows are",
             text[:500])


try:
    main()
except Failed as failed:
    tell(False, "the browser does what it is asked", failed)
