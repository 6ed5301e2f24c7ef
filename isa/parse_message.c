/* SPDX-License-Identifier: Apache-2.0 */
/* Messages spelled out, as iga64 -Xprint-ldst writes them:
 *   load.ugm.d32x4.a64.ca.ca (16|M0) r10:8 [r20:4]
 *   store.slm.d64.a32 (16|M0) [r20:2] r10:4
 *   atomic_icas.ugm.d32.a32 (16|M0) r10:2 bti[3][r20:2] r30:4
 * They become the record of isa/message.h, and that the descriptors. Lengths
 * that the text gives win over those which the operation implies. */
#include "isa/parse_core.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "isa/message.h"
#include "isa/message_table.h"

struct spelled {
    struct xk_parser *ps;
    struct xk_msg m;
    enum xk_msg_op op;
    bool data_set, addr_set, cache_set;
    int len[3]; /* dst, src0, src1 in GRFs; -1: left out */
};

static bool is_quad(const struct spelled *s)
{
    return s->op == XK_MOP_LOAD_QUAD || s->op == XK_MOP_STORE_QUAD ||
           s->op == XK_MOP_STORE_UNCOMPRESSED_QUAD;
}

/* Digits at *k of the token, moved past; 0 if there are none. */
static unsigned digits(const struct xk_token *t, size_t *k)
{
    unsigned v = 0;

    while (*k < t->n_b && xk_is_digit(t->s[*k]) && v < 100000)
        v = v * 10 + (unsigned)(t->s[(*k)++] - '0');
    return v;
}

static bool skip_text(const struct xk_token *t, size_t *k, const char *text)
{
    const size_t n = strlen(text);

    if (t->n_b - *k < n || memcmp(t->s + *k, text, n))
        return false;
    *k += n;
    return true;
}

static bool bad_data(struct spelled *s)
{
    const struct xk_token *const t = &s->ps->tok;

    return xk_isa_parse_fail(
        s->ps, t,
        "data size '%.*s': need d8u32, d16u32, d16u32h, d32 "
        "or d64, xN of 2, 3, 4, 8, 16, 32 or 64, and t or v",
        (int)(t->n_b < 40 ? t->n_b : 40), t->s);
}

/* "x4", "t", "v" after the size. */
static bool vector_suffix(struct spelled *s, size_t k)
{
    const struct xk_token *const t = &s->ps->tok;
    unsigned vec = 1;

    if (skip_text(t, &k, "x")) {
        vec = digits(t, &k);
        if (!vec || vec > 64)
            return bad_data(s);
    }
    s->m.vec = (uint8_t)vec;
    for (; k < t->n_b; k++) {
        bool *const flag = t->s[k] == 't'   ? &s->m.transpose
                           : t->s[k] == 'v' ? &s->m.vnni
                                            : NULL;

        if (!flag || *flag)
            return bad_data(s);
        *flag = true;
    }
    return true;
}

/* ".xyzw" of the messages with a component mask. */
static bool component_mask(struct spelled *s)
{
    static const char names[] = "xyzw";
    struct xk_parser *const ps = s->ps;
    const char *at;

    if (!xk_isa_parse_want(ps, '.', "'.' and components such as 'xyz'"))
        return false;
    if (ps->tok.kind != XK_TOK_IDENT)
        return xk_isa_parse_expected(ps, "components such as 'xyz'");
    for (size_t k = 0; k < ps->tok.n_b; k++) {
        at = memchr(names, ps->tok.s[k], 4);
        if (!at || s->m.cmask >> (at - names) & 1)
            return xk_isa_parse_expected(ps, "each of x, y, z, w at most once");
        s->m.cmask = (uint8_t)(s->m.cmask | 1u << (at - names));
    }
    s->m.vec = (uint8_t)__builtin_popcount(s->m.cmask);
    xk_isa_parse_skip(ps);
    return true;
}

