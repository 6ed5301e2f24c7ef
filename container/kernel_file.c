/* SPDX-License-Identifier: Apache-2.0 */
#include "container/kernel_file.h"

#include <string.h>

#include "container/patch_tokens.h"
#include "isa/product.h"

static const struct xk_platform *by_number(uint32_t family, uint32_t core)
{
    const struct xk_platform *const told = xk_product_family(family);
    for (int i = XK_PLATFORM_XELP; !told && i <= XK_PLATFORM_XEHPC; i++) {
        const struct xk_platform *const p =
            xk_platform_get((enum xk_platform_id)i);
        if (p && core && p->gfx_core == core)
            return p;
    }
    return told;
}

/* Raw code: the whole file is one kernel, and no other fact is known. */
static enum xk_status open_raw(xk_ctx *c, const void *file, size_t n_b,
                               struct xk_kernel_file *out)
{
    struct xk_zkernel *const k = xk_calloc(c, 1, sizeof *k);
    if (!k)
        return XK_ENOMEM;
    *k = (struct xk_zkernel){.name = "code", .code = file, .code_b = n_b};
    out->z = (struct xk_zebin){.n_kernels = 1, .kernels = k};
    return XK_OK;
}

static enum xk_status read_container(xk_ctx *c, const void *file, size_t n_b,
                                     struct xk_kernel_file *out, uint32_t *core)
{
    if (!file || !n_b)
        return xk_fail(c, XK_EPARSE, "file: it is empty");
    if (xk_patch_tokens_recognise(file, n_b)) {
        out->kind = XK_CONTAINER_PATCH_TOKENS;
        return xk_patch_tokens_read(c, file, n_b, &out->z, core);
    }
    if (n_b >= 4 && !memcmp(file, "\177ELF", 4)) {
        out->kind = XK_CONTAINER_ZEBIN;
        return xk_zebin_read(c, file, n_b, &out->z);
    }
    if (n_b >= 8 && !memcmp(file, "!<arch>\n", 8))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "file: an archive of binaries for several devices; "
                       "extract one with ar x");
    out->kind = XK_CONTAINER_RAW;
    return open_raw(c, file, n_b, out);
}

enum xk_status xk_platform_named(xk_ctx *c, const char *name,
                                 const struct xk_platform **out)
{
    char known[80];
    *out = xk_platform_find(name);
    if (*out)
        return XK_OK;
    xk_platform_names(known, sizeof known);
    return xk_fail(c, XK_EINVAL, "platform: '%.40s' is unknown (%s)",
                   name ? name : "", known);
}

/* The platform that the container names, else the requested one. The two must
 * agree. */
static enum xk_status choose_file_platform(xk_ctx *c, struct xk_kernel_file *f,
                                           const char *name, uint32_t core)
{
    const struct xk_platform *const told = by_number(f->z.product_family, core);
    const struct xk_platform *asked = NULL;
    if (name)
        XK_TRY(xk_platform_named(c, name, &asked));
    f->platform = told ? told : asked;
    if (told && asked && told != asked)
        return xk_fail(c, XK_EINVAL, "platform: the file is for %s, not for %s",
                       told->name, asked->name);
    if (f->platform)
        return XK_OK;
    if (f->kind == XK_CONTAINER_RAW)
        return xk_fail(c, XK_EINVAL,
                       "the file is none of the containers that are known, and "
                       "raw instructions need a platform, e.g. xehpg");
    return xk_fail(c, XK_EUNSUPPORTED,
                   "platform: product family %u, core %u is unknown; name one",
                   f->z.product_family, core);
}

enum xk_status xk_kernel_file_open(xk_ctx *c, const void *file, size_t n_b,
                                   const char *platform,
                                   struct xk_kernel_file *out)
{
    uint32_t core = 0;
    *out = (struct xk_kernel_file){.kind = XK_CONTAINER_RAW};
    enum xk_status s = read_container(c, file, n_b, out, &core);
    if (s == XK_OK)
        s = choose_file_platform(c, out, platform, core);
    if (s < 0)
        xk_kernel_file_fini(c, out);
    return s;
}

void xk_kernel_file_fini(xk_ctx *c, struct xk_kernel_file *f)
{
    xk_zebin_fini(c, &f->z);
}

const char *xk_container_name(enum xk_container kind)
{
    static const char *const names[] = {"raw", "zebin", "patch tokens"};
    return (unsigned)kind < XK_COUNTOF(names) ? names[kind] : "?";
}
