/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptor strings, and the query: no IR, no code. */
#include <stdio.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/tensors.h"
#include "conv/version.h"
#include "gen/gen.h"

#define MAX_INFO_B (UINT32_C(1) << 18) /* a larger size field is garbage */

enum xk_status xk_gen_finish(xk_ctx *c, struct xk_error *err)
{
    static const struct xk_error no_room = {XK_ENOMEM, "out of memory"};
    const enum xk_status status = c ? xk_ctx_status(c) : XK_ENOMEM;
    if (err)
        *err = c ? c->error : no_room;
    xk_ctx_destroy(c);
    return status;
}

static enum xk_status no_memory(struct xk_error *err)
{
    if (err) {
        err->status = XK_ENOMEM;
        snprintf(err->message, sizeof(err->message), "out of memory");
    }
    return XK_ENOMEM;
}

enum xk_status xk_conv_query(const struct xk_conv_desc *d,
                             struct xk_conv_info *info, struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return no_memory(err);
    if (!info) {
        xk_fail(c, XK_EINVAL, "info is NULL");
        return xk_gen_finish(c, err);
    }
    if (info->size < sizeof(info->size) || info->size > MAX_INFO_B) {
        xk_fail(c, XK_EINVAL,
                "info.size=%u: not the size of struct xk_conv_info (%zu)",
                info->size, sizeof(*info));
        return xk_gen_finish(c, err);
    }
    struct xk_problem *const p = xk_malloc(c, sizeof(*p)); /* large */
    if (!p)
        return xk_gen_finish(c, err);
    if (xk_problem_make(c, d, p) == XK_OK) {
        const uint32_t size = info->size;
        memset(info, 0, size);
        memcpy(info, &p->user, size < sizeof(p->user) ? size : sizeof(p->user));
        info->size = size;
    }
    xk_problem_fini(p);
    xk_free(c, p);
    return xk_gen_finish(c, err);
}

enum xk_status xk_conv_desc_parse(const char *text, struct xk_conv_desc *d,
                                  char *name, size_t name_size,
                                  struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return no_memory(err);
    if (!text || !d)
        xk_fail(c, XK_EINVAL, "%s is NULL", text ? "descriptor" : "text");
    else
        xk_conv_parse(c, text, d, name, name_size);
    return xk_gen_finish(c, err);
}

size_t xk_conv_desc_print(const struct xk_conv_desc *d, char *out,
                          size_t out_size)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_conv_desc full;
    struct xk_str s;
    xk_str_init(&s, NULL);
    if (c && xk_conv_copy_desc(c, d, &full) == XK_OK)
        xk_conv_print(&full, &s);
    xk_ctx_destroy(c);
    if (out_size)
        snprintf(out, out_size, "%s", xk_str_get(&s));
    const size_t n = s.len;
    xk_str_fini(&s);
    return n;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
const char *xk_version(void)
{
    return TEXT(XK_VERSION);
}
