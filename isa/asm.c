/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: instructions and labels to machine code. All of the text is parsed
 * first. Then sizes are settled and labels become offsets. Then every
 * instruction is encoded; a refusal names the place of its mnemonic. */
#include "isa/asm.h"
#include "isa/format.h"

#include <stdlib.h>
#include <string.h>

#include "isa/parse_core.h"

struct item {
    struct xk_inst i;
    struct xk_label_use use[2];
    uint32_t line, col;
    size_t written_at; /* offset with the sizes that the text asks for */
    size_t at;
    bool no_compact, shrinks;
};

struct label {
    const char *name;
    size_t n_b;
    uint32_t line, col;
    uint32_t item; /* the one it stands before */
};

struct program {
    xk_ctx *c;
    struct xk_parser ps;
    bool compact;
    struct item *item;
    struct label *label;
    uint32_t n_items, item_cap, n_labels, label_cap;
    size_t written_b, code_b;
};

static bool out_of_memory(struct program *g)
{
    g->ps.status = XK_ENOMEM;
    xk_isa_fail(g->ps.err, XK_ENOMEM, "assembler: out of memory");
    return false;
}

static bool add_label(struct program *g)
{
    const struct xk_token *const t = &g->ps.tok;

    if (!xk_grow(g->c, &g->label, g->n_labels, &g->label_cap,
                 sizeof(*g->label)))
        return out_of_memory(g);
    g->label[g->n_labels++] =
        (struct label){t->s, t->n_b, t->line, t->col, g->n_items};
    xk_isa_parse_skip(&g->ps);
    xk_isa_parse_skip(&g->ps);
    return true;
}

static bool add_asm_item(struct program *g)
{
    struct xk_parser *const ps = &g->ps;
    struct item *e;

    if (!xk_grow(g->c, &g->item, g->n_items, &g->item_cap, sizeof(*g->item)))
        return out_of_memory(g);
    e = &g->item[g->n_items];
    memset(e, 0, sizeof(*e));
    if (!xk_isa_parse_inst(ps, &e->i))
        return false;
    e->use[0] = ps->use[0];
    e->use[1] = ps->use[1];
    e->line = ps->mnemonic.line;
    e->col = ps->mnemonic.col;
    e->no_compact = ps->no_compact;
    e->written_at = g->written_b;
    g->written_b += xk_inst_size_b(&e->i);
    g->n_items++;
    return true;
}

static bool parse_program(struct program *g)
{
    struct xk_parser *const ps = &g->ps;

    while (ps->tok.kind != XK_TOK_END) {
        if (ps->tok.kind == XK_TOK_NEWLINE || ps->tok.kind == ';') {
            xk_isa_parse_skip(ps);
        } else if (ps->tok.kind == XK_TOK_IDENT &&
                   xk_isa_parse_peek(ps, 1).kind == ':') {
            if (!add_label(g))
                return false;
        } else if (!add_asm_item(g)) {
            return false;
        }
        if (g->written_b > INT32_MAX)
            return xk_isa_parse_fail(ps, &ps->tok,
                                     "a program of more than 2 GB");
    }
    return true;
}

static int compare_names(const char *a, size_t a_b, const char *b, size_t b_b)
{
    const int d = memcmp(a, b, a_b < b_b ? a_b : b_b);

    return d ? d : (a_b > b_b) - (a_b < b_b);
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *const x = a, *const y = b;
    const int d = compare_names(x->name, x->n_b, y->name, y->n_b);

    if (d)
        return d;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->col > y->col) - (x->col < y->col);
}

static bool sort_labels(struct program *g)
{
    if (!g->n_labels)
        return true;
    qsort(g->label, g->n_labels, sizeof(*g->label), compare_labels);
    for (uint32_t k = 1; k < g->n_labels; k++) {
        const struct label *const a = &g->label[k - 1], *const b = a + 1;

        if (!compare_names(a->name, a->n_b, b->name, b->n_b))
            return xk_isa_parse_fail_at(
                &g->ps, XK_EPARSE, b->line, b->col,
                "label '%.*s' is defined twice, first in "
                "line %u",
                (int)(b->n_b < 80 ? b->n_b : 80), b->name, a->line);
    }
    return true;
}

