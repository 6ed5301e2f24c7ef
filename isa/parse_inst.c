/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: write enable and predicate, mnemonic with its function,
 * channels, condition, operands, options. */
#include "isa/parse_core.h"

#include <string.h>

#include "base/alloc.h"
#include "isa/traits.h"

/* clang-format off */
static const struct {
    const char *text;
    uint8_t cond;
} cond_names[] = {
#define XK_COND_WORD(id, word) {word, XK_COND_##id},
#include "isa/words.def"
    {"ze", XK_COND_EQ}, {"nz", XK_COND_NE},
    {"e", XK_COND_EQ},  {"z", XK_COND_EQ},  {"g", XK_COND_GT},
    {"l", XK_COND_LT},  {"o", XK_COND_OV},  {"u", XK_COND_UN},
};

static const struct {
    const char *text;
    uint8_t pred;
} pred_names[] = {
#define XK_PRED_WORD(id, word) {word, XK_PRED_##id},
#include "isa/words.def"
};
/* clang-format on */

static unsigned name_hash(const char *s, size_t n_b)
{
    unsigned h = 5381;

    for (size_t k = 0; k < n_b; k++)
        h = h * 33 + (uint8_t)s[k];
    return h ^ h >> 8;
}

bool xk_parser_init(struct xk_parser *ps, const struct xk_platform *p,
                    const char *text, size_t n_b, struct xk_error *err)
{
    memset(ps, 0, sizeof(*ps));
    ps->p = p;
    ps->err = err;
    ps->t = xk_isa_tables_get(p, err);
    ps->traits = xk_print_traits_get(p);
    if (!ps->t || !ps->traits) {
        ps->status = XK_EUNSUPPORTED;
        return false;
    }
    for (unsigned op = 0; op < XK_N_OPCODES; op++) {
        const char *const name = xk_opcode_name(op);
        unsigned h = name_hash(name, strlen(name));

        while (ps->op_hash[h & 255])
            h++;
        ps->op_hash[h & 255] = (uint8_t)(op + 1);
    }
    xk_lex_init(&ps->lex, text, n_b);
    xk_isa_parse_skip(ps);
    return true;
}

/* The opcode of the name, XK_N_OPCODES if there is none. */
static unsigned opcode_of_name(const struct xk_parser *ps,
                               const struct xk_token *t)
{
    for (unsigned h = name_hash(t->s, t->n_b); ps->op_hash[h & 255]; h++) {
        const unsigned op = ps->op_hash[h & 255] - 1u;

        if (xk_isa_token_is(t, xk_opcode_name(op)))
            return op;
    }
    return XK_N_OPCODES;
}

static bool parse_pred(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;

    i->pred = XK_PRED_NORMAL;
    i->pred_inv = xk_isa_parse_accept(ps, '~');
    if (!xk_isa_parse_flag(ps))
        return false;
    if (!xk_isa_parse_accept(ps, '.'))
        return true;
    for (unsigned k = 0; k < XK_COUNTOF(pred_names); k++) {
        const struct xk_token at = ps->tok;

        if (xk_isa_parse_accept_word(ps, pred_names[k].text)) {
            i->pred = pred_names[k].pred;
            return xk_isa_parse_exists(ps, &at, XK_THING_PRED, i->pred);
        }
    }
    return xk_isa_parse_expected(ps, "a predicate control such as 'any8h'");
}

/* "(W)", "(f0.0)", "(W&~f1.1.any8h)" before the mnemonic. */
static bool parse_write_enable(struct xk_parser *ps)
{
    if (!xk_isa_parse_accept(ps, '('))
        return true;
    ps->i->no_mask = xk_isa_parse_accept_word(ps, "W");
    if ((!ps->i->no_mask || xk_isa_parse_accept(ps, '&')) && !parse_pred(ps))
        return false;
    return xk_isa_parse_want(ps, ')', "')'");
}

/* Table of truth of an expression over s0, s1, s2; | below ^ below &. */
static bool bfn_level(struct xk_parser *ps, unsigned level, unsigned depth,
                      unsigned *table);

