/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tensors as numbers. */
#ifndef XK_TESTS_GEN_TYPED_H
#define XK_TESTS_GEN_TYPED_H

#include "layout/dtype.h"

void typed_put(enum xk_dtype t, void *data, int64_t e, double v);
double typed_get(enum xk_dtype t, const void *data, int64_t e);
/* An integer as the type has it: rounded to nearest, or the nearest end. */
double typed_as(enum xk_dtype t, double v);

#endif
