/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of a 2D convolution as textbooks have them: a loop over every
 * product. */
#ifndef XK_TESTS_CONV_TEXTBOOK_H
#define XK_TESTS_CONV_TEXTBOOK_H

#include "conv/conv.h"

/* A tensor's element at a place of its four dims. */
int64_t textbook_element(const struct xk_conv_info *info, unsigned arg,
                         const int64_t place[4]);
/* Adds every product to want, the gradient of `arg`, XK_ARG_SRC or XK_ARG_WEI.
 * tensor[]: the elements of each argument. */
void textbook_gradient(const struct xk_conv_desc *f,
                       const struct xk_conv_info *info, unsigned arg,
                       const int64_t *const tensor[XK_N_CONV_ARGS],
                       int64_t *want);

#endif
