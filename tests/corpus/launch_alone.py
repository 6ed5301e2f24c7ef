# SPDX-License-Identifier: Apache-2.0
"""Kernels of the corpus one by one, for programs that break them."""
import re
import tempfile
from pathlib import Path

import compile as corpus
import launch_args


def wanted(kernel, row, excuses):
    """Whether it can be broken: it must run, and end, without a finding."""
    return row["variant"] == "-" and not any(
        excuses.find(what, row["platform"], row["kernel"])
        for what in ("run", "init"))


def alone(path, name, to):
    """Writes a zebin of which .ze_info has one kernel only, since most of the
    time to load a module goes into reading that."""
    elf = bytearray(path.read_bytes())
    (info,) = [bytes(data) for title, data in corpus.sections(elf)
               if title == ".ze_info"]
    text = info.decode()
    start = re.search(r"(?m)^kernels:\n", text).end()
    end = start + len(re.match(r"(?:[ -].*\n)*", text[start:]).group())
    parts = re.split(r"(?m)^(?=  - name:)", text[start:end])
    keep = [p for p in parts if re.match(rf"  - name: +'?{name}'?\n", p)]
    short = (text[:start] + "".join(keep) + text[end:]).encode()
    at = elf.index(info)
    elf[at:at + len(info)] = short.ljust(len(info), b"\n")
    to.write_bytes(elf)


def launch(program, row, kernel, listen):
    """Launches one kernel from a zebin of its own; what listen() makes of the
    answer's first line, while the file is still there."""
    args = launch_args.make_arguments(kernel)
    with tempfile.NamedTemporaryFile() as file:
        alone(Path(row["zebin"]), row["kernel"], Path(file.name))
        return listen(program.launch(row | {"zebin": file.name}, kernel, args))