static bool data_size(struct spelled *s)
{
    const struct xk_token *const t = &s->ps->tok;
    size_t k = 1;
    const unsigned bits = digits(t, &k);

    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return bad_data(s);
    s->m.data_b = s->m.reg_b = (uint8_t)(bits / 8);
    if (skip_text(t, &k, "u32")) {
        s->m.reg_b = 4;
        s->m.data_high = skip_text(t, &k, "h");
    }
    if (is_quad(s)) {
        if (k != t->n_b)
            return bad_data(s);
        xk_isa_parse_skip(s->ps);
        return component_mask(s);
    }
    if (!vector_suffix(s, k))
        return false;
    xk_isa_parse_skip(s->ps);
    return true;
}

/* The policy of the name, INVALID if there is none. */
static enum xk_msg_cache find_cache(const struct xk_token *t)
{
    unsigned c = 0;

    while (c < XK_CACHE_INVALID && !xk_isa_token_is(t, xk_msg_cache_name(c)))
        c++;
    return c;
}

/* "ca.uc": first and third level. */
static bool cache_pair(struct spelled *s, enum xk_msg_cache l1)
{
    struct xk_parser *const ps = s->ps;
    const struct xk_token at = ps->tok;
    enum xk_msg_cache l3;
    int code;

    xk_isa_parse_skip(ps);
    if (!xk_isa_parse_want(ps, '.', "'.' and the policy of the third level"))
        return false;
    l3 = find_cache(&ps->tok);
    if (l3 == XK_CACHE_INVALID)
        return xk_isa_parse_expected(ps, "a cache policy such as 'ca'");
    code = xk_msg_cache_code(ps->p, s->op, l1, l3);
    if (code < 0)
        return xk_isa_parse_fail(ps, &at,
                                 "cache policies %s.%s: %s of %s has them "
                                 "not",
                                 xk_msg_cache_name(l1), xk_msg_cache_name(l3),
                                 xk_msg_op_name(s->op), ps->p->name);
    s->m.cache = (uint8_t)code;
    xk_isa_parse_skip(ps);
    return true;
}

/* Bytes of an address size, 0 if the token is none. */
static uint8_t find_address(const struct xk_token *t)
{
    static const struct {
        const char *text;
        uint8_t addr_b;
    } sizes[] = {{"a16", 2}, {"a32", 4}, {"a64", 8}};

    for (unsigned k = 0; k < XK_COUNTOF(sizes); k++) {
        if (xk_isa_token_is(t, sizes[k].text))
            return sizes[k].addr_b;
    }
    return 0;
}

/* One of the controls after the shared function; each may be there once. */
static bool control(struct spelled *s)
{
    struct xk_parser *const ps = s->ps;
    const struct xk_token t = ps->tok;
    const enum xk_msg_cache l1 = find_cache(&t);
    const uint8_t addr_b = find_address(&t);
    const bool data = t.kind == XK_TOK_IDENT && t.n_b > 1 && t.s[0] == 'd' &&
                      xk_is_digit(t.s[1]);
    bool *const seen = data     ? &s->data_set
                       : addr_b ? &s->addr_set
                                : &s->cache_set;

    if (!data && !addr_b && l1 == XK_CACHE_INVALID)
        return xk_isa_parse_expected(ps, "a data size, an address size or two "
                                         "cache policies");
    if (*seen)
        return xk_isa_parse_fail(ps, &t, "'%.*s': the message has that already",
                                 (int)(t.n_b < 40 ? t.n_b : 40), t.s);
    *seen = true;
    if (data)
        return data_size(s);
    if (!addr_b)
        return cache_pair(s, l1);
    s->m.addr_b = addr_b;
    xk_isa_parse_skip(ps);
    return true;
}

static bool controls(struct spelled *s)
{
    while (xk_isa_parse_accept(s->ps, '.')) {
        if (!control(s))
            return false;
    }
    if (!s->data_set || !s->addr_set)
        return xk_isa_parse_expected(
            s->ps, s->data_set ? "an address size such as '.a64'"
                               : "a data size such as '.d32'");
    return true;
}

