/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/parts.h"

/* Offsets in a tensor are s32; a part has room for what padding spans. */
struct xk_conv_part_limits xk_conv_part_limits(void)
{
    return (struct xk_conv_part_limits){INT32_MAX, INT64_C(1) << 30};
}
