/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor as options of the tools. */
#ifndef XK_CONV_OPTION_TEXT_H
#define XK_CONV_OPTION_TEXT_H

#include "base/str.h"
#include "xekern/xekern.h"

/* " --platform=xehpg --dir=FWD_D ... mb1_ic16..." of a descriptor as
 * xk_conv_read makes it: what it is read from gives the same program. A layout
 * that was the library's to choose is named where the caller's tensor has as
 * many dims as *user says. What changes no program is left out. */
void xk_conv_print_options(const struct xk_conv_desc *d,
                           const struct xk_conv_info *user, struct xk_str *out);

#endif
