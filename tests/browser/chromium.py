# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to in the DevTools protocol over two pipes (--remote-debugging-pipe: JSON messages on its
descriptors 3 and 4, each ended by NUL). The protocol: https://chromedevtools.github.io/devtools-protocol/"""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Failed(Exception):
    pass


class Chromium:
    """`with Chromium() as browser:`; nothing of it is left afterwards."""

    def __init__(self, program="chromium", seconds=300):
        self.deadline = time.monotonic() + seconds
        self.home = tempfile.mkdtemp(prefix="oamqual-chromium-")
        self.last, self.answers, self.events, self.rest = 0, {}, [], b""
        commands, answers = os.pipe(), os.pipe()
        arguments = [program, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--remote-debugging-pipe", "--user-data-dir=" + self.home, "about:blank"]
        if os.getuid() == 0:
            arguments.insert(1, "--no-sandbox")  # it refuses to start as root with it
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.home), start_new_session=True, close_fds=False,
            preexec_fn=lambda: self.place(commands[0], answers[1]))
        os.close(commands[0])
        os.close(answers[1])
        self.to, self.back = commands[1], answers[0]

    @staticmethod
    def place(commands, answers):
        """In the child: 3 is where it reads, 4 where it writes."""
        high = os.dup(commands), os.dup(answers)
        while min(high) < 5:
            high = os.dup(high[0]), os.dup(high[1])
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)
        os.closerange(5, 256)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self):
        """Waits for the next message, and puts it where it belongs."""
        while b"\0" not in self.rest:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise Failed("the browser did not answer in time")
            more = os.read(self.back, 1 << 16)
            if not more:
                raise Failed("the browser ended: status %s" % self.process.poll())
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(message)
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.events.append(message)

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        wanted = self.last
        while wanted not in self.answers:
            self.receive()
        answer = self.answers.pop(wanted)
        if "error" in answer:
            raise Failed("%s: %s" % (method, answer["error"].get("message")))
        return answer["result"]


class Page:
    """A page of its own, with what it asked for and complained of."""

    def __init__(self, browser, script=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def of(self, *methods):
        return [e["params"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] in methods]

    def open(self, url):
        before = len(self.of("Page.loadEventFired"))
        answer = self.call("Page.navigate", url=url)
        if answer.get("errorText"):
            raise Failed("%s: %s" % (url, answer["errorText"]))
        while len(self.of("Page.loadEventFired")) == before:
            self.browser.receive()

    def ask(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed("%s: %s" % (expression, details.get("exception", details).get("description", details)))
        return answer["result"].get("value")

    def requests(self):
        """What the page asked for, but itself and the pictures inside it."""
        urls = [e["request"]["url"] for e in self.of("Network.requestWillBeSent")]
        return [url for url in urls if not url.startswith(("data:", "file:"))] + \
            ["websocket"] * len(self.of("Network.webSocketCreated"))

    def files(self):
        return [e["request"]["url"] for e in self.of("Network.requestWillBeSent")
                if e["request"]["url"].startswith("file:")]

    def complaints(self):
        """Console messages, log entries (a policy's refusals are among them), exceptions, dialogs."""
        texts = []
        for e in self.of("Runtime.consoleAPICalled"):
            texts.append("console: %s" % [a.get("value", a.get("description")) for a in e["args"]])
        texts += ["log: %s" % e["entry"]["text"] for e in self.of("Log.entryAdded")]
        texts += ["exception: %s" % e["exceptionDetails"]["text"] for e in self.of("Runtime.exceptionThrown")]
        texts += ["dialog: %s" % e["message"] for e in self.of("Page.javascriptDialogOpening")]
        return texts
