/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/residues.h"

#include "base/integer.h"

const char *const xk_conv_class_pixel_names[3] = {"ud", "uh", "uw"};
const char *const xk_conv_class_tap_names[3] = {"td", "th", "tw"};

#define MOST_CLASSES 65536 /* of a dim */

/* The x in [0, m) with a * x mod m = 1, a and m without common divisor. */
static int64_t inverse(int64_t a, int64_t m)
{
    int64_t x = 0, next_x = 1, r = m, next_r = xk_floor_mod(a, m);
    while (next_r) {
        const int64_t q = r / next_r, old_x = x, old_r = r;
        x = next_x;
        next_x = old_x - q * next_x;
        r = next_r;
        next_r = old_r - q * next_r;
    }
    return xk_floor_mod(x, m);
}

static void fill_class(const struct xk_conv_axis *x,
                       const struct xk_conv_residues *v, int64_t r)
{
    const int64_t g = xk_gcd(x->step, x->apart);
    v->i[r] = xk_floor_mod(r - x->pad, x->step);
    v->k[r] = v->o[r] = v->taps[r] = 0;
    if (r % g)
        return;
    v->k[r] =
        r / g % v->tap_step * inverse(x->apart / g, v->tap_step) % v->tap_step;
    v->o[r] = (v->i[r] + x->pad - v->k[r] * x->apart) / x->step;
    if (v->k[r] < x->taps)
        v->taps[r] = (x->taps - v->k[r] + v->tap_step - 1) / v->tap_step;
}

enum xk_status xk_conv_residues_make(xk_ctx *c, struct xk_arena *arena,
                                     const struct xk_conv_axis *x,
                                     struct xk_conv_residues *v)
{
    const int64_t s = x->step, g = xk_gcd(s, x->apart);
    if (s > MOST_CLASSES)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "backward by data: a stride of %lld has more than %d "
                       "classes",
                       (long long)s, MOST_CLASSES);
    int64_t *const all = xk_arena_alloc(arena, 4 * (size_t)s * sizeof(*all));
    if (!all)
        return xk_ctx_status(c);
    *v = (struct xk_conv_residues){s,       s / g,       x->apart / g, all,
                                   all + s, all + 2 * s, all + 3 * s};
    for (int64_t r = 0; r < s; r++)
        fill_class(x, v, r);
    return XK_OK;
}

int64_t xk_conv_residue_pixels(const struct xk_conv_axis *x,
                               const struct xk_conv_residues *v, uint32_t r)
{
    const int64_t left = x->extent - v->i[r];
    return left > 0 ? (left + v->s - 1) / v->s : 0;
}
