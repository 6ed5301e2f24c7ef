/* SPDX-License-Identifier: Apache-2.0 */
/* Products and steppings of a platform (isa/product.def), and which of them a
 * container names. */
#ifndef XK_ISA_PRODUCT_H
#define XK_ISA_PRODUCT_H

#include "base/ctx.h"
#include "isa/isa.h"

/* Products of a platform, and ANY of them. RPL has no table of its own at the
 * vendor's; it is ADL's. */
enum xk_product {
#define XK_PRODUCT(name, ...) XK_##name,
#define XK_REVISION(...)
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
    XK_N_PRODUCTS,
    XK_PRODUCT_ANY = XK_N_PRODUCTS
};

enum xk_stepping {
    XK_STEP_A0,
    XK_STEP_A1,
    XK_STEP_B0,
    XK_STEP_B1,
    XK_STEP_C0,
    XK_STEP_C1,
    XK_N_STEPPINGS,
    XK_STEP_ANY = XK_N_STEPPINGS,
    XK_STEP_SOLD /* those that are in cards: DG2-G10 from C0, G11 from B0, PVC
                    XT from C0 (XL: none), all of the others */
};

#define XK_PRODUCT_WORD_B 24 /* characters of a device's word, with the 0 */

struct xk_wa_device {
    enum xk_platform_id platform;
    enum xk_product product;   /* or XK_PRODUCT_ANY */
    enum xk_stepping stepping; /* or XK_STEP_ANY, XK_STEP_SOLD */
};

/* "DG2-G10"; "" for ANY. */
const char *xk_product_name(enum xk_product product);
/* The product's platform. */
enum xk_platform_id xk_product_platform(enum xk_product product);
/* The platform of a family, as a container numbers it; NULL: none of ours. */
const struct xk_platform *xk_product_family(uint32_t family);

/* What a container says of the device that it is for; 0: nothing. A compiler
 * that was told no revision writes 0. */
struct xk_told_device {
    uint32_t family;     /* XK_PRODUCT's number */
    uint32_t revision;   /* PCI revision; bits 2:0 count on PVC */
    uint32_t ip_version; /* architecture << 22, release << 14, revision */
};

/* The device that a container names. An IP version names the product and, but
 * on xelp, whose versions have no revision, the stepping. A revision that
 * several products share leaves the product open, and the stepping if it is
 * another one for each; those that were never sold do not count beside one that
 * was. Everything that is open stands for all that is in cards. */
struct xk_wa_device xk_product_device(const struct xk_platform *p,
                                      const struct xk_told_device *told);
/* False: told has a revision or an IP version that no product of the platform
 * and family has. xk_product_device then leaves open what it names. */
bool xk_product_is_known(const struct xk_platform *p,
                         const struct xk_told_device *told);
/* The IP version of a device with one stepping; 0: none. */
uint32_t xk_product_ip_version(const struct xk_wa_device *d);
/* The device that a word names: a product ("dg2-g10": its steppings that were
 * sold; "pvc-xl", which was not: all of them) or one stepping of it
 * ("dg2-g10-c0"), as ocloc spells them; "" is every
 * stepping of every product. False if the platform has no such one. */
bool xk_product_find(const struct xk_platform *p, const char *word,
                     struct xk_wa_device *out);
/* The same with a sentence, XK_EINVAL, that has the platform's words. */
enum xk_status xk_product_named(xk_ctx *c, const struct xk_platform *p,
                                const char *word, struct xk_wa_device *out);
/* The words of a platform's devices, "dg2-g10, dg2-g10-a0", or of all if p is
 * NULL; the full length, as snprintf. */
size_t xk_product_words(const struct xk_platform *p, char *out, size_t size_b);
/* The word of a device; "" if it is none of these. */
void xk_product_word(const struct xk_wa_device *d, char out[XK_PRODUCT_WORD_B]);
/* The PCI revision of a device with one stepping; 0: none, or the first. */
uint32_t xk_product_revision(const struct xk_wa_device *d);
/* "DG2-G11 B1", "any product C0", "DG1, all steppings sold", "all steppings
 * sold". */
void xk_product_device_name(const struct xk_wa_device *d, char *out,
                            size_t size_b);

#endif
