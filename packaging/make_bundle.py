#!/usr/bin/env python3
"""Copies the program and the libraries that it needs into a relocatable folder.

  packaging/make_bundle.py FOLDER --start FILE --pages FOLDER --module FILE [--loads LIBRARY]...

--start   the built packaging/start.c
--pages   the build's share/: manual page, completions
--module  the program as a library, NAME.so, which bin/NAME will start
--loads   the name of a library that the program loads at run time, such as libavdevice.so.59

Uses the libraries as installed by Debian, with their licenses. Replaces FOLDER."""

import argparse
import fnmatch
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
ENVIRONMENT = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/sbin:/usr/sbin", "LC_ALL": "C"}
# glibc's libraries are not shipped: they must match the system's dynamic loader.
LIBC = re.compile(r"(ld-linux-x86-64|lib(anl|c|dl|m|mvec|nsl|pthread|resolv|rt|thread_db|util))\.so")

HEAD = """\
The libraries of this bundle, their Debian packages, and the packages' sources, all available from
https://snapshot.debian.org. licenses/ has the license of each. FFmpeg is built with GPL parts: the bundle as a whole is
under the GPL, version 3 or later; glyphreel's own sources are under the MIT license.

"""


class NotMade(Exception):
    """Why the bundle cannot be made, in one sentence."""