static bool bfn_atom(struct xk_parser *ps, unsigned depth, unsigned *table)
{
    static const struct {
        const char *text;
        uint8_t table;
    } atoms[] = {
        {"s0", 0xaa}, {"s1", 0xcc}, {"s2", 0xf0}, {"zeros", 0}, {"ones", 0xff},
    };

    if (depth > 32)
        return xk_isa_parse_fail(ps, &ps->tok,
                                 "a bfn function nested deeper than "
                                 "32");
    if (xk_isa_parse_accept(ps, '~')) {
        if (!bfn_atom(ps, depth + 1, table))
            return false;
        *table ^= 0xff;
        return true;
    }
    if (xk_isa_parse_accept(ps, '('))
        return bfn_level(ps, 0, depth + 1, table) &&
               xk_isa_parse_want(ps, ')', "')'");
    for (unsigned k = 0; k < XK_COUNTOF(atoms); k++) {
        if (xk_isa_parse_accept_word(ps, atoms[k].text)) {
            *table = atoms[k].table;
            return true;
        }
    }
    if (ps->tok.kind == XK_TOK_INT && ps->tok.value < 2) {
        *table = ps->tok.value ? 0xff : 0;
        xk_isa_parse_skip(ps);
        return true;
    }
    return xk_isa_parse_expected(ps, "s0, s1, s2, 0, 1, '~' or '('");
}

static bool bfn_level(struct xk_parser *ps, unsigned level, unsigned depth,
                      unsigned *table)
{
    static const char ops[] = {'|', '^', '&'};
    unsigned right;

    if (level == XK_COUNTOF(ops))
        return bfn_atom(ps, depth, table);
    if (!bfn_level(ps, level + 1, depth, table))
        return false;
    while (xk_isa_parse_accept(ps, (unsigned)ops[level])) {
        if (!bfn_level(ps, level + 1, depth, &right))
            return false;
        *table = level == 0   ? *table | right
                 : level == 1 ? *table ^ right
                              : *table & right;
    }
    return true;
}

static bool parse_bfn(struct xk_parser *ps)
{
    unsigned table = 0;

    if (ps->tok.kind == XK_TOK_INT) {
        if (!xk_isa_parse_int(ps, "bfn function", 255, &table))
            return false;
    } else if (!xk_isa_parse_want(ps, '(',
                                  "a truth table or '(' and an "
                                  "expression over s0, s1, s2") ||
               !bfn_level(ps, 0, 0, &table) ||
               !xk_isa_parse_want(ps, ')', "')'")) {
        return false;
    }
    ps->i->bfn = (uint8_t)table;
    return true;
}

/* A function by name or number. */
static bool parse_function(struct xk_parser *ps, const char *what,
                           enum xk_isa_parse_thing thing,
                           const char *(*name)(unsigned), uint8_t *fn)
{
    const struct xk_token at = ps->tok;
    unsigned v = 0;

    if (at.kind == XK_TOK_INT) {
        if (!xk_isa_parse_int(ps, what, 15, &v))
            return false;
    } else {
        while (v < 16 && !(name(v) && xk_isa_parse_accept_word(ps, name(v))))
            v++;
        if (v == 16)
            return xk_isa_parse_expected(ps, what);
    }
    *fn = (uint8_t)v;
    return xk_isa_parse_exists(ps, &at, thing, v);
}

static bool parse_sfid(struct xk_parser *ps)
{
    unsigned v;

    if (ps->tok.kind == XK_TOK_INT) {
        if (!xk_isa_parse_int(ps, "shared function", 15, &v))
            return false;
        ps->i->send.sfid = (uint8_t)v;
        return true;
    }
    for (v = 0; v < 16; v++) {
        if (ps->traits->sfid[v] &&
            xk_isa_parse_accept_word(ps, ps->traits->sfid[v])) {
            ps->i->send.sfid = (uint8_t)v;
            return true;
        }
    }
    return xk_isa_parse_expected(ps, "a shared function such as 'dc1'");
}

/* "8x8": systolic depth and repeat count, one digit each. */
static bool parse_dpas_shape(struct xk_parser *ps)
{
    const struct xk_token *const t = &ps->tok;
    unsigned depth, count;

    if (t->kind != XK_TOK_IDENT || t->n_b != 3 || t->s[1] != 'x')
        return xk_isa_parse_expected(ps, "depth and repeat count as in '8x8'");
    depth = (unsigned)(t->s[0] - '0');
    count = (unsigned)(t->s[2] - '0');
    if ((depth != 1 && depth != 2 && depth != 4 && depth != 8) || count < 1 ||
        count > 8)
        return xk_isa_parse_fail(
            ps, t,
            "depth and repeat count %.3s: need a depth of 1, "
            "2, 4, 8 and a count of 1..8",
            t->s);
    ps->i->sdepth = (uint8_t)depth;
    ps->i->rcount = (uint8_t)count;
    xk_isa_parse_skip(ps);
    return true;
}

