/* SPDX-License-Identifier: Apache-2.0 */
/* What a fake driver answers: the environment's FAKE_FAILS is "function=code"
 * for the one call that fails; other numbers have names of their own. */
#ifndef XK_TESTS_RUNTIME_FAKE_ANSWER_H
#define XK_TESTS_RUNTIME_FAKE_ANSWER_H

#include <stdlib.h>
#include <string.h>

static inline int fake_answer(const char *function)
{
    const char *const fails = getenv("FAKE_FAILS");
    const size_t n = strlen(function);
    return fails && !strncmp(fails, function, n) && fails[n] == '='
               ? (int)strtol(fails + n + 1, NULL, 0)
               : 0;
}

static inline unsigned long long fake_number(const char *name,
                                             unsigned long long otherwise)
{
    const char *const text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Any address serves as a handle. */
extern char fake_thing;
#define FAKE_HANDLE ((void *)&fake_thing)

#endif
