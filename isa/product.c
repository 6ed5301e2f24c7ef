/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/product.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/workaround.h"

#define ARCHITECTURE 12
#define NO_RELEASE 255
#define PVC_STEPPING 7 /* the bits of a revision that name it */

static const struct product {
    const char *name;
    uint32_t family, release;
    enum xk_platform_id platform;
} products[] = {
#define XK_PRODUCT(name_, family_, platform_, text, release_)                  \
    [XK_##name_] = {text, family_, release_, XK_PLATFORM_##platform_},
#define XK_REVISION(...)
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
};

static const struct revision {
    enum xk_product product;
    uint32_t revision;
    enum xk_stepping stepping;
} revisions[] = {
#define XK_PRODUCT(...)
#define XK_REVISION(product_, revision_, stepping_)                            \
    {XK_##product_, revision_, XK_STEP_##stepping_},
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
};

const char *xk_product_name(enum xk_product product)
{
    return product < XK_N_PRODUCTS ? products[product].name : "";
}

enum xk_platform_id xk_product_platform(enum xk_product product)
{
    return products[product].platform;
}

const struct xk_platform *xk_product_family(uint32_t family)
{
    for (unsigned k = 0; family && k < XK_N_PRODUCTS; k++)
        if (products[k].family == family)
            return xk_platform_get(products[k].platform);
    return NULL;
}

static bool is_told(const struct xk_platform *p,
                    const struct xk_told_device *told, enum xk_product k)
{
    const struct product *const product = &products[k];

    if (product->platform != p->id)
        return false;
    if (told->ip_version)
        return told->ip_version >> 14 == (ARCHITECTURE << 8 | product->release);
    return told->family == product->family || !told->family;
}

/* The product if it is but one. */
static enum xk_product only_one(const struct xk_platform *p,
                                const struct xk_told_device *told)
{
    enum xk_product found = XK_PRODUCT_ANY;

    for (unsigned k = 0; k < XK_N_PRODUCTS; k++) {
        if (!is_told(p, told, k))
            continue;
        if (found != XK_PRODUCT_ANY)
            return XK_PRODUCT_ANY;
        found = (enum xk_product)k;
    }
    return found;
}

/* The revision that a container tells; false: none. */
static bool told_revision(const struct xk_platform *p,
                          const struct xk_told_device *told, uint32_t *out)
{
    const bool exact = told->ip_version && p->id != XK_PLATFORM_XELP;

    *out = exact ? told->ip_version & 63 : told->revision;
    if (p->id == XK_PLATFORM_XEHPC)
        *out &= PVC_STEPPING;
    return exact || *out;
}

bool xk_product_is_known(const struct xk_platform *p,
                         const struct xk_told_device *told)
{
    uint32_t revision;
    const bool any = !told_revision(p, told, &revision);

    if (any && !told->ip_version)
        return true;
    for (unsigned k = 0; k < XK_COUNTOF(revisions); k++)
        if (is_told(p, told, revisions[k].product) &&
            (any || revisions[k].revision == revision))
            return true;
    return false;
}

static bool fits_told(const struct xk_platform *p,
                      const struct xk_told_device *told,
                      const struct revision *r, uint32_t revision)
{
    return is_told(p, told, r->product) && r->revision == revision;
}

/* Whether a device that the container may mean was sold. */
static bool some_was_sold(const struct xk_platform *p,
                          const struct xk_told_device *told, uint32_t revision)
{
    for (unsigned k = 0; k < XK_COUNTOF(revisions); k++)
        if (fits_told(p, told, &revisions[k], revision) &&
            xk_wa_was_sold(revisions[k].product, revisions[k].stepping))
            return true;
    return false;
}

struct xk_wa_device xk_product_device(const struct xk_platform *p,
                                      const struct xk_told_device *told)
{
    const enum xk_product only = only_one(p, told);
    struct xk_wa_device d = {p->id, only, xk_wa_open_stepping(only)};
    uint32_t revision;
    unsigned n = 0;

    if (!told_revision(p, told, &revision))
        return d;
    const bool only_sold = some_was_sold(p, told, revision);
    for (unsigned k = 0; k < XK_COUNTOF(revisions); k++) {
        const struct revision *const r = &revisions[k];
        if (!fits_told(p, told, r, revision) ||
            (only_sold && !xk_wa_was_sold(r->product, r->stepping)))
            continue;
        if (n && d.stepping != r->stepping)
            return (struct xk_wa_device){p->id, only,
                                         xk_wa_open_stepping(only)};
        d.product = n++ ? XK_PRODUCT_ANY : r->product;
        d.stepping = r->stepping;
    }
    return d;
}

uint32_t xk_product_ip_version(const struct xk_wa_device *d)
{
    if (d->product == XK_PRODUCT_ANY || d->stepping >= XK_N_STEPPINGS ||
        products[d->product].release == NO_RELEASE)
        return 0;
    return ARCHITECTURE << 22 | products[d->product].release << 14 |
           xk_product_revision(d);
}

static const char *const steps[] = {
    [XK_STEP_A0] = "A0",
    [XK_STEP_A1] = "A1",
    [XK_STEP_B0] = "B0",
    [XK_STEP_B1] = "B1",
    [XK_STEP_C0] = "C0",
    [XK_STEP_C1] = "C1",
    [XK_STEP_ANY] = "all steppings",
    [XK_STEP_SOLD] = "all steppings sold",
};

/* The word of a product, and the stepping of one of its revisions or none. */
static void put_word(char out[XK_PRODUCT_WORD_B], enum xk_product product,
                     const struct revision *r)
{
    snprintf(out, XK_PRODUCT_WORD_B, "%s%s%s", products[product].name,
             r ? "-" : "", r ? steps[r->stepping] : "");
    for (char *s = out; *s; s++)
        if (*s >= 'A' && *s <= 'Z')
            *s = (char)(*s - 'A' + 'a');
}

/* Whether r is the product's first revision of its stepping: two of PVC-XL are
 * A0. */
static bool is_first(const struct revision *r, enum xk_product product)
{
    if (r->product != product)
        return false;
    for (const struct revision *s = revisions; s < r; s++)
        if (s->product == product && s->stepping == r->stepping)
            return false;
    return true;
}

/* Calls fn for the words of a platform's devices, NULL for all, until one
 * answers true. */
static bool each_word(const struct xk_platform *p,
                      bool (*fn)(void *user, const char *word,
                                 const struct xk_wa_device *d),
                      void *user)
{
    char word[XK_PRODUCT_WORD_B];
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++) {
        struct xk_wa_device d = {products[k].platform, k,
                                 xk_wa_open_stepping(k)};
        if (p && p->id != d.platform)
            continue;
        put_word(word, k, NULL);
        if (fn(user, word, &d))
            return true;
        for (unsigned i = 0; i < XK_COUNTOF(revisions); i++) {
            if (!is_first(&revisions[i], k))
                continue;
            d.stepping = revisions[i].stepping;
            put_word(word, k, &revisions[i]);
            if (fn(user, word, &d))
                return true;
        }
    }
    return false;
}

struct sought {
    const char *word;
    struct xk_wa_device *out;
};

static bool is_sought(void *user, const char *word,
                      const struct xk_wa_device *d)
{
    const struct sought *const s = user;
    if (strcmp(s->word, word) != 0)
        return false;
    *s->out = *d;
    return true;
}

bool xk_product_find(const struct xk_platform *p, const char *word,
                     struct xk_wa_device *out)
{
    *out = (struct xk_wa_device){p->id, XK_PRODUCT_ANY, XK_STEP_ANY};
    return !*word || each_word(p, is_sought, &(struct sought){word, out});
}

struct named {
    const struct xk_wa_device *d;
    char *out;
};

static bool is_named(void *user, const char *word, const struct xk_wa_device *d)
{
    const struct named *const n = user;
    if (n->d->product != d->product || n->d->stepping != d->stepping)
        return false;
    snprintf(n->out, XK_PRODUCT_WORD_B, "%s", word);
    return true;
}

void xk_product_word(const struct xk_wa_device *d, char out[XK_PRODUCT_WORD_B])
{
    *out = 0;
    each_word(NULL, is_named, &(struct named){d, out});
}

struct word_list {
    char *out;
    size_t size_b, len;
};

static bool add_word(void *user, const char *word, const struct xk_wa_device *d)
{
    struct word_list *const l = user;
    const size_t left_b = l->len < l->size_b ? l->size_b - l->len : 0;
    (void)d;
    l->len += (size_t)snprintf(left_b ? l->out + l->len : NULL, left_b, "%s%s",
                               l->len ? ", " : "", word);
    return false;
}

size_t xk_product_words(const struct xk_platform *p, char *out, size_t size_b)
{
    struct word_list l = {out, size_b, 0};
    each_word(p, add_word, &l);
    return l.len;
}

enum xk_status xk_product_named(xk_ctx *c, const struct xk_platform *p,
                                const char *word, struct xk_wa_device *out)
{
    char known[300];
    if (xk_product_find(p, word, out))
        return XK_OK;
    xk_product_words(p, known, sizeof known);
    return xk_fail(c, XK_EINVAL, "device=%.40s is none of %s's: %s", word,
                   p->name, known);
}

uint32_t xk_product_revision(const struct xk_wa_device *d)
{
    for (unsigned k = 0; k < XK_COUNTOF(revisions); k++)
        if (revisions[k].product == d->product &&
            revisions[k].stepping == d->stepping)
            return revisions[k].revision;
    return 0;
}

void xk_product_device_name(const struct xk_wa_device *d, char *out,
                            size_t size_b)
{
    const char *product = xk_product_name(d->product);
    const bool one = d->stepping < XK_STEP_ANY;

    if (!*product)
        product = one ? "any product" : NULL;
    snprintf(out, size_b, "%s%s%s", product ? product : "",
             !product ? ""
             : one    ? " "
                      : ", ",
             steps[d->stepping]);
}
