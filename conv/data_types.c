/* SPDX-License-Identifier: Apache-2.0 */
/* The public data types: their words and what kernels know of them. */
#include "conv/tensors.h"

#include "base/text.h"

static const char *const type_names[XK_N_DATA_TYPES] = {
#define XK_TYPE_WORD(id, word) [XK_##id] = word,
#include "xekern/words.def"
};

static const struct {
    enum xk_dtype dtype; /* UNDEF: no kernel has it */
    bool is_int;
} types[XK_N_DATA_TYPES] = {
    [XK_F32] = {XK_DT_F32, false},   [XK_F16] = {XK_DT_F16, false},
    [XK_BF16] = {XK_DT_BF16, false}, [XK_S32] = {XK_DT_S32, true},
    [XK_S8] = {XK_DT_S8, true},      [XK_U8] = {XK_DT_U8, true},
    [XK_F64] = {XK_DT_F64, false},   [XK_S4] = {XK_DT_UNDEF, true},
    [XK_U4] = {XK_DT_UNDEF, true},
};

const char *xk_conv_type_name(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES ? type_names[data_type] : NULL;
}

enum xk_dtype xk_conv_dtype(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES ? types[data_type].dtype : XK_DT_UNDEF;
}

bool xk_conv_type_is_int(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES && types[data_type].is_int;
}

enum xk_status xk_conv_check_type(xk_ctx *c, const char *field, uint32_t type,
                                  struct xk_conv_types set, const char *beside)
{
    char known[160] = "";
    if (set.plain >> type & 1)
        return XK_OK;
    for (uint32_t t = XK_F32; t < XK_N_DATA_TYPES; t++)
        if ((set.plain | set.copied) >> t & 1)
            xk_text_add_word(known, sizeof known, type_names[t]);
    return xk_fail(c, XK_EUNSUPPORTED, "%s=%s is not implemented%s, only %s",
                   field, xk_conv_type_name(type), beside, known);
}

uint32_t xk_conv_type_named(const char *name, size_t n)
{
    for (uint32_t t = XK_F32; t < XK_N_DATA_TYPES; t++)
        if (xk_text_is(name, n, type_names[t]))
            return t;
    return 0;
}