def output(*words, **options):
    try:
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT, **options)
    except FileNotFoundError as missing:
        raise NotMade(f"{missing.filename} is missing; on Debian, run apt-get install -y patchelf binutils") from missing
    if done.returncode != 0:
        raise NotMade(f"{words[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def patterns(name):
    """Returns the patterns of library names that the file packaging/`name` lists."""
    lines = (line.split("#")[0].strip() for line in (ROOT / "packaging" / name).read_text().splitlines())
    return [line for line in lines if line]


SYSTEM_FIRST, LEFT_OUT = patterns("system_first"), patterns("left_out")


def is_one_of(name, names):
    return any(fnmatch.fnmatchcase(name.split(".so")[0], pattern) for pattern in names)


@functools.cache
def needed(path):
    """Returns the libraries that a file needs, except glibc's."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", path))
    return [name for name in names if not LIBC.match(name)]


@functools.cache
def symbols(path, which):
    """Returns {name: type} of a library's dynamic symbols. `which`: --defined-only or --undefined-only."""
    lines = output("nm", "-D", which, "--without-symbol-versions", path).splitlines()
    return {line.split()[-1]: line.split()[-2] for line in lines}


def installed():
    """Returns {name: path} of the libraries known to this machine's loader. If a name has several paths, the first wins."""
    found = {}
    for name, path in re.findall(r"^\t(\S+) \(libc6,x86-64.*\) => (\S+)$", output("ldconfig", "-p"), re.MULTILINE):
        found.setdefault(name, path)
    return found


def closure(module, loads):
    """Returns {name: path} of all libraries that the program needs, except those that only left-out libraries need."""
    known, shipped = installed(), {}
    for name in loads:
        if name not in known:
            raise NotMade(f"{name}, which the program loads, is not installed; install its package")
    waiting = [module, *(known[name] for name in loads)]
    shipped.update({name: known[name] for name in loads})
    found = {}  # from ldd, which, unlike installed(), also searches each library's own run path
    for path in waiting:
        found.update(re.findall(r"^\t(\S+) => (/\S+) ", output("ldd", path), re.MULTILINE))
    while waiting:
        path = waiting.pop()
        for name in needed(path):
            if name in shipped:
                continue
            if name not in found:
                raise NotMade(f"{path} needs {name}, which is not installed; install its package")
            shipped[name] = found[name]
            if not is_one_of(name, LEFT_OUT):
                waiting.append(found[name])
    return dict(sorted(shipped.items()))


def stand_in(name, shipped, place):
    """Builds a stub library with those symbols of `name` that other shipped libraries use."""
    users = [path for other, path in shipped.items() if not is_one_of(other, LEFT_OUT) and name in needed(path)]
    wanted = sorted({symbol for path in users for symbol in symbols(path, "--undefined-only")})
    has = symbols(shipped[name], "--defined-only")
    source = "".join(f"long {symbol}(void) {{ return 0; }}\n" if has[symbol] in "TWi" else f"char {symbol}[256];\n"
                     for symbol in wanted if symbol in has)
    output(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", "-s", "-fno-builtin", f"-Wl,-soname,{name}", "-x", "c", "-",
           "-o", place, input=source)


def set_runpath(path):
    output("patchelf", "--set-rpath", "$ORIGIN", path)


def copy_libraries(shipped, folder):
    for name, path in shipped.items():
        place = folder / "lib" / ("system" if is_one_of(name, SYSTEM_FIRST) else "") / name
        if is_one_of(name, LEFT_OUT):
            stand_in(name, shipped, place)
        else:
            shutil.copyfile(os.path.realpath(path), place)
        set_runpath(place)


def system_order(shipped):
    """Returns the libraries of lib/system in the order in which start.c loads them: dependencies first."""
    order = []

    def add(name):
        if name in order:
            return
        for other in [] if is_one_of(name, LEFT_OUT) else needed(shipped[name]):
            if not is_one_of(other, SYSTEM_FIRST):
                raise NotMade(f"{name} needs {other}; add {other} to packaging/system_first")
            add(other)
        order.append(name)

    for name in shipped:
        if is_one_of(name, SYSTEM_FIRST):
            add(name)
    return order


def package_of(path):
    """Returns the Debian package that a file belongs to. dpkg may list the path with or without /usr."""
    real = os.path.realpath(path)
    for one in dict.fromkeys((real, path, real.removeprefix("/usr"), path.removeprefix("/usr"), "/usr" + real)):
        try:
            return re.match(r"[^:,]+", output("dpkg-query", "-S", one))[0]
        except NotMade:
            continue
    raise NotMade(f"no Debian package contains {path}, so its license is unknown; install it from a package")


def write_documents(shipped, documents):
    licenses = documents / "licenses"
    licenses.mkdir(parents=True)
    lines, packages = [], {}
    for name, path in [*shipped.items(), ("fonts", str(FONTS / "DejaVuSansMono.ttf"))]:
        if is_one_of(name, LEFT_OUT):
            lines.append(f"{name:28} a stub that does nothing\n")
            continue
        package = package_of(path)
        if package not in packages:
            packages[package] = output("dpkg-query", "-W", "-f=${source:Package} ${source:Version}\n",
                                       package).splitlines()[0]
            shutil.copyfile(f"/usr/share/doc/{package}/copyright", licenses / package)
        lines.append(f"{name:28} {package} {packages[package]}\n")
    (documents / "libraries.txt").write_text(HEAD + "".join(lines))
    for name in ("LICENSE", "README.md"):
        shutil.copyfile(ROOT / name, documents / name)


def make(folder, start, pages, module, loads):
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "lib/system", "share/glyphreel/fonts", "share/applications",
                 "share/icons/hicolor/scalable/apps", "share/icons/hicolor/256x256/apps"):
        (folder / name).mkdir(parents=True)
    program = folder / "bin" / module.stem
    shutil.copyfile(start, program)
    program.chmod(0o755)
    shutil.copyfile(module, folder / "lib" / module.name)
    output("strip", program, folder / "lib" / module.name)
    set_runpath(folder / "lib" / module.name)

    shipped = closure(str(module), loads)
    copy_libraries(shipped, folder)
    (folder / "lib" / "system" / "order").write_text("".join(f"{name}\n" for name in system_order(shipped)))

    share = folder / "share"
    shutil.copytree(pages, share, dirs_exist_ok=True)
    for font in ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSans.ttf"):
        if not (FONTS / font).is_file():
            raise NotMade(f"{FONTS / font} is missing; run apt-get install -y fonts-dejavu-core")
        shutil.copyfile(FONTS / font, share / "glyphreel" / "fonts" / font)
    shutil.copyfile(ROOT / "assets" / "demo.mp4", share / "glyphreel" / "demo.mp4")
    desktop = ROOT / "assets" / "desktop"
    shutil.copyfile(desktop / "glyphreel.desktop", share / "applications" / "glyphreel.desktop")
    shutil.copyfile(desktop / "glyphreel.svg", share / "icons/hicolor/scalable/apps/glyphreel.svg")
    shutil.copyfile(desktop / "glyphreel.png", share / "icons/hicolor/256x256/apps/glyphreel.png")
    write_documents(shipped, share / "doc" / "glyphreel")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    for name in ("start", "pages", "module"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--loads", action="append", default=[])
    arguments = parser.parse_args()
    try:
        make(arguments.folder, arguments.start, arguments.pages, arguments.module, arguments.loads)
    except (NotMade, OSError) as problem:
        print(f"glyphreel: the bundle cannot be made: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
