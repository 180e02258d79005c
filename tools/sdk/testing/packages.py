"""Packs the clients as they are published, installs them into clean folders, and runs the examples of their READMEs there."""

import filecmp
import re
import shutil
import sys
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SDK = ROOT / "sdk"
TSC = ROOT / "tools/sdk/node_modules/.bin/tsc"
# The environment that tools/sdk/fetch makes.
PYTHON = ROOT / ".cache/sdk/bin/python"


def examples(readme, language):
    """The examples of a page, which belong together."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit(f"{readme} has no examples")
    return "\n".join(blocks)


def song(folder):
    """What the examples upload."""
    with wave.open(str(folder / "song.wav"), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(16_000))


def test_npm(run, environment, scratch):
    npm = shutil.which("npm")
    if not npm:
        print("The npm package is not tested: that takes npm.")
        return
    typed = TSC.exists()
    if typed:
        check_declarations(run, scratch)
    else:
        print("The types of the TypeScript client are not tested: tools/sdk/fetch could not fetch TypeScript.")
    folder = scratch / "npm"
    folder.mkdir()
    run([npm, "pack", "--silent", "--pack-destination", folder], SDK / "typescript")
    [package] = folder.glob("*.tgz")
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    run([npm, "install", "--silent", "--offline", "--no-audit", "--no-fund", package], folder)
    song(folder)
    text = examples(SDK / "typescript/README.md", "js")
    (folder / "example.js").write_text(text, encoding="utf-8")
    run(["node", "example.js"], folder, **environment)
    if typed:
        check_consumer(run, folder, text)


def check_declarations(run, scratch):
    """The types that are checked in are those of the sources."""
    folder = scratch / "types"
    run([TSC, "-p", ".", "--outDir", folder], SDK / "typescript")
    stale = differing(filecmp.dircmp(folder, SDK / "typescript/types"))
    if stale:
        sys.exit(f"sdk/typescript/types is older than the sources ({', '.join(stale)}): run `make sdk`")


def differing(compared):
    found = compared.left_only + compared.right_only + compared.diff_files + compared.funny_files
    for inner in compared.subdirs.values():
        found += differing(inner)
    return found


def check_consumer(run, folder, text):
    """A program in TypeScript that uses the package, as strictly as the compiler can be."""
    (folder / "example.ts").write_text(text, encoding="utf-8")
    for resolution in (["nodenext", "nodenext"], ["esnext", "bundler"]):
        run([
            TSC, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", resolution[0],
            "--moduleResolution", resolution[1], "--types", "node",
            "--typeRoots", ROOT / "tools/sdk/node_modules/@types", "example.ts",
        ], folder)


def test_wheel(run, environment, scratch):
    if not PYTHON.exists():
        print("The Python package is not tested: tools/sdk/fetch could not fetch what builds it.")
        return
    # Of a copy: a build leaves files beside the sources.
    source = scratch / "python"
    shutil.copytree(SDK / "python", source)
    run([PYTHON, "-m", "mypy", "--cache-dir", scratch / "mypy"], source)
    wheels = scratch / "wheels"
    run([PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps",
         "--no-index", "--wheel-dir", wheels, source], scratch)
    [wheel] = wheels.glob("tonearm-*.whl")
    folder = scratch / "clean"
    run([PYTHON, "-m", "venv", folder], scratch)
    installed = folder / "bin/python"
    run([installed, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-index", wheel], folder)
    song(folder)
    text = examples(SDK / "python/README.md", "python")
    (folder / "example.py").write_text(text, encoding="utf-8")
    run([installed, "example.py"], folder, **environment)
    # Type checkers find the types of the installed package.
    run([PYTHON, "-m", "mypy", "--strict", "--python-executable", installed, "--cache-dir", scratch / "mypy-clean", "example.py"], folder)