/* What follows the mnemonic's name: ".inv", ".8x8", ".b" ... */
static bool parse_mnemonic_suffix(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;
    const enum xk_format f = xk_opcode_format(i->op);

    if (f == XK_FMT_BRANCH) {
        if (xk_branch_shape(i->op) & XK_BR_CTRL &&
            xk_isa_parse_accept(ps, '.')) {
            i->branch_ctrl = true;
            return xk_isa_parse_accept_word(ps, "b") ||
                   xk_isa_parse_expected(ps, "'b'");
        }
        return true;
    }
    if (f != XK_FMT_SEND && f != XK_FMT_SYNC && f != XK_FMT_DPAS &&
        i->op != XK_OPC_MATH && i->op != XK_OPC_BFN)
        return true;
    if (!xk_isa_parse_want(ps, '.', "'.' and a function"))
        return false;
    if (f == XK_FMT_SEND)
        return parse_sfid(ps);
    if (f == XK_FMT_SYNC)
        return parse_function(ps, "a sync function", XK_THING_SYNC,
                              xk_sync_name, &i->sync_fn);
    if (f == XK_FMT_DPAS)
        return parse_dpas_shape(ps);
    if (i->op == XK_OPC_BFN)
        return parse_bfn(ps);
    return parse_function(ps, "a math function", XK_THING_MATH, xk_math_name,
                          &i->math_fn);
}

/* The text may leave out the channels where there is but one. */
static bool scalar_form(const struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);

    return f == XK_FMT_NULLARY || f == XK_FMT_SYNC ||
           (f == XK_FMT_BRANCH && xk_branch_shape(i->op) & XK_BR_SCALAR);
}

static bool parse_channel_offset(struct xk_parser *ps)
{
    const struct xk_token *const t = &ps->tok;
    const unsigned unit = ps->p->chan_off_unit;
    unsigned v = 0;

    if (t->kind != XK_TOK_IDENT || t->s[0] != 'M' || t->n_b < 2 || t->n_b > 3)
        return xk_isa_parse_expected(ps, "a channel offset such as 'M0'");
    for (size_t k = 1; k < t->n_b; k++) {
        if (t->s[k] < '0' || t->s[k] > '9')
            return xk_isa_parse_expected(ps, "a channel offset such as 'M0'");
        v = v * 10 + (unsigned)(t->s[k] - '0');
    }
    if (v > 31 || v % unit)
        return xk_isa_parse_fail(
            ps, t,
            "channel offset M%u: need a multiple of %u, at "
            "most M%u",
            v, unit, 32 - unit);
    ps->i->chan_off = (uint8_t)v;
    xk_isa_parse_skip(ps);
    return true;
}

bool xk_isa_parse_exec(struct xk_parser *ps)
{
    const struct xk_token at = xk_isa_parse_peek(ps, 1);
    unsigned v;

    ps->i->exec = 1;
    if (ps->tok.kind != '(' || at.kind != XK_TOK_INT)
        return scalar_form(ps->i) ||
               xk_isa_parse_expected(ps, "the channels, such as '(16|M0)'");
    if (xk_opcode_format(ps->i->op) == XK_FMT_SYNC) {
        const struct xk_token end = xk_isa_parse_peek(ps, 2);

        if (end.kind != '|' && end.kind != ')')
            return true; /* an expression */
    }
    xk_isa_parse_skip(ps);
    if (!xk_isa_parse_int(ps, "exec size", 32, &v))
        return false;
    if (xk_isa_log2(v) < 0)
        return xk_isa_parse_fail(ps, &at,
                                 "exec size %u: need 1, 2, 4, 8, 16 or 32", v);
    ps->i->exec = (uint8_t)v;
    if (xk_isa_parse_accept(ps, '|') && !parse_channel_offset(ps))
        return false;
    return xk_isa_parse_want(ps, ')', "')'");
}