/* "r10:4", a payload and its length. */
static bool parse_payload_length(struct spelled *s, struct xk_operand *o,
                                 int *len, unsigned max)
{
    struct xk_parser *const ps = s->ps;
    const struct xk_token at = ps->tok;
    unsigned v;

    o->type = XK_RT_UD;
    if (!xk_isa_parse_reg(ps, o))
        return false;
    if (o->file != XK_FILE_GRF && o->arf != XK_ARF_NULL)
        return xk_isa_parse_fail(ps, &at, "a payload is a GRF or null");
    if (!xk_isa_parse_accept(ps, ':'))
        return true;
    if (!xk_isa_parse_int(ps, "length of a payload", max, &v))
        return false;
    if (o->reg + v > 256)
        return xk_isa_parse_fail(ps, &at, "r%u:%u ends past r255", o->reg, v);
    *len = (int)v;
    return true;
}

/* After bti, bss or ss: "[3]", "[a0.2]". */
static bool surface(struct spelled *s)
{
    struct xk_parser *const ps = s->ps;
    const bool bti = s->m.addr_type == XK_LSC_BTI;
    struct xk_value v;
    int64_t n;

    if (!xk_isa_parse_want(ps, '[', "'[' and the surface"))
        return false;
    if (xk_isa_token_is(&ps->tok, "a0")) {
        s->m.surf_reg = true; /* exbso: by option */
        if (!xk_isa_parse_a0(ps, 7, &ps->i->send.exdesc_sub))
            return false;
    } else {
        if (!xk_isa_parse_value(ps, &v) ||
            !xk_value_int(ps, &v,
                          bti ? "binding table index" : "surface state offset",
                          0, bti ? 255 : UINT32_MAX, &n))
            return false;
        s->m.bti = bti ? (uint8_t)n : 0;
        s->m.surf_imm = !bti;
        s->m.surf_off = bti ? 0 : (uint32_t)n;
    }
    return xk_isa_parse_want(ps, ']', "']'");
}

static bool address(struct spelled *s)
{
    static const struct {
        const char *text;
        uint8_t type;
    } types[] = {{"bti", XK_LSC_BTI}, {"bss", XK_LSC_BSS}, {"ss", XK_LSC_SS}};
    struct xk_parser *const ps = s->ps;

    for (unsigned k = 0; k < XK_COUNTOF(types); k++) {
        if (!xk_isa_parse_accept_word(ps, types[k].text))
            continue;
        s->m.addr_type = types[k].type;
        if (!surface(s))
            return false;
    }
    if (s->m.addr_type == XK_LSC_FLAT)
        xk_isa_parse_accept_word(ps, "flat");
    if (!xk_isa_parse_want(ps, '[', "'[' and the address"))
        return false;
    if (ps->tok.kind == XK_TOK_INT)
        return xk_isa_parse_fail(ps, &ps->tok,
                                 "scaled addresses do not exist on "
                                 "%s",
                                 ps->p->name);
    if (!parse_payload_length(s, &ps->i->src[0], &s->len[1], 15))
        return false;
    if (ps->tok.kind == '+' || ps->tok.kind == '-')
        return xk_isa_parse_fail(ps, &ps->tok,
                                 "immediate address offsets do not "
                                 "exist on %s",
                                 ps->p->name);
    return xk_isa_parse_want(ps, ']', "']'");
}

static bool parse_message_operands(struct spelled *s)
{
    struct xk_inst *const i = s->ps->i;
    const enum xk_msg_class c = xk_msg_op_class(s->op);

    i->dst = i->src[1] =
        (struct xk_operand){.file = XK_FILE_ARF, .type = XK_RT_UD};
    if (c == XK_MCLASS_STORE)
        return address(s) &&
               parse_payload_length(s, &i->src[1], &s->len[2], 31);
    if (!parse_payload_length(s, &i->dst, &s->len[0], 31) || !address(s))
        return false;
    return c == XK_MCLASS_LOAD ||
           parse_payload_length(s, &i->src[1], &s->len[2], 31);
}

