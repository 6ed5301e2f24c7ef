/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that set one field of a verb's request, for its option table.
 * Before it is included, REQUEST_OF must be defined as what gives it. */
#ifndef XK_TOOLS_XK_OPTION_SETTERS_H
#define XK_TOOLS_XK_OPTION_SETTERS_H

#define SETTER(name)                                                           \
    static enum xk_status name(void *user, const char *value,                  \
                               struct xk_error *err)
#define WORD(name, field)                                                      \
    SETTER(name)                                                               \
    {                                                                          \
        (void)err;                                                             \
        REQUEST_OF(user)->field = value;                                       \
        return XK_OK;                                                          \
    }
#define FLAG(name, field)                                                      \
    SETTER(name)                                                               \
    {                                                                          \
        (void)value;                                                           \
        (void)err;                                                             \
        REQUEST_OF(user)->field = true;                                        \
        return XK_OK;                                                          \
    }
#define NUMBER(name, word, field, max)                                         \
    SETTER(name)                                                               \
    {                                                                          \
        return xk_run_number_set(word, value, max, &REQUEST_OF(user)->field,   \
                                 err);                                         \
    }

#endif
