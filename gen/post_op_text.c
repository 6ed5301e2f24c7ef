/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops through the public headers: their text, and the rows of post_op.def.
 */
#include <stdio.h>
#include <string.h>

#include "conv/post_ops.h"
#include "views/epi_kind.h"
#include "xekern/inspect.h"

enum xk_status xk_post_ops_parse(const char *text, struct xk_post_op *ops,
                                 uint32_t *n, struct xk_error *err)
{
    enum xk_status status = XK_ENOMEM;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (c && (!text || !ops || !n))
        status = xk_fail(c, XK_EINVAL, "post-ops: an argument is NULL");
    else if (c)
        status = xk_conv_parse_post_ops(c, text, ops, n);
    if (err && c)
        *err = c->error;
    else if (err)
        *err = (struct xk_error){XK_ENOMEM, "out of memory"};
    xk_ctx_destroy(c);
    return status;
}

size_t xk_post_ops_print(const struct xk_post_op *ops, uint32_t n, char *out,
                         size_t out_size)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_conv_print_post_ops(ops, ops ? n : 0, &s);
    if (out_size)
        snprintf(out, out_size, "%s", xk_str_get(&s));
    const size_t len = s.len;
    xk_str_fini(&s);
    return len;
}

bool xk_post_op_at(uint32_t i, struct xk_post_op_info *out)
{
    static const char *const syntax[] = {
        [XK_SYNTAX_ELTWISE] = "", /* its numbers say the rest */
        [XK_SYNTAX_SUM] = "[:alpha[:zero[:type]]]",
        [XK_SYNTAX_BINARY] = ":type[:mask[:tag]]",
        [XK_SYNTAX_PRELU] = "[:mask]",
    };
    static const char *const numbers[] = {"", "[:alpha]", "[:alpha[:beta]]"};
    const struct xk_post_op_row *const r =
        i < UINT32_MAX ? xk_post_op_row(i + 1) : NULL;
    if (!r)
        return false;
    const bool plain = r->syntax == XK_SYNTAX_ELTWISE;
    *out = (struct xk_post_op_info){
        .kind = i + 1,
        .n_numbers = r->n_numbers,
        .name = r->name,
        .aliases = r->aliases,
        .syntax = plain ? numbers[r->n_numbers] : syntax[r->syntax],
        .meaning = r->meaning,
        .limit = r->why,
        .reads_old = r->syntax == XK_SYNTAX_SUM,
        .reads_rhs =
            r->syntax == XK_SYNTAX_BINARY || r->syntax == XK_SYNTAX_PRELU,
    };
    return true;
}
