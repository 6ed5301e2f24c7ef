# SPDX-License-Identifier: Apache-2.0
"""docs/messages.md: each message form of the generator, and who else emits it.
sources.txt has a line for forms that nobody else emits: PATTERN -- SOURCE."""
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOC = HERE.parent.parent / "docs/messages.md"
SOURCES = HERE / "sources.txt"
BEGIN, END = "<!-- made by ninja idioms -->", "<!-- end -->"


def sources(lines=None):
    """(pattern, source, line) of each line, of sources.txt if none are given."""
    out = []
    for line in SOURCES.read_text().splitlines() if lines is None else lines:
        if line.strip() and not line.startswith("#"):
            pattern, source = line.split(" -- ", 1)
            out.append((re.compile("".join(
                ".*" if c == "*" else re.escape(c) for c in pattern.strip())),
                source.strip(), line))
    return out


def cacheless(form):
    """The form without its cache policies, which the surface decides too."""
    return re.sub(r" (df|ca|uc|wb|wt|st|ri)\.\w+", "", form)


def similar(form, others):
    """Counts of the same form with other cache policies."""
    counts = [c for (s, t), c in others.count.items()
              if s == "form" and t != form and cacheless(t) == cacheless(form)]
    return [sum(c[k] for c in counts) for k in (0, 1)]


def cell(exact, like):
    return str(exact) if exact else f"({like})" if like else "-"


def rows(idioms, others):
    """(form, cells, witnessed) of all forms of ours, of now and in seen.txt."""
    table = sources()
    for situation, form in sorted(idioms.of("ours") | others.ours):
        if situation != "form":
            continue
        exact = others.count.get((situation, form), (0, 0))
        like = similar(form, others)
        forced = others.forced.get((situation, form), "not tried")
        told = [s for p, s, _ in table if p.fullmatch(form)]
        seen = any(exact) or forced == "yes"
        yield (form,
               [cell(exact[0], like[0]), cell(exact[1], like[1]),
                "yes" if forced == "yes" else "-" if any(exact) else forced,
                "; ".join(told) if told else "-" if seen else "**none**"], seen)


def generated(idioms, others):
    """The table."""
    out = ["| form | ocloc | oneDNN | inline vISA | source |",
           "|---|--:|--:|---|---|"]
    for form, cells, _ in rows(idioms, others):
        out.append(f"| `{form}` | " + " | ".join(cells) + " |")
    return "\n".join(out)


def write(idioms, others):
    text = DOC.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    DOC.write_text(head + BEGIN + "\n" + generated(idioms, others) + "\n" + END +
                   tail)


def complaints(idioms, others):
    """What is not as it should be."""
    out = []
    text = DOC.read_text()
    if text.split(BEGIN)[1].split(END)[0].strip() != generated(idioms, others):
        out.append("docs/messages.md is not fresh: ninja idioms")
    return out + unwitnessed([r[0] for r in rows(idioms, others) if not r[2]], sources())


def unwitnessed(forms, table):
    """forms: those that nobody else emits. Each has a line in sources.txt, and
    each line there a form."""
    return [f"neither witness nor source: {f}" for f in forms
            if not any(p.fullmatch(f) for p, _, _ in table)] + \
        [f"sources.txt fits no form without a witness: {line}"
         for p, _, line in table if not any(p.fullmatch(f) for f in forms)]


def planted():
    """The test must see what is planted: a form without a source, and a source
    without a form."""
    def complains(forms, lines):
        return bool(unwitnessed(forms, sources(lines)))

    form, line = "load ugm flat a64 d64 x8 SIMD16 df.df", "load ugm * d64 * -- planted"
    results = {
        "a form without a source is missed": complains([form], []),
        "a form without its own source is missed":
            complains([form, "store slm flat a32 d64 SIMD8 df.df"], [line]),
        "a source without a form is missed": complains([], [line]),
        "a form with its source is refused": not complains([form], [line])}
    return ["planted: " + name for name, good in results.items() if not good]