/* NULL if there is none. */
static const struct label *find_label(const struct program *g,
                                      const struct xk_label_use *use)
{
    size_t lo = 0, hi = g->n_labels;

    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        const struct label *const l = &g->label[mid];
        const int d = compare_names(use->name, use->n_b, l->name, l->n_b);

        if (!d)
            return l;
        if (d < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

/* The targets that stand in the text: 0 where a register holds it. */
static unsigned n_targets(const struct xk_inst *i)
{
    if (!xk_inst_is_branch(i) || i->src[0].file != XK_FILE_NONE)
        return 0;
    return xk_branch_shape(i->op) & XK_BR_UIP ? 2 : 1;
}

/* Decides which instructions take the short form. Those whose targets are names
 * keep the long one, because their value is not known yet. */
static void settle_sizes(struct program *g)
{
    uint8_t bytes[XK_INST_B / 2];

    g->code_b = 0;
    for (uint32_t k = 0; k < g->n_items; k++) {
        struct item *const e = &g->item[k];

        e->shrinks = e->i.compacted;
        if (g->compact && !e->shrinks && !e->no_compact &&
            !xk_inst_is_branch(&e->i) && !e->use[0].name)
            e->shrinks = xk_inst_compact(g->ps.p, &e->i, bytes);
        e->at = g->code_b;
        g->code_b += e->shrinks ? XK_INST_B / 2 : XK_INST_B;
    }
}

/* The item that began at an offset of the text as written; n_items: its end. */
static bool item_at(const struct program *g, int64_t offset, uint32_t *found)
{
    uint32_t lo = 0, hi = g->n_items;

    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;

        if ((int64_t)g->item[mid].written_at < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    *found = lo;
    return offset ==
           (int64_t)(lo < g->n_items ? g->item[lo].written_at : g->written_b);
}

static size_t item_offset(const struct program *g, uint32_t item)
{
    return item < g->n_items ? g->item[item].at : g->code_b;
}

static bool undefined_label(struct program *g, const struct xk_label_use *u)
{
    return xk_isa_parse_fail_at(&g->ps, XK_EPARSE, u->line, u->col,
                                "label '%.*s' is not defined",
                                (int)(u->n_b < 80 ? u->n_b : 80), u->name);
}

/* Sets the k-th target of the item: relative to it, except for calla. Numbers
 * count the sizes of the text, and move along with what they point at. */
static bool resolve_branch(struct program *g, struct item *e, unsigned k)
{
    const struct xk_label_use *const u = &e->use[k];
    int32_t *const to = k ? &e->i.uip_b : &e->i.jip_b;
    const bool absolute = e->i.op == XK_OPC_CALLA;
    const int64_t base = absolute ? 0 : (int64_t)e->written_at;
    uint32_t item;

    if (u->name) {
        const struct label *const l = find_label(g, u);

        if (!l)
            return undefined_label(g, u);
        item = l->item;
    } else if (!item_at(g, base + *to, &item)) {
        return xk_isa_parse_fail_at(&g->ps, XK_EINVAL, u->line, u->col,
                                    "branch offset %d: no instruction of the "
                                    "program begins there",
                                    *to);
    }
    *to = (int32_t)((int64_t)item_offset(g, item) -
                    (absolute ? 0 : (int64_t)e->at));
    return true;
}

static bool resolve_targets(struct program *g, struct item *e)
{
    const unsigned n = n_targets(&e->i);
    const struct label *l;

    for (unsigned k = 0; k < n; k++) {
        if (!resolve_branch(g, e, k))
            return false;
    }
    if (xk_inst_is_branch(&e->i) || !e->use[0].name)
        return true;
    l = find_label(g, &e->use[0]);
    if (!l)
        return undefined_label(g, &e->use[0]);
    e->i.src[0].imm = item_offset(g, l->item);
    return true;
}

static bool encode_item(struct program *g, struct item *e, uint8_t *code)
{
    struct xk_error why = {0};
    size_t used_b = 0;
    enum xk_status st;

    e->i.compacted = e->shrinks;
    st = xk_inst_encode_as_marked(g->ps.p, &e->i, code + e->at, &used_b, &why);
    return st >= 0 ||
           xk_isa_parse_fail_at(&g->ps, st, e->line, e->col, "%s", why.message);
}

static bool emit_items(struct program *g, uint8_t **code)
{
    settle_sizes(g);
    *code = xk_malloc(g->c, g->code_b + XK_INST_B);
    if (!*code)
        return out_of_memory(g);
    for (uint32_t k = 0; k < g->n_items; k++) {
        if (!resolve_targets(g, &g->item[k]) ||
            !encode_item(g, &g->item[k], *code))
            return false;
    }
    return true;
}

enum xk_status xk_assemble_text(xk_ctx *c, const struct xk_platform *p,
                                const struct xk_asm_source *source,
                                bool compact, uint8_t **code, size_t *code_b)
{
    struct xk_error err = {0};
    struct program g = {.c = c, .compact = compact};
    bool ok;

    *code = NULL;
    *code_b = 0;
    ok = xk_parser_init(&g.ps, p, source->text, source->n_b, &err);
    g.ps.file = source->file;
    g.ps.labels = true;
    ok = ok && parse_program(&g) && sort_labels(&g) && emit_items(&g, code);
    xk_free(c, g.item);
    xk_free(c, g.label);
    if (ok) {
        *code_b = g.code_b;
        return XK_OK;
    }
    xk_free(c, *code);
    *code = NULL;
    return xk_fail(c, err.status < 0 ? err.status : XK_EINTERNAL, "%s",
                   err.message);
}

enum xk_status xk_inst_parse(const struct xk_platform *p, const char *text,
                             size_t n_b, struct xk_inst *out,
                             struct xk_error *err)
{
    struct xk_parser ps;

    memset(out, 0, sizeof(*out));
    if (!xk_parser_init(&ps, p, text, n_b, err) || !xk_isa_parse_inst(&ps, out))
        return ps.status;
    while (ps.tok.kind == XK_TOK_NEWLINE || ps.tok.kind == ';')
        xk_isa_parse_skip(&ps);
    if (ps.tok.kind != XK_TOK_END)
        xk_isa_parse_expected(&ps, "the end: one instruction is read");
    return ps.status;
}
