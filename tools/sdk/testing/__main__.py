"""Starts a service and runs the tests of the clients against it; see tools/sdk/test."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import packages
from service import Service

ROOT = Path(__file__).resolve().parents[3]
SDK = ROOT / "sdk"


def run(command, where, **environment):
    """Runs a command to its end; it ends the tests if it fails."""
    finished = subprocess.run(command, cwd=where, env={**os.environ, **environment}, check=False)
    if finished.returncode != 0:
        sys.exit(f"failed in {where.relative_to(ROOT) if where.is_relative_to(ROOT) else where}: {' '.join(map(str, command))}")


def check_document(tonearm):
    """The clients are made from what this program describes."""
    printed = subprocess.run([tonearm, "openapi"], check=True, capture_output=True).stdout
    if json.loads(printed) != json.loads((SDK / "openapi.json").read_bytes()):
        sys.exit("sdk/openapi.json is not what `tonearm openapi` prints: run `make sdk`")
    run([ROOT / "tools/sdk/generate", "--check"], ROOT)


def test_typescript(environment, scratch):
    node = shutil.which("node")
    if not node:
        print("The TypeScript client is not tested: that takes node.")
        return
    tests = sorted(str(path) for path in (SDK / "typescript/test").glob("*.test.js"))
    run([node, "--test", *tests], SDK / "typescript", **environment)
    packages.test_npm(run, environment, scratch)


def test_collection(environment):
    """A real reader of collections reads ours and sends its requests."""
    folder, collection = ROOT / "tools/sdk", SDK / "postman/tonearm.postman_collection.json"
    node = shutil.which("node")
    if not node or not (folder / "node_modules/newman").exists():
        print("The Postman collection is not tested: that takes node, and Newman, which tools/sdk/fetch could not fetch.")
        return
    run([node, folder / "testing/collection.mjs", folder, collection], ROOT, **environment)


def test_python(environment, scratch):
    tests = [sys.executable, "-m", "unittest", "discover", "-t", ".", "-s", "tests"]
    run(tests, SDK / "python", PYTHONPATH=str(SDK / "python/src"), **environment)
    packages.test_wheel(run, environment, scratch)


def main(tonearm):
    check_document(tonearm)
    with tempfile.TemporaryDirectory() as scratch, Service(tonearm, Path(scratch) / "data") as service:
        environment = {**service.environment(), "PYTHONDONTWRITEBYTECODE": "1"}
        test_typescript(environment, Path(scratch))
        test_python(environment, Path(scratch))
        # Last, as it creates what the others would find.
        test_collection(environment)


main(*sys.argv[1:])
