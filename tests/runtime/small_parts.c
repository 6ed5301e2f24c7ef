/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of more than 64 KB are cut into parts, as others are above 2 GiB:
 * linked with --wrap=xk_conv_part_limits. */
#include "conv/parts.h"

struct xk_conv_part_limits __wrap_xk_conv_part_limits(void);

struct xk_conv_part_limits __wrap_xk_conv_part_limits(void)
{
    return (struct xk_conv_part_limits){64 << 10, 32 << 10};
}
