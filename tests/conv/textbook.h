/* SPDX-License-Identifier: Apache-2.0 */
/* A 2D convolution or deconvolution and its gradients as textbooks have them: a
 * loop over every product. */
#ifndef XK_TESTS_CONV_TEXTBOOK_H
#define XK_TESTS_CONV_TEXTBOOK_H

#include "conv/conv.h"

/* A tensor's element at a place of its four dims. */
int64_t textbook_element(const struct xk_conv_info *info, unsigned arg,
                         const int64_t place[4]);
/* Adds every product of the two other tensors to want, what `arg` or its
 * gradient is. tensor[]: the elements of each argument. */
void textbook_products(const struct xk_conv_desc *f,
                       const struct xk_conv_info *info, unsigned arg,
                       const int64_t *const tensor[XK_N_CONV_ARGS],
                       int64_t *want);

#endif
