/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of passes as text: "split(m=8) pipe(ra ahead=1; rb) expand". A nest's
 * plan is such a list, and the command line takes it. */
#include <string.h>

#include "passes/nest_pass.h"

const struct xk_pass xk_nest_passes[] = {
    {"pair", xk_pass_pair, NULL},   {"peel", xk_pass_peel, NULL},
    {"split", xk_pass_split, NULL}, {"pipe", xk_pass_pipe, NULL},
    {"stage", xk_pass_stage, NULL}, {"hold", xk_pass_hold, NULL},
};
const unsigned xk_n_nest_passes = XK_COUNTOF(xk_nest_passes);

#define MAX_ARGS 200 /* bytes of one call's arguments */

/* One call at *text: its pass, its arguments. */
static enum xk_status next_call(xk_ctx *c, const char **text,
                                const struct xk_pass **pass,
                                char args[MAX_ARGS])
{
    char name[16] = {0};
    const size_t n = strcspn(*text, " ,(");
    if (n < sizeof(name))
        memcpy(name, *text, n);
    *pass = xk_pass_find(name);
    if (!*pass) {
        char known[300];
        xk_pass_words(known, sizeof known);
        return xk_fail(c, XK_EPARSE, "passes: '%.*s' is none of %s",
                       n < 40 ? (int)n : 40, *text, known);
    }
    *text += n;
    args[0] = 0;
    if (**text != '(')
        return XK_OK;
    const char *const end = strchr(*text, ')');
    const size_t size = end ? (size_t)(end - *text - 1) : MAX_ARGS;
    if (size >= MAX_ARGS)
        return xk_fail(c, XK_EPARSE,
                       "passes: the arguments of %s have no end, or above %d "
                       "bytes",
                       name, MAX_ARGS - 1);
    memcpy(args, *text + 1, size);
    args[size] = 0;
    *text = end + 1;
    return XK_OK;
}

enum xk_status xk_passes_call(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env, const char *calls,
                              xk_pass_trace trace, void *user)
{
    static const char between[] = ", \n";
    for (calls += strspn(calls, between); *calls;
         calls += strspn(calls, between)) {
        const struct xk_pass *pass;
        char args[MAX_ARGS];
        struct xk_pass_env with = *env;
        XK_TRY(next_call(c, &calls, &pass, args));
        with.args = args[0] ? args : NULL;
        XK_TRY(xk_pass_run_one(c, k, &with, pass, false));
        if (trace)
            trace(user, pass->name, k);
    }
    return XK_OK;
}

bool xk_pass_next_arg(const char **args, char separator,
                      struct xk_pass_arg *out)
{
    const char stops[] = {' ', separator, 0};
    memset(out, 0, sizeof(*out));
    *args += strspn(*args, " ");
    if (!**args || **args == separator)
        return false;
    const size_t n = strcspn(*args, stops);
    const char *const sign = memchr(*args, '=', n);
    const size_t name_n = sign ? (size_t)(sign - *args) : n;
    if (name_n < sizeof(out->name))
        memcpy(out->name, *args, name_n);
    if (sign)
        for (const char *s = sign + 1; s < *args + n; s++) {
            out->has_value = *s >= '0' && *s <= '9' && out->value < 100000;
            out->value = out->value * 10 + (unsigned)(*s - '0');
            if (!out->has_value)
                break;
        }
    out->bad = !out->name[0] || (sign && !out->has_value);
    *args += n;
    return true;
}

int64_t xk_tile_rows_of_unit(const struct xk_tile_decl *d, unsigned dim)
{
    const struct xk_layout *const l = &d->layout;
    unsigned i = 0;
    while (i < l->n_blocks && l->block[i].size == 1)
        i++;
    const int64_t all_e = xk_tile_size_b(d) / xk_dtype_b(l->dt);
    const bool outermost = i < l->n_blocks && l->block[i].dim == dim &&
                           l->block[i].size * l->block[i].stride == all_e;
    return outermost ? l->dim[dim] / l->block[i].size : l->dim[dim];
}

int64_t xk_tile_unit_e(const struct xk_tile_decl *d, unsigned dim, int64_t unit)
{
    return xk_tile_size_b(d) / xk_dtype_b(d->layout.dt) * unit /
           d->layout.dim[dim];
}

struct xk_tile_decl xk_tile_with_rows(const struct xk_tile_decl *d,
                                      unsigned dim, int64_t unit, int64_t n)
{
    const struct xk_layout *const l = &d->layout;
    struct xk_tile_decl out = *d;
    struct xk_layout *const to = &out.layout;
    bool outer = unit < l->dim[dim]; /* its block is not copied */
    to->dim[dim] = to->padded[dim] = n;
    to->n_blocks = 1;
    to->block[0] =
        (struct xk_block){(uint8_t)dim, n / unit, xk_tile_unit_e(d, dim, unit)};
    for (unsigned i = 0; i < l->n_blocks; i++) {
        if (l->block[i].size == 1)
            continue;
        if (!outer)
            to->block[to->n_blocks++] = l->block[i];
        outer = false;
    }
    return out;
}
