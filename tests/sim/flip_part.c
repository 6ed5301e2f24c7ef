/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/flip_part.h"

#include <string.h>

#include "isa/format.h"
#include "isa/message_table.h"

bool flip_says_stop(const char *message)
{
    return strstr(message, "not modelled") ||
           strstr(message, "are no instruction") ||
           strstr(message, "does not know this instruction");
}

enum flip_outcome flip_outcome_of(bool ran, const char *message, bool same)
{
    return !ran && flip_says_stop(message) ? FLIP_STOPPED
           : ran && same                   ? FLIP_SAME
                                           : FLIP_CHANGED;
}

const char *flip_field_name(unsigned field)
{
    return field == XK_N_FIELDS ? "reserved" : xk_field_rows[field].text;
}

enum xk_known flip_field_verdict(enum xk_opcode op, unsigned field)
{
    return field == XK_N_FIELDS ? XK_KNOWN_UNKNOWN
                                : xk_known_field_of(op, field);
}

const char *flip_part_name(unsigned part)
{
    static const char *const others[] = {"operation", "response length",
                                         "payload length", "reserved"};
    return part < XK_N_MSG_FIELDS ? xk_msg_field_name(part)
                                  : others[part - XK_N_MSG_FIELDS];
}

enum xk_known flip_part_verdict(unsigned part)
{
    return part < XK_N_MSG_FIELDS
               ? (enum xk_known)xk_known_message_field(part)->verdict
           : part == XK_MSG_PART_RESERVED ? XK_KNOWN_UNKNOWN
                                          : XK_KNOWN_ACTS;
}
