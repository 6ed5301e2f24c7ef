/* SPDX-License-Identifier: Apache-2.0 */
#include "textbook.h"

int64_t textbook_element(const struct xk_conv_info *info, unsigned arg,
                         const int64_t place[4])
{
    const struct xk_tensor_info *const t = &info->tensor[arg];
    int64_t e = 0;
    for (unsigned b = 0; b < t->n_blocks; b++)
        e += place[t->blocks[b].dim] / t->blocks[b].div % t->blocks[b].size *
             t->blocks[b].stride;
    return e;
}

void textbook_gradient(const struct xk_conv_desc *f,
                       const struct xk_conv_info *info, unsigned arg,
                       const int64_t *const tensor[XK_N_CONV_ARGS],
                       int64_t *want)
{
    for (int64_t n = 0; n < f->mb * f->oc * f->ic; n++)
        for (int64_t q = 0; q < f->oh * f->ow * f->kh * f->kw; q++) {
            const int64_t oh = q / (f->ow * f->kh * f->kw);
            const int64_t ow = q / (f->kh * f->kw) % f->ow;
            const int64_t kh = q / f->kw % f->kh, kw = q % f->kw;
            const int64_t ih = oh * f->sh + kh * (f->dh + 1) - f->ph;
            const int64_t iw = ow * f->sw + kw * (f->dw + 1) - f->pw;
            const int64_t mb = n / (f->oc * f->ic), oc = n / f->ic % f->oc;
            const int64_t ic = n % f->ic;
            if (ih < 0 || ih >= f->ih || iw < 0 || iw >= f->iw)
                continue;
            const int64_t s = textbook_element(
                info, XK_ARG_SRC, (const int64_t[]){mb, ic, ih, iw});
            const int64_t w = textbook_element(
                info, XK_ARG_WEI, (const int64_t[]){oc, ic, kh, kw});
            const int64_t d = textbook_element(
                info, XK_ARG_DST, (const int64_t[]){mb, oc, oh, ow});
            if (arg == XK_ARG_SRC)
                want[s] += tensor[XK_ARG_DST][d] * tensor[XK_ARG_WEI][w];
            else
                want[w] += tensor[XK_ARG_DST][d] * tensor[XK_ARG_SRC][s];
        }
}
