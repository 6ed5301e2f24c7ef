/* SPDX-License-Identifier: Apache-2.0 */
/* The options in braces at an instruction's end: {Compacted,A@1,$0.dst}. */
#include "isa/parse_core.h"

#include "base/alloc.h"

/* Beside enum xk_inst_option. */
enum { OPTION_NO_COMPACT = XK_N_OPTIONS, OPTION_NO_ACC_SB };

static const struct {
    const char *text;
    uint8_t option;
} names[] = {
#define XK_OPTION_WORD(id, word) {word, XK_OPTION_##id},
#include "isa/words.def"
    {"NoCompact", OPTION_NO_COMPACT},
    {"Uncompacted", OPTION_NO_COMPACT},
    {"NoAccSBSet", OPTION_NO_ACC_SB},
};

/* What older assemblers had in braces, and what to write now. */
static const struct {
    const char *text, *now;
} obsolete[] = {
    {"NoMask", "(W) before the mnemonic"},
    {"H1", "(16|M0)"},
    {"H2", "(16|M16)"},
    {"Q1", "(8|M0)"},
    {"Q2", "(8|M8)"},
    {"Q3", "(8|M16)"},
    {"Q4", "(8|M24)"},
    {"N1", "(4|M0)"},
    {"N2", "(4|M4)"},
    {"N3", "(4|M8)"},
    {"N4", "(4|M12)"},
    {"N5", "(4|M16)"},
    {"N6", "(4|M20)"},
    {"N7", "(4|M24)"},
    {"N8", "(4|M28)"},
    {"Switch", "@1, which is what it has become"},
};

static const struct {
    char letter;
    uint8_t pipe;
} pipes[] = {
    {'A', XK_PIPE_ALL},  {'F', XK_PIPE_FLOAT}, {'I', XK_PIPE_INT},
    {'L', XK_PIPE_LONG}, {'M', XK_PIPE_MATH},  {'S', XK_PIPE_SCALAR},
};

/* After '@'. */
static bool parse_dist(struct xk_parser *ps, const struct xk_token *at,
                       unsigned pipe)
{
    struct xk_swsb *const s = &ps->i->swsb;
    unsigned v;

    if (!xk_isa_parse_int(ps, "distance", 255, &v))
        return false;
    if (!v || v > 7)
        return xk_isa_parse_fail(ps, at, "distance %u: need 1..7", v);
    if (s->dist)
        return xk_isa_parse_fail(ps, at,
                                 "a second distance: an instruction has one");
    s->dist = (uint8_t)v;
    s->pipe = (uint8_t)pipe;
    return true;
}

/* After '$'. */
static bool parse_sbid(struct xk_parser *ps, const struct xk_token *at)
{
    struct xk_swsb *const s = &ps->i->swsb;
    unsigned v;

    if (!xk_isa_parse_int(ps, "SBID", ps->p->n_sbid - 1u, &v))
        return false;
    if (s->mode)
        return xk_isa_parse_fail(ps, at,
                                 "a second SBID: an instruction has one");
    s->sbid = (uint8_t)v;
    s->mode = XK_SBID_SET;
    if (!xk_isa_parse_accept(ps, '.'))
        return true;
    s->mode = xk_isa_token_is(&ps->tok, "src") ? XK_SBID_SRC : XK_SBID_DST;
    if (xk_isa_parse_accept_word(ps, "src") ||
        xk_isa_parse_accept_word(ps, "dst"))
        return true;
    return xk_isa_parse_expected(ps, "'dst' or 'src'");
}

static bool named_pipe(struct xk_parser *ps, bool *found)
{
    const struct xk_token at = ps->tok;

    *found = false;
    if (at.kind != XK_TOK_IDENT || at.n_b != 1 ||
        xk_isa_parse_peek(ps, 1).kind != '@')
        return true;
    for (unsigned k = 0; k < XK_COUNTOF(pipes); k++) {
        if (pipes[k].letter != at.s[0])
            continue;
        *found = true;
        xk_isa_parse_skip(ps);
        xk_isa_parse_skip(ps);
        return parse_dist(ps, &at, pipes[k].pipe);
    }
    return xk_isa_parse_expected(ps, "a pipe A, F, I, L, M or S");
}

static bool needs_send(struct xk_parser *ps, const struct xk_token *at)
{
    return xk_inst_is_send(ps->i) ||
           xk_isa_parse_fail(ps, at, "{%.*s} on %s: need a send", (int)at->n_b,
                             at->s, xk_opcode_name(ps->i->op));
}

