/* SPDX-License-Identifier: Apache-2.0 */
#include "textbook.h"

#include "tests/element.h"

int64_t textbook_element(const struct xk_conv_info *info, unsigned arg,
                         const int64_t place[4])
{
    return element_at(&info->tensor[arg], place);
}

void textbook_products(const struct xk_conv_desc *f,
                       const struct xk_conv_info *info, unsigned arg,
                       const int64_t *const tensor[XK_N_CONV_ARGS],
                       int64_t *want)
{
    const bool back = f->alg == XK_ALG_DECONV_DIRECT;
    const int64_t places_h = back ? f->ih : f->oh, rows = back ? f->oh : f->ih;
    const int64_t places_w = back ? f->iw : f->ow, cols = back ? f->ow : f->iw;
    for (int64_t n = 0; n < f->mb * f->oc * f->ic; n++)
        for (int64_t q = 0; q < places_h * places_w * f->kh * f->kw; q++) {
            const int64_t h = q / (places_w * f->kh * f->kw);
            const int64_t w = q / (f->kh * f->kw) % places_w;
            const int64_t kh = q / f->kw % f->kh, kw = q % f->kw;
            const int64_t row = h * f->sh + kh * (f->dh + 1) - f->ph;
            const int64_t col = w * f->sw + kw * (f->dw + 1) - f->pw;
            const int64_t mb = n / (f->oc * f->ic), oc = n / f->ic % f->oc;
            const int64_t ic = n % f->ic;
            if (row < 0 || row >= rows || col < 0 || col >= cols)
                continue;
            const int64_t src[4] = {mb, ic, back ? h : row, back ? w : col};
            const int64_t dst[4] = {mb, oc, back ? row : h, back ? col : w};
            const int64_t wei[4] = {oc, ic, kh, kw};
            const int64_t s = textbook_element(info, XK_ARG_SRC, src);
            const int64_t d = textbook_element(info, XK_ARG_DST, dst);
            const int64_t v = textbook_element(info, XK_ARG_WEI, wei);
            if (arg == XK_ARG_SRC)
                want[s] += tensor[XK_ARG_DST][d] * tensor[XK_ARG_WEI][v];
            else if (arg == XK_ARG_DST)
                want[d] += tensor[XK_ARG_SRC][s] * tensor[XK_ARG_WEI][v];
            else
                want[v] += tensor[XK_ARG_DST][d] * tensor[XK_ARG_SRC][s];
        }
}
