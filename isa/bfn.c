/* SPDX-License-Identifier: Apache-2.0 */
/* Names of bfn's functions. */
#include "isa/inst_print.h"

#include "base/alloc.h"

static const char *const texts[256] = {
#define XK_BFN(table, text) [table] = text,
#include "isa/bfn.def"
#undef XK_BFN
};

const char *xk_bfn_text(unsigned table)
{
    return table < XK_COUNTOF(texts) ? texts[table] : "?";
}
