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
    out += undocumented([r[0] for r in rows(idioms, others)], field_rows(text))
    return out + unwitnessed([r[0] for r in rows(idioms, others) if not r[2]], sources())


def field_rows(text):
    """{field: what we emit} of the table of fields and limits."""
    cells = [line.strip("|").split("|") for line in
             text.split("## Fields and limits")[1].splitlines() if line.startswith("| ")]
    return {row[0].strip(): row[1] for row in cells[1:]}


def fields_of(form):
    """(row of that table, word that it must have; None: the row is enough)."""
    words = form.split()
    if words[0] in ("barrier", "eot"):
        return [("end" if words[0] == "eot" else "barrier", None)]
    if words[0] == "fence":
        return [(f"fence of {words[1]}", None)]
    if words[0] not in ("load", "store"):
        return [(words[0], None)]
    out = [("port", words[1]), ("data", words[4])]
    if words[2] == "stateless":
        out.append((f"`stateless` {words[3]}", None))
    else:
        out += [("addresses", words[2]), ("addresses", words[3][1:])]
    for word in words[5:]:
        lanes = re.fullmatch(r"SIMD(\d+)", word)
        if lanes:
            out.append(("transposed", "SIMD1") if "t" in words else
                       ("lanes", lanes[1]))
        elif word == "t":
            out.append(("transposed", None))
        elif re.fullmatch(r"x\d+", word):
            out.append(("vector", word[1:]))
        elif word == "prefetch":
            out.append(("prefetch", None))
        else:
            out.append(("policies", word) if word == "df.df" else
                       (f"policy {word}", None))
    return out


def undocumented(forms, table):
    """Fields of forms that the table of fields and limits has no row or word for."""
    return sorted({
        f"docs/messages.md, fields and limits: no {row}{f' {word}' if word else ''}"
        for form in forms for row, word in fields_of(form)
        if row not in table or word and not re.search(
            rf"(?<![\w.]){re.escape(word)}(?![\w.])", table[row])})


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
    table = field_rows(DOC.read_text())
    for form in ("load ugm bti a32 d8 SIMD16 df.df", "load ugm bti a32 d32 x5 SIMD16 df.df",
                 "load ugm bti a16 d32 SIMD16 df.df", "load ugm bti a32 d32 SIMD32 df.df",
                 "load ugm bti a32 d32 SIMD16 uc.uc", "load tgm bti a32 d32 SIMD16 df.df",
                 "fence tgm none group cache 0 SIMD1"):
        results[f"a field without a row is missed: {form}"] = undocumented([form], table)
    return ["planted: " + name for name, good in results.items() if not good]
