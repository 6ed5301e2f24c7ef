/* SPDX-License-Identifier: Apache-2.0 */
#include "images.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const char *const image_out_names[3] = {"od", "oh", "ow"};
const char *const image_tap_names[3] = {"kd", "kh", "kw"};
static const char *const in_names[] = {"d", "h", "w"};

void image_contraction(xk_ctx *c, const struct image *g, struct xk_nest *con)
{
    const char *names[5] = {"n", "c"};
    int64_t dims[5] = {g->n, 16};
    unsigned n = 2;
    struct xk_layout l;
    struct xk_view *const v = &con->a.view;
    memset(con, 0, sizeof(*con));
    for (unsigned a = !g->volume; a < 3; a++) {
        names[n] = in_names[a];
        dims[n++] = g->i[a];
    }
    ck_assert_int_eq(xk_layout_from_tag(c, "src", XK_DT_F16, n, dims,
                                        g->inside ? "Bxa16b" : "axb", &l),
                     XK_OK);
    ck_assert_int_eq(xk_view_init(c, v, &l, names), XK_OK);
    for (unsigned a = !g->volume; a < 3; a++) {
        struct xk_embed e[] = {{"", g->o[a], g->s[a]}, {"", g->k[a], g->d[a]}};
        strcpy(e[0].name, image_out_names[a]);
        strcpy(e[1].name, image_tap_names[a]);
        ck_assert_int_eq(xk_view_embed(c, v, in_names[a], 2, e, -g->p[a]),
                         XK_OK);
    }
    if (!g->inside)
        xk_nest_add_index(con, "n", g->n, XK_ROLE_M);
    for (unsigned a = !g->volume; a < 3; a++)
        xk_nest_add_index(con, image_out_names[a], g->o[a], XK_ROLE_M);
    if (g->inside)
        xk_nest_add_index(con, "n", g->n, XK_ROLE_M);
    xk_nest_add_index(con, "oc", 32, XK_ROLE_N);
    for (unsigned a = !g->volume; a < 3; a++)
        xk_nest_add_index(con, image_tap_names[a], g->k[a], XK_ROLE_K);
    xk_nest_add_index(con, "c", 16, XK_ROLE_K);
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