/* The length of src1 must be known: it moves into the instruction. */
static bool set_exbso(struct xk_parser *ps, const struct xk_token *at)
{
    struct xk_send_info *const s = &ps->i->send;

    if (!needs_send(ps, at))
        return false;
    if (ps->spelled && s->exdesc_reg) {
        s->exbso = true;
        s->src1_len = ps->src1_len;
    }
    return s->exbso ||
           xk_isa_parse_fail(ps, at,
                             "{ExBSO} needs an extended descriptor in a0 "
                             "and the length of src1, as in r10:4");
}

static bool apply_option(struct xk_parser *ps, const struct xk_token *at,
                         unsigned option)
{
    struct xk_inst *const i = ps->i;

    if (ps->options >> option & 1)
        return xk_isa_parse_fail(ps, at, "{%.*s} is there twice", (int)at->n_b,
                                 at->s);
    ps->options |= 1u << option;
    switch (option) {
    case XK_OPTION_ACC_WR_EN:
        i->acc_wr_en = true;
        return true;
    case XK_OPTION_ATOMIC:
        i->atomic = true;
        return true;
    case XK_OPTION_DEBUG:
        i->debug = true;
        return true;
    case XK_OPTION_COMPACTED:
        i->compacted = true;
        return true;
    case OPTION_NO_COMPACT:
        ps->no_compact = true;
        return true;
    case OPTION_NO_ACC_SB:
        i->swsb.no_acc_sb = true;
        return true;
    case XK_OPTION_EOT:
        i->send.eot = true;
        return needs_send(ps, at);
    case XK_OPTION_SERIALIZE:
        i->send.fused_serialize = true;
        return needs_send(ps, at);
    case XK_OPTION_EXBSO:
        return set_exbso(ps, at);
    }
    return false;
}

static bool parse_option_name(struct xk_parser *ps)
{
    const struct xk_token at = ps->tok;

    for (unsigned k = 0; k < XK_COUNTOF(names); k++) {
        if (xk_isa_parse_accept_word(ps, names[k].text))
            return apply_option(ps, &at, names[k].option);
    }
    for (unsigned k = 0; k < XK_COUNTOF(obsolete); k++) {
        if (xk_isa_token_is(&at, obsolete[k].text))
            return xk_isa_parse_fail(ps, &at,
                                     "{%s} does not exist on %s: write "
                                     "%s",
                                     obsolete[k].text, ps->p->name,
                                     obsolete[k].now);
    }
    return xk_isa_parse_expected(ps, "an instruction option");
}

static bool parse_option(struct xk_parser *ps)
{
    const struct xk_token at = ps->tok;
    bool found;

    if (xk_isa_parse_accept(ps, '@'))
        return parse_dist(ps, &at, XK_PIPE_NONE);
    if (xk_isa_parse_accept(ps, '$'))
        return parse_sbid(ps, &at);
    return named_pipe(ps, &found) && (found || parse_option_name(ps));
}

/* Pipe, distance and SBID must have a code together. */
static bool check_swsb(struct xk_parser *ps, const struct xk_token *at)
{
    const enum xk_opcode op = ps->i->op;
    const int n = (int)(ps->tok.s - at->s);
    unsigned code;

    return xk_swsb_encode(ps->t, xk_swsb_class(op), &ps->i->swsb, &code) ||
           xk_isa_parse_fail(
               ps, at, "%.*s}: %s has no swsb code for this in %s",
               n < 80 ? n : 80, at->s, ps->p->name, xk_opcode_name(op));
}

bool xk_isa_parse_options(struct xk_parser *ps)
{
    const struct xk_token at = ps->tok;

    if (!xk_isa_parse_accept(ps, '{') || xk_isa_parse_accept(ps, '}'))
        return ps->status == XK_OK;
    do {
        if (!parse_option(ps))
            return false;
    } while (xk_isa_parse_accept(ps, ','));
    if (ps->tok.kind == '}' && !check_swsb(ps, &at))
        return false;
    if (!xk_isa_parse_want(ps, '}', "',' or '}'"))
        return false;
    if (ps->no_compact && ps->i->compacted)
        return xk_isa_parse_fail(
            ps, &ps->mnemonic,
            "{Compacted} and {NoCompact} exclude each other");
    return true;
}
