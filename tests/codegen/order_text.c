/* SPDX-License-Identifier: Apache-2.0 */
#include "order_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "codegen/scoreboard.h"
#include "isa/asm.h"

static void decode_all(const uint8_t *code, size_t code_b, struct ot_list *out)
{
    struct xk_error err = {0};
    size_t used;
    for (size_t at = 0; at < code_b; at += used) {
        ck_assert_uint_lt(out->n, OT_MAX);
        struct xk_inst *const i = &out->in[out->n];
        const enum xk_status st =
            xk_inst_decode(out->p, code + at, code_b - at, i, &used, &err);
        ck_assert_msg(st == XK_OK, "%s", err.message);
        if (xk_sb_has_jip(i))
            i->jip_b = i->jip_b / XK_INST_B + (int32_t)out->n;
        out->n++;
    }
}

void ot_parse(const char *platform, const char *text, struct ot_list *out)
{
    const struct xk_asm_source source = {text, strlen(text), "order"};
    uint8_t *code = NULL;
    size_t code_b = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    out->p = xk_platform_find(platform);
    out->n = 0;
    ck_assert_msg(xk_assemble_text(c, out->p, &source, false, &code, &code_b) >=
                      0,
                  "%s\n%s", c->error.message, text);
    decode_all(code, code_b, out);
    xk_free(c, code);
    xk_ctx_destroy(c);
}

struct xk_order_stats ot_order(struct ot_list *l)
{
    struct xk_order_stats s;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_scoreboard_chain(l->p, l->in, l->n);
    struct xk_sb_access *const a = xk_sb_accesses(c, l->p, l->in, l->n);
    ck_assert_int_eq(xk_order(c, l->p, l->in, a, l->n, &s), XK_OK);
    for (unsigned i = 0; i < l->n; i++) { /* the accesses went along */
        struct xk_sb_access now;
        memset(&now, 0, sizeof now);
        xk_sb_access_of(l->p, &l->in[i], &now);
        ck_assert_uint_eq(now.n_rd, a[i].n_rd);
        ck_assert_mem_eq(now.rd, a[i].rd, now.n_rd * sizeof now.rd[0]);
        ck_assert_uint_eq(now.n_wr, a[i].n_wr);
        ck_assert_mem_eq(now.wr, a[i].wr, now.n_wr * sizeof now.wr[0]);
    }
    xk_free(c, a);
    xk_ctx_destroy(c);
    return s;
}

char *ot_annotated(const struct ot_list *l, struct ot_list *out)
{
    struct xk_inst *list;
    struct xk_str text;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&text, NULL);
    ck_assert_int_eq(xk_scoreboard(c, l->p, l->in, l->n, &list, &out->n),
                     XK_OK);
    ck_assert_uint_le(out->n, OT_MAX);
    out->p = l->p;
    memcpy(out->in, list, out->n * sizeof *list);
    for (unsigned i = 0; i < out->n; i++) {
        xk_inst_print(l->p, &list[i], &text);
        xk_str_putc(&text, '\n');
    }
    xk_free(c, list);
    xk_ctx_destroy(c);
    char *const s = strdup(xk_str_get(&text));
    xk_str_fini(&text);
    return s;
}
