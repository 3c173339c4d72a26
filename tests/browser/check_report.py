#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Opens report pages in headless Chromium and prints TAP lines without a plan.

    check_report.py PAGE HOSTILE BROKEN PDF

PAGE is a report with pictures of a simulated record, HOSTILE one whose every text wants to be more than text. BROKEN is
made here of PAGE: a script, a style and a picture from outside slipped in, to see that the checks would see them. PAGE
is printed to PDF.
"""
import base64
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Chromium, Failed, Page  # noqa: E402

PICTURES = "[...document.images].map(i => [i.naturalWidth, i.naturalHeight, i.complete])"


def tell(good, title, *more):
    print("%s - %s" % ("ok" if good else "not ok", title))
    for line in more if not good else ():
        print("# %s" % line)


def equal(got, want, title):
    tell(got == want, title, "got:  %r" % (got,), "want: %r" % (want,))


def check_quiet(page, title):
    equal(page.complaints(), [], "%s: nothing on the console, no exception, no refusal by its policy" % title)
    equal(page.requests(), [], "%s: no request leaves the page" % title)
    equal(len(page.files()), 1, "%s: the only file it reads is itself" % title)


def check_pictures(page, title):
    sizes = page.ask(PICTURES)
    tell(len(sizes) >= 3 and all(w > 0 and h > 0 and done for w, h, done in sizes),
         "%s: its %d pictures are decoded" % (title, len(sizes)), sizes)


def check_slider(page):
    equal(page.ask("document.querySelectorAll('.slider input[type=range]').length > 0"), True, "slider: there is one")
    script = """(() => { const range = document.querySelector('.slider input'),
        over = document.querySelector('.stack img + img'), seen = [];
        for (const value of [0, 25, 100]) { range.value = value;
            range.dispatchEvent(new Event('input', {bubbles: true})); seen.push(getComputedStyle(over).clipPath); }
        return seen; })()"""
    equal(page.ask(script), ["inset(0px 0px 0px 0%)", "inset(0px 0px 0px 25%)", "inset(0px 0px 0px 100%)"],
          "slider: its value moves the border")
    equal(page.ask("document.querySelector('.slider input').labels[0].textContent.length > 0 &&"
                   " document.querySelector('.slider input').getAttribute('aria-valuetext')"),
          "100 % reference, the rest output", "slider: it has a label and says its value in words")


def check_slider_shows(page):
    """What is seen, not what is styled: at 0 the output covers all, at 100 the reference is seen, and they are not the
    same picture. And by the keyboard as well."""
    def shot(value):
        page.ask("(r => { r.value = %d; r.dispatchEvent(new Event('input')); "
                 "r.scrollIntoView(); })(document.querySelector('.slider input'))" % value)
        box = page.ask("(r => [r.x + scrollX, r.y + scrollY, r.width, r.height])"
                       "(document.querySelector('.stack').getBoundingClientRect())")
        clip = dict(zip(("x", "y", "width", "height"), box), scale=1)
        return page.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]

    left, middle, right = shot(100), shot(50), shot(0)
    tell(left != middle and middle != right and left != right, "slider: reference, both halves and output are seen")
    page.ask("document.querySelector('.slider input').focus()")
    for kind in ("rawKeyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    equal(page.ask("document.querySelector('.slider input').value"), "1", "slider: the arrow keys move it")


def check_exposure(page):
    script = """(() => { const group = document.querySelector('.slider [role=group]'), seen = [];
        for (const button of group.querySelectorAll('button')) { button.click();
            seen.push([button.textContent, document.querySelector('.stack img').src]); }
        return seen.map(([text]) => text).concat(new Set(seen.map(([, src]) => src)).size); })()"""
    equal(page.ask(script), ["-2 stops", "0 stops", "+2 stops", 3], "exposure: three buttons, three pictures")


def check_simulated(page):
    equal(page.ask("document.title.startsWith('SIMULATED ')"), True, "SIMULATED: in the title")
    equal(page.ask("document.querySelectorAll('.banner').length"), 1, "SIMULATED: a banner")
    equal(page.ask("[...document.querySelectorAll('.module svg, .chart svg')].filter(s => !s.textContent.includes("
                   "'SIMULATED') || !s.getAttribute('aria-label').startsWith('SIMULATED')).length"), 0,
          "SIMULATED: in each drawing and chart")
    tell(page.ask("document.querySelectorAll('.module svg').length") > 0 and
         page.ask("document.querySelectorAll('.chart svg').length") >= 3, "there are drawings and three kinds of charts")


def check_phone(page):
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    equal(page.ask("document.documentElement.scrollWidth <= 390"), True, "phone: nothing is wider than 390 pixels")
    small = page.ask("""[...document.querySelectorAll('svg text')].filter(t => t.textContent.trim() &&
        t.getScreenCTM().a * parseFloat(getComputedStyle(t).fontSize) < 9).length""")
    equal(small, 0, "phone: no text of a drawing is smaller than 9 pixels")
    page.call("Emulation.clearDeviceMetricsOverride")


CONTRAST = """(() => {
    const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
    const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255,255,255)'; };
    let least = 99;
    for (const e of document.querySelectorAll('h1,p,.good,.bad,.open,.sim,.soft,.unknown,td,th,a,small')) {
        if (!e.textContent.trim()) continue;
        const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
        least = Math.min(least, (a + 0.05) / (b + 0.05)); }
    return least; })()"""


def check_contrast(page):
    """WCAG 2.1, 1.4.3: 4.5 to 1."""
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        least = page.ask(CONTRAST)
        tell(least >= 4.5, "%s: text stands out from its ground by at least 4.5 to 1" % scheme, least)
    page.call("Emulation.setEmulatedMedia", features=[])


def check_print(page, path):
    data = page.call("Page.printToPDF", printBackground=True)["data"]
    pathlib.Path(path).write_bytes(base64.b64decode(data))
    page.call("Emulation.setEmulatedMedia", media="print")
    equal(page.ask("getComputedStyle(document.querySelector('.watermark')).display"), "block", "print: marked on each page")
    page.call("Emulation.setEmulatedMedia", media="")


def check_without_script(browser, url):
    page = Page(browser, script=False)
    page.open(url)
    check_pictures(page, "without script")
    equal(page.ask("document.querySelectorAll('.slider').length"), 0, "without script: no slider that does nothing")


def check_hostile(browser, url):
    page = Page(browser)
    page.open(url)
    check_quiet(page, "hostile texts")
    equal(page.ask("[document.scripts.length, typeof window.evil, document.querySelectorAll('[onerror],[onload],iframe,"
                   "object,embed,link,form,base').length]"), [1, "undefined", 0], "hostile texts: nothing of them is markup")
    text = page.ask("document.body.textContent")
    for shown in ("<script>window.evil=1</script>", "<img src=x onerror=window.evil=2>", "\\u202e", "]]>", "\\x1b[2J",
                  "</title><svg onload=window.evil=3>", "more bytes in the record]"):
        tell(shown in text, "hostile texts: %s is shown" % shown)
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    equal(page.ask("document.documentElement.scrollWidth <= 390"), True, "hostile texts: the longest does not widen a phone")


def break_page(source, target):
    text = pathlib.Path(source).read_text(encoding="utf-8")
    slipped = ('<img src="https://127.0.0.1:9/x.png"><style>body{color:red}</style><script>window.evil = 1</script>'
               '<svg onload="window.evil = 2"></svg>')
    pathlib.Path(target).write_text(text.replace("</nav>", "</nav>" + slipped), encoding="utf-8")


def check_broken(browser, url):
    """What if something slipped through: the policy stops it, and the checks above would tell."""
    page = Page(browser)
    page.open(url)
    equal(page.ask("typeof window.evil"), "undefined", "a script that slipped in does not run")
    tell(len(page.complaints()) >= 4, "and each of four things that slipped in is refused aloud", page.complaints())
    sent = [e for e in page.of("Network.responseReceived") if e["response"]["url"].startswith("http")]
    equal(sent, [], "no answer from outside is taken")


def main():
    report, hostile, broken, pdf = (pathlib.Path(p).absolute() for p in sys.argv[1:])
    break_page(report, broken)
    with Chromium() as browser:
        page = Page(browser)
        page.open(report.as_uri())
        check_quiet(page, "report")
        check_pictures(page, "report")
        check_slider(page)
        check_slider_shows(page)
        check_exposure(page)
        check_simulated(page)
        check_phone(page)
        check_contrast(page)
        check_print(page, pdf)
        check_quiet(page, "report, used and printed")
        check_without_script(browser, report.as_uri())
        check_hostile(browser, hostile.as_uri())
        check_broken(browser, broken.as_uri())


try:
    main()
except Failed as failed:
    tell(False, "the browser does what it is asked", failed)
