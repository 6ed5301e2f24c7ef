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
/* A number whose 0 is no default that might as well be left out. */
#define GIVEN_NUMBER(name, word, field, max, given)                            \
    SETTER(name)                                                               \
    {                                                                          \
        REQUEST_OF(user)->given = true;                                        \
        return xk_run_number_set(word, value, max, &REQUEST_OF(user)->field,   \
                                 err);                                         \
    }
/* Any number but 0, which the library would take as its default. */
#define POSITIVE(name, word, field)                                            \
    SETTER(name)                                                               \
    {                                                                          \
        uint64_t *const out = &REQUEST_OF(user)->field;                        \
        if (xk_run_number_set(word, value, UINT64_MAX, out, err) < 0 || *out)  \
            return err->status;                                                \
        return xk_tool_fail(err, XK_EINVAL, word "=0: needs 1 or more");       \
    }

#endif
