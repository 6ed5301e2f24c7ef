# SPDX-License-Identifier: Apache-2.0
"""Puts what a test printed into the documentation."""
import re
from pathlib import Path


def publish(path, name, text):
    """Replaces what stands between `<!-- NAME -->` and `<!-- end of NAME -->` in
    a file; a file without both is a mistake."""
    path = Path(path)
    old = path.read_text(encoding="utf-8")
    new, n = re.subn(rf"(?s)(<!-- {name} -->\n).*?(<!-- end of {name} -->)",
                     lambda m: m.group(1) + "\n" + text + "\n" + m.group(2),
                     old)
    if n != 1:
        raise SystemExit(f"{path}: no single place for '{name}'")
    path.write_text(new, encoding="utf-8")
