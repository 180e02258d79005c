"""A service of its own, with an organization and a collection."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

# How long a service may take to start, in seconds: debug builds on busy machines are slow.
START = 120


class Service:
    def __init__(self, tonearm, data):
        self.tonearm, self.data = tonearm, data
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def __enter__(self):
        self.data.mkdir()
        own = {name: value for name, value in os.environ.items() if not name.startswith("TONEARM_")}
        # The receivers of webhooks are on this machine.
        self.own = {**own, "TONEARM_OUTBOUND_ALLOW_PRIVATE": "true"}
        command = [self.tonearm, "--data-dir", self.data, "serve", "--listen", f"127.0.0.1:{self.port}"]
        self.log = open(self.data / "log", "wb")
        self.process = subprocess.Popen(command, env=self.own, stdout=self.log, stderr=self.log)
        try:
            self.wait()
            created = self.command("org", "create", "--name", "SDK")
            self.organization = created["organization_id"]
            key = self.command("key", "create", "--org", self.organization, "--type", "api", "--downloads")
            self.key = key["api_key"]
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def wait(self):
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            try:
                return urllib.request.urlopen(self.url + "/healthz", timeout=10).close()
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        sys.exit("the service did not start:\n" + (self.data / "log").read_text(errors="replace"))

    def command(self, *arguments):
        command = [self.tonearm, "--data-dir", self.data, *arguments, "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, env=self.own).stdout)

    def environment(self):
        """What the tests find the service by."""
        request = urllib.request.Request(
            self.url + "/v1/collection",
            json.dumps({"title": "SDK"}).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            collection = json.load(response)["collection_id"]
        return {
            "TONEARM_SERVER": self.url,
            "TONEARM_API_KEY": self.key,
            "TONEARM_TEST_COLLECTION": collection,
            "TONEARM_TEST_ORGANIZATION": self.organization,
        }
