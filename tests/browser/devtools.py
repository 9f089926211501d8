"""Controls headless Chromium with the DevTools protocol, through a pipe."""

import base64
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from harness import wait_for  # noqa: E402

TIMEOUT = 30  # seconds
SHIFT = 8  # the Shift key in the protocol's `modifiers`


class Browser:
    """A browser with one page. Used as a context manager."""

    def __init__(self, flags):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.write = os.pipe()
        self.read, answers = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec chromium "$@" 3<&{commands} 4>&{answers}', "bash", "--remote-debugging-pipe", *flags,
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.received, self.count, self.session = b"", 0, None
        targets = self.wait(lambda: [target for target in self.send("Target.getTargets")["targetInfos"] if target["type"] == "page"])
        self.session = self.send("Target.attachToTarget", targetId=targets[0]["targetId"], flatten=True)["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        self.profile.cleanup()

    def message(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.received:
            if not select.select([self.read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            data = os.read(self.read, 1 << 20)
            if not data:
                raise EOFError("Chromium has ended")
            self.received += data
        text, _, self.received = self.received.partition(b"\0")
        return json.loads(text)

    def send(self, method, **parameters):
        """Sends a command, and returns its result."""
        self.count += 1
        command = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write, json.dumps(command).encode() + b"\0")
        while (answer := self.message()).get("id") != self.count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, holds, what="the expected state of the page"):
        """Calls `holds` until its result is true, and returns that result. `what`: see wait_for()."""
        return wait_for(holds, what, TIMEOUT)

    def open(self, url):
        self.send("Page.enable")
        self.send("Page.navigate", url=url)

    def evaluate(self, expression):
        """Returns the value of an expression. If that is a promise, waits for its result."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression):
        return self.wait(lambda: self.evaluate(expression))

    def press(self, key, shift=False):
        common = {"key": key, "modifiers": SHIFT if shift else 0}
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def drag(self, start, end):
        """Presses the mouse's left button at one point, and releases it at another."""
        for kind, (x, y), buttons in (("mousePressed", start, 1), ("mouseMoved", end, 1), ("mouseReleased", end, 0)):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def screenshot(self):
        """Returns a PNG of the whole page, including the part outside the window."""
        size = self.wait(lambda: (found := self.send("Page.getLayoutMetrics")["cssContentSize"])["width"] and found)
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                          clip={**size, "scale": 1})["data"])
