/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/version.h"

#include <stddef.h>
#include <string.h>

#define MAX_DESC_B 65536 /* a larger size field is garbage */

/* The end of the first version: eight post-ops of a kind and a number. Up to
 * its post-ops both are the same. */
struct first_tail {
    struct {
        uint32_t kind;
        float alpha;
    } post_ops[8];
    float scale;
    uint32_t padding;
};
enum {
    TAIL_AT = offsetof(struct xk_conv_desc, post_ops),
    FIRST_B = TAIL_AT + sizeof(struct first_tail),
};

/* size bytes at d are of the first version. */
static enum xk_status copy_first(xk_ctx *c, const struct xk_conv_desc *d,
                                 uint32_t size, struct xk_conv_desc *copy)
{
    struct first_tail t;
    memset(&t, 0, sizeof(t));
    memcpy(copy, d, size < TAIL_AT ? size : TAIL_AT);
    if (size > TAIL_AT)
        memcpy(&t, (const unsigned char *)d + TAIL_AT, size - TAIL_AT);
    if (copy->n_post_ops > XK_COUNTOF(t.post_ops))
        return xk_fail(c, XK_EINVAL,
                       "n_post_ops=%u, at most 8 in a descriptor of %u bytes",
                       copy->n_post_ops, size);
    for (uint32_t i = 0; i < XK_COUNTOF(t.post_ops); i++) {
        copy->post_ops[i].kind = t.post_ops[i].kind;
        copy->post_ops[i].alpha = t.post_ops[i].alpha;
    }
    copy->scale = t.scale;
    return XK_OK;
}

/* Zeros behind the fields that are known here are of a newer version. */
static enum xk_status check_tail(xk_ctx *c, const struct xk_conv_desc *d,
                                 uint32_t size)
{
    const unsigned char *const bytes = (const unsigned char *)d;
    for (uint32_t i = sizeof(*d); i < size; i++)
        if (bytes[i])
            return xk_fail(c, XK_EUNSUPPORTED,
                           "desc.size=%u: byte %u behind the fields known to "
                           "this version (%zu bytes) is not zero",
                           size, i, sizeof(*d));
    return XK_OK;
}

enum xk_status xk_conv_copy_desc(xk_ctx *c, const struct xk_conv_desc *d,
                                 struct xk_conv_desc *full)
{
    if (!d || !full)
        return xk_fail(c, XK_EINVAL, "desc is NULL");
    const uint32_t size = d->size;
    if (size < sizeof(d->size) || size > MAX_DESC_B)
        return xk_fail(c, XK_EINVAL,
                       "desc.size=%u: not the size of a descriptor, start "
                       "from XK_CONV_DESC_INIT",
                       size);
    XK_TRY(check_tail(c, d, size));
    struct xk_conv_desc copy;
    memset(&copy, 0, sizeof(copy));
    if (size <= FIRST_B)
        XK_TRY(copy_first(c, d, size, &copy));
    else
        memcpy(&copy, d, size < sizeof(copy) ? size : sizeof(copy));
    copy.size = (uint32_t)sizeof(copy);
    *full = copy;
    return XK_OK;
}
