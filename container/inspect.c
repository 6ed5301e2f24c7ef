/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly of raw code or of a zebin's kernels, for tools. */
#include "xekern/inspect.h"

#include <stdio.h>
#include <string.h>

#include "container/zebin_read.h"
#include "isa/isa.h"

struct sink {
    xk_write_fn write;
    void *user;
};

static void put(const struct sink *s, const struct xk_str *text)
{
    s->write(s->user, xk_str_get(text), text->len);
}

/* Zero padding behind the last instruction is the hardware's prefetch room. */
static bool is_padding(const uint8_t *code, size_t n_b)
{
    for (size_t i = 0; i < n_b; i++)
        if (code[i])
            return false;
    return true;
}

static enum xk_status dis_code(xk_ctx *c, const struct xk_platform *p,
                               const uint8_t *code, size_t n_b,
                               const struct sink *out)
{
    struct xk_str line;
    enum xk_status status = XK_OK;
    xk_str_init(&line, &c->alloc);
    for (size_t at = 0; at < n_b && status == XK_OK;) {
        struct xk_inst inst;
        struct xk_error e = {XK_OK, ""};
        size_t used_b = 0;
        if (is_padding(code + at, n_b - at))
            break;
        status = xk_inst_decode(p, code + at, n_b - at, &inst, &used_b, &e);
        if (status != XK_OK) {
            xk_fail(c, status, "offset %zu: %s", at, e.message);
            break;
        }
        xk_str_clear(&line);
        xk_inst_print(p, &inst, &line);
        xk_str_printf(&line, "  // %04zx\n", at);
        put(out, &line);
        at += used_b;
    }
    xk_str_fini(&line);
    return status;
}

static const struct xk_platform *family(uint32_t product_family)
{
    for (int i = XK_PLATFORM_XELP; i <= XK_PLATFORM_XEHPC; i++) {
        const struct xk_platform *const p =
            xk_platform_get((enum xk_platform_id)i);
        if (p && p->product_family == product_family)
            return p;
    }
    return NULL;
}

static enum xk_status dis_zebin(xk_ctx *c, const void *bytes, size_t n_b,
                                const struct sink *out)
{
    struct xk_zebin z;
    XK_TRY(xk_zebin_read(c, bytes, n_b, &z));
    const struct xk_platform *const p = family(z.product_family);
    enum xk_status status = XK_OK;
    if (!p)
        status = xk_fail(c, XK_EUNSUPPORTED, "product family %u is unknown",
                         z.product_family);
    for (uint32_t i = 0; i < z.n_kernels && status == XK_OK; i++) {
        struct xk_str head;
        xk_str_init(&head, &c->alloc);
        xk_str_printf(&head, "// kernel %s, %s, SIMD%u, %u registers\n",
                      z.kernels[i].name, p->name, z.kernels[i].simd,
                      z.kernels[i].grf_count);
        put(out, &head);
        xk_str_fini(&head);
        status = dis_code(c, p, z.kernels[i].code, z.kernels[i].code_b, out);
    }
    xk_zebin_fini(c, &z);
    return status;
}

static enum xk_status dis_raw(xk_ctx *c, const char *platform,
                              const void *bytes, size_t n_b,
                              const struct sink *out)
{
    if (!platform)
        return xk_fail(c, XK_EINVAL,
                       "platform: raw instructions need one, e.g. xehpg");
    const struct xk_platform *const p = xk_platform_find(platform);
    if (!p)
        return xk_fail(c, XK_EINVAL, "platform: '%s' is unknown", platform);
    return dis_code(c, p, bytes, n_b, out);
}

enum xk_status xk_disassemble(const char *platform, const void *bytes,
                              size_t n_b, xk_write_fn write, void *user,
                              struct xk_error *err)
{
    const struct sink out = {write, user};
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return XK_ENOMEM;
    if (n_b >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        dis_zebin(c, bytes, n_b, &out);
    else
        dis_raw(c, platform, bytes, n_b, &out);
    const enum xk_status status = xk_ctx_status(c);
    if (err)
        *err = c->error;
    xk_ctx_destroy(c);
    return status;
}
