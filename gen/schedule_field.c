/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of field.def through the public headers. */
#include "schedule/schedule.h"
#include "xekern/inspect.h"

bool xk_schedule_field_at(uint32_t i, struct xk_schedule_field_info *out)
{
    if (i >= xk_n_schedule_fields)
        return false;
    const struct xk_schedule_field *const f = &xk_schedule_fields[i];
    *out = (struct xk_schedule_field_info){.name = f->name,
                                           .values = f->drawn,
                                           .words = f->words || f->digits,
                                           .between = f->between,
                                           .meaning = f->meaning};
    return true;
}
