/* SPDX-License-Identifier: Apache-2.0 */
#include "images.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const char *const image_out_names[3] = {"od", "oh", "ow"};
const char *const image_tap_names[3] = {"kd", "kh", "kw"};
void image_contraction(xk_ctx *c, const struct image *g,
                       struct xk_contraction *con)
{
    const unsigned first = !g->volume;
    int64_t dims[5] = {g->n, 16};
    unsigned n = 2, o[3], k[3];
    memset(con, 0, sizeof(*con));
    for (unsigned a = first; a < 3; a++)
        dims[n++] = g->i[a];
    ck_assert_int_eq(xk_layout_from_tag(
                         c, "src", (struct xk_tensor_dims){XK_DT_F16, n, dims},
                         g->inside ? "Bxa16b" : "axb", &con->a.layout),
                     XK_OK);
    int image = -1;
    if (!g->inside)
        image = (int)xk_contraction_add(con, "n", g->n, XK_ROLE_M);
    for (unsigned a = first; a < 3; a++)
        o[a] = xk_contraction_add(con, image_out_names[a], g->o[a], XK_ROLE_M);
    if (g->inside)
        image = (int)xk_contraction_add(con, "n", g->n, XK_ROLE_M);
    xk_contraction_add(con, "oc", 32, XK_ROLE_N);
    for (unsigned a = first; a < 3; a++)
        k[a] = xk_contraction_add(con, image_tap_names[a], g->k[a], XK_ROLE_K);
    const unsigned ch = xk_contraction_add(con, "c", 16, XK_ROLE_K);
    xk_access_add(&con->a, image, g->n);
    xk_access_add(&con->a, (int)ch, 16);
    for (unsigned a = first; a < 3; a++) {
        struct xk_coord *const x = xk_access_add(&con->a, -1, g->i[a]);
        x->coef[o[a]] = g->s[a];
        x->coef[k[a]] = g->d[a];
        x->base = -g->p[a];
    }
}

struct image image_random(unsigned *seed)
{
    struct image g = {.n = rand_r(seed) % 2 ? 1 : 1 + rand_r(seed) % 8,
                      .volume = rand_r(seed) % 2,
                      .inside = rand_r(seed) % 2};
    for (unsigned a = 0; a < 3; a++) {
        const bool is = a || g.volume;
        g.i[a] = is ? 1 + rand_r(seed) % 9 : 1;
        g.o[a] = is && rand_r(seed) % 4 ? 1 + rand_r(seed) % 9 : 1;
        g.k[a] = is && rand_r(seed) % 4 ? 1 + rand_r(seed) % 5 : 1;
        g.s[a] = 1 + rand_r(seed) % 4;
        g.d[a] = 1 + rand_r(seed) % 3;
        g.p[a] = is && rand_r(seed) % 3 ? rand_r(seed) % 6 : 0;
    }
    return g;
}
