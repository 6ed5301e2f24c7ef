/* SPDX-License-Identifier: Apache-2.0 */
/* Words for what a platform lacks: which other platforms have it. For a
 * mnemonic that no platform has: which one may be meant. */
#include "isa/parse_core.h"

#include <string.h>

#include "base/alloc.h"
#include "isa/message.h"

static bool platform_has(const struct xk_isa_tables *t,
                         enum xk_isa_parse_thing thing, unsigned v)
{
    switch (thing) {
    case XK_THING_OPCODE:
        return t->op_code[v] != XK_NO_CODE;
    case XK_THING_TYPE:
        return t->type_code[v] != XK_NO_CODE || t->imm_code[v] != XK_NO_CODE ||
               (v >= XK_RT_U4 && v <= XK_RT_S2);
    case XK_THING_PRED:
        return t->pred_code[v] != XK_NO_CODE;
    case XK_THING_MATH:
        return t->math_fns >> v & 1;
    case XK_THING_SYNC:
        return t->sync_fns >> v & 1;
    }
    return true;
}

static void append_text(char *list, size_t cap, const char *text)
{
    strncat(list, text, cap - strlen(list) - 1);
}

bool xk_isa_parse_exists(struct xk_parser *ps, const struct xk_token *at,
                         enum xk_isa_parse_thing thing, unsigned v)
{
    static const enum xk_platform_id ids[] = {
        XK_PLATFORM_XELP, XK_PLATFORM_XEHPG, XK_PLATFORM_XEHPC};
    char list[64] = "";

    if (platform_has(ps->t, thing, v))
        return true;
    for (unsigned k = 0; k < XK_COUNTOF(ids); k++) {
        const struct xk_platform *const p = xk_platform_get(ids[k]);
        const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);

        if (!t || !platform_has(t, thing, v))
            continue;
        append_text(list, sizeof(list), *list ? ", " : ", but on: ");
        append_text(list, sizeof(list), p->name);
    }
    return xk_isa_parse_fail_at(
        ps, XK_EUNSUPPORTED, at->line, at->col, "%.*s does not exist on %s%s",
        (int)(at->n_b < 40 ? at->n_b : 40), at->s, ps->p->name, list);
}

static unsigned shorter(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to add, drop or change from one word to the other. */
static unsigned distance(const struct xk_token *t, const char *word)
{
    unsigned row[32], n = (unsigned)strlen(word);

    if (n >= XK_COUNTOF(row) || t->n_b >= XK_COUNTOF(row))
        return XK_COUNTOF(row);
    for (unsigned k = 0; k <= n; k++)
        row[k] = k;
    for (unsigned i = 0; i < t->n_b; i++) {
        unsigned diagonal = row[0];

        row[0] = i + 1;
        for (unsigned k = 0; k < n; k++) {
            const unsigned change = diagonal + (t->s[i] != word[k]);

            diagonal = row[k + 1];
            row[k + 1] = shorter(change, shorter(row[k], diagonal) + 1);
        }
    }
    return row[n];
}

bool xk_isa_parse_unknown_mnemonic(struct xk_parser *ps)
{
    const struct xk_token *const t = &ps->tok;
    const char *best = "";
    unsigned least_d = t->n_b > 3 ? 3 : 2;

    for (unsigned k = 0; k < XK_N_OPCODES + XK_N_MSG_OPS; k++) {
        const char *const name = k < XK_N_OPCODES
                                     ? xk_opcode_name(k)
                                     : xk_msg_op_name(k - XK_N_OPCODES);
        const unsigned d = distance(t, name);

        if (d < least_d) {
            least_d = d;
            best = name;
        }
    }
    return xk_isa_parse_fail(ps, t, "unknown mnemonic '%.*s'%s%s%s",
                             (int)(t->n_b < 40 ? t->n_b : 40), t->s,
                             *best ? ", is '" : "", best,
                             *best ? "' meant?" : "");
}