static bool set_message_kind(struct spelled *s, const struct xk_token *at)
{
    const struct xk_platform *const p = s->ps->p;
    const bool atomic = xk_msg_op_class(s->op) == XK_MCLASS_ATOMIC;

    for (unsigned k = 1; k < XK_N_MSG_KINDS && !s->m.kind; k++) {
        const struct xk_msg_row *const row = xk_msg_row(k);

        if (row && xk_msg_exists(p, k, s->m.sfid) &&
            (atomic ? k == XK_MSG_LSC_ATOMIC : row->op == s->op))
            s->m.kind = (uint8_t)k;
    }
    if (atomic)
        s->m.op = (uint8_t)s->op;
    if (s->m.kind && xk_msg_is_lsc(s->m.sfid))
        return true;
    return xk_isa_parse_fail_at(
        s->ps, XK_EUNSUPPORTED, at->line, at->col, "%s.%s does not exist on %s",
        xk_msg_op_name(s->op), xk_msg_sfid_name(s->m.sfid), p->name);
}

static bool is_no_grf(const struct xk_operand *o)
{
    return o->file != XK_FILE_GRF;
}

/* Descriptors from the record; then the written lengths. */
static bool build_descriptors(struct spelled *s)
{
    struct xk_parser *const ps = s->ps;
    struct xk_inst *const i = ps->i;
    struct xk_send_info *const d = &i->send;
    struct xk_error why = {0};
    enum xk_status st;

    s->m.exec = i->exec;
    s->m.returns =
        xk_msg_op_class(s->op) == XK_MCLASS_ATOMIC && !is_no_grf(&i->dst);
    s->m.dst_grf = (uint8_t)(s->len[0] > 0 ? s->len[0] : 0);
    s->m.src0_grf = (uint8_t)(s->len[1] >= 0 ? s->len[1] : 1);
    s->m.src1_grf = (uint8_t)(s->len[2] > 0 ? s->len[2] : 0);
    st = xk_msg_build(ps->p, &s->m, i, &why);
    if (st < 0)
        return xk_isa_parse_fail_at(ps, st, ps->mnemonic.line, ps->mnemonic.col,
                                    "%s", why.message);
    if (s->len[0] >= 0)
        d->desc = (d->desc & ~(31u << 20)) | (uint32_t)s->len[0] << 20;
    if (s->len[1] >= 0)
        d->desc = (d->desc & ~(15u << 25)) | (uint32_t)s->len[1] << 25;
    ps->spelled = true;
    ps->src1_len = s->len[2] >= 0 ? (uint8_t)s->len[2] : s->m.src1_grf;
    /* with the surface in a0, the length is there, too, without {ExBSO} */
    d->exbso = false;
    d->src1_len = d->exdesc_reg ? 0 : ps->src1_len;
    if (!d->exdesc_reg)
        d->exdesc = (d->exdesc & ~0x7c0u) | d->src1_len * 64u;
    return true;
}

bool xk_isa_parse_message(struct xk_parser *ps, bool *found)
{
    struct spelled s = {.ps = ps, .len = {-1, -1, -1}};
    const struct xk_token sfid = xk_isa_parse_peek(ps, 2);
    char name[32];
    unsigned k = 0;

    if (ps->tok.n_b >= sizeof(name) || xk_isa_parse_peek(ps, 1).kind != '.')
        return true;
    memcpy(name, ps->tok.s, ps->tok.n_b);
    name[ps->tok.n_b] = 0;
    s.op = xk_msg_op_find(name);
    *found = s.op && xk_msg_op_class(s.op) >= XK_MCLASS_LOAD &&
             xk_msg_op_class(s.op) <= XK_MCLASS_ATOMIC;
    if (!*found)
        return true;
    while (k < 16 && !(ps->traits->sfid[k] &&
                       xk_isa_token_is(&sfid, ps->traits->sfid[k])))
        k++;
    xk_isa_parse_skip(ps);
    xk_isa_parse_skip(ps);
    if (k == 16)
        return xk_isa_parse_expected(ps, "a shared function such as 'ugm'");
    xk_isa_parse_skip(ps);
    s.m.sfid = (uint8_t)k;
    ps->i->op = XK_OPC_SEND;
    return set_message_kind(&s, &sfid) && controls(&s) &&
           xk_isa_parse_exec(ps) && parse_message_operands(&s) &&
           build_descriptors(&s);
}
