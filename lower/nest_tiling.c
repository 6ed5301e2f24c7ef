/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/nest_tiling.h"

#include <string.h>

#include "views/access.h"

/* Index names are words of the IR's text. */
static void name_index(struct xk_index *x)
{
    if (x->name[0] != '#')
        return;
    memmove(x->name, x->name + 1, strlen(x->name));
    strcat(x->name, "_");
}

void xk_lower_tiling_begin(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_contraction *const con = &l->p->con->walked;
    memset(t, 0, sizeof(*t));
    t->n_index = con->n_index;
    memcpy(t->index, con->index, sizeof(t->index));
    for (unsigned i = 0; i < t->n_index; i++) {
        struct xk_digits *const w = &t->walk[t->index[i].role];
        name_index(&t->index[i]);
        w->at[w->n++] = (struct xk_digit){(uint8_t)i, 1, 0};
    }
}

void xk_lower_tile(struct xk_tile_decl *d, const char *name,
                   const struct xk_layout *l, enum xk_role rows,
                   enum xk_role columns, bool batch)
{
    const unsigned at = batch;
    strcpy(d->name, name);
    d->layout = *l;
    if (at) {
        d->role[0] = XK_ROLE_BATCH;
        d->layout.n_dims = 3;
        for (unsigned i = 2; i-- > 0;) {
            d->layout.dim[i + 1] = l->dim[i];
            d->layout.padded[i + 1] = l->padded[i];
        }
        d->layout.dim[0] = d->layout.padded[0] = 1;
        for (unsigned i = l->n_blocks; i-- > 0;) {
            d->layout.block[i + 1] = l->block[i];
            d->layout.block[i + 1].dim++;
        }
        d->layout.block[0] = (struct xk_block){0, 1, l->dim[0] * l->dim[1]};
        d->layout.n_blocks++;
    }
    d->role[at] = (uint8_t)rows;
    d->role[at + 1] = (uint8_t)columns;
}

struct xk_coord *xk_lower_coordinate(struct xk_access *a, int index)
{
    const int d = index < 0 ? -1 : xk_access_dim_of(a, (unsigned)index);
    return d < 0 || a->at[d].lo ? NULL : &a->at[d];
}

int xk_lower_last_of(const struct xk_tiling *t, enum xk_role role)
{
    for (unsigned i = t->n_index; i-- > 0;)
        if (t->index[i].role == role)
            return (int)i;
    return -1;
}