/* "(lt)f0.0", once "[(lt)f0.0]". */
static bool parse_cond(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;
    const bool bracket = xk_isa_parse_accept(ps, '[');
    const struct xk_token name = xk_isa_parse_peek(ps, 1);

    if (xk_math_is_macro(i) && i->op == XK_OPC_MATH)
        i->cond = XK_COND_EO; /* also where it is not written */
    if (ps->tok.kind != '(' || name.kind != XK_TOK_IDENT)
        return !bracket || xk_isa_parse_expected(ps, "a condition");
    for (unsigned k = 0; k < XK_COUNTOF(cond_names); k++) {
        if (!xk_isa_token_is(&name, cond_names[k].text))
            continue;
        if (!xk_math_is_macro(i) &&
            !(xk_opcode_traits(ps->p, i->op) & XK_TRAIT_COND))
            return xk_isa_parse_fail(ps, &name, "%s takes no condition",
                                     xk_opcode_name(i->op));
        i->cond = cond_names[k].cond;
        xk_isa_parse_skip(ps);
        xk_isa_parse_skip(ps);
        return xk_isa_parse_want(ps, ')', "')'") && xk_isa_parse_flag(ps) &&
               (!bracket || xk_isa_parse_want(ps, ']', "']'"));
    }
    return xk_isa_parse_fail(ps, &name, "'%.*s' is no condition",
                             (int)(name.n_b < 40 ? name.n_b : 40), name.s);
}

static bool parse_operands(struct xk_parser *ps)
{
    const enum xk_format f = xk_opcode_format(ps->i->op);
    unsigned n;

    switch (f) {
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        if (!xk_isa_parse_dst(ps))
            return false;
        n = xk_inst_n_srcs(ps->i);
        for (unsigned k = 0; k < n; k++) {
            if (!xk_isa_parse_src(ps, k))
                return false;
        }
        return true;
    case XK_FMT_SYNC:
        return xk_isa_parse_sync_operand(ps);
    case XK_FMT_DPAS:
        return xk_isa_parse_dpas_operands(ps);
    case XK_FMT_SEND:
        return xk_isa_parse_send_operands(ps);
    case XK_FMT_BRANCH:
        return xk_isa_parse_branch_operands(ps);
    default:
        return true;
    }
}

static bool parse_body(struct xk_parser *ps)
{
    struct xk_inst *const i = ps->i;

    if (i->pred && !(xk_opcode_traits(ps->p, i->op) & XK_TRAIT_PRED))
        return xk_isa_parse_fail(ps, &ps->mnemonic, "%s takes no predicate",
                                 xk_opcode_name(i->op));
    if (i->op == XK_OPC_JMPI)
        i->no_mask = true; /* as iga64 does */
    return parse_mnemonic_suffix(ps) && xk_isa_parse_exec(ps) &&
           parse_cond(ps) && parse_operands(ps);
}

static bool parse_mnemonic(struct xk_parser *ps)
{
    bool found = false;
    unsigned op;

    ps->mnemonic = ps->tok;
    if (ps->tok.kind != XK_TOK_IDENT)
        return xk_isa_parse_expected(ps, "a mnemonic");
    op = opcode_of_name(ps, &ps->tok);
    if (op == XK_N_OPCODES) {
        if (!xk_isa_parse_message(ps, &found) || found)
            return found && ps->status == XK_OK;
        return xk_isa_parse_unknown_mnemonic(ps);
    }
    if (!xk_isa_parse_exists(ps, &ps->tok, XK_THING_OPCODE, op))
        return false;
    ps->i->op = (uint16_t)op;
    xk_isa_parse_skip(ps);
    return parse_body(ps);
}

bool xk_isa_parse_inst(struct xk_parser *ps, struct xk_inst *i)
{
    memset(i, 0, sizeof(*i));
    memset(ps->use, 0, sizeof(ps->use));
    ps->i = i;
    ps->flag_named = ps->no_compact = false;
    ps->src1_len_given = ps->spelled = false;
    ps->options = 0;
    if (!parse_write_enable(ps) || !parse_mnemonic(ps) ||
        !xk_isa_parse_options(ps))
        return false;
    if (ps->tok.kind != XK_TOK_END && ps->tok.kind != XK_TOK_NEWLINE &&
        ps->tok.kind != ';')
        return xk_isa_parse_expected(ps, "the end of the instruction");
    return true;
}
