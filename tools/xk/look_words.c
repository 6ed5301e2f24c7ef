/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/xk/look_words.h"

#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "xekern/simulate.h"

static const char *check_word(uint32_t k)
{
    return xk_simulate_check_at(k);
}

/* The string is the library's and stays. */
static const char *machine_word(uint32_t k)
{
    struct xk_timing_machine m;
    return xk_timing_machine_at(k, &m) < 0 ? NULL : m.name;
}

void xk_look_check_words(char *out, size_t out_b)
{
    xk_tool_join_words(check_word, out, out_b);
}

void xk_look_machine_words(char *out, size_t out_b)
{
    xk_tool_join_words(machine_word, out, out_b);
}

static bool is_check(const char *word, size_t n)
{
    const char *known;
    for (uint32_t k = 0; (known = check_word(k)); k++)
        if (strlen(known) == n && !memcmp(known, word, n))
            return true;
    return false;
}

enum xk_status xk_look_checks_known(const char *list, struct xk_error *err)
{
    char words[200];
    for (const char *w = list; w; w = strchr(w, ',')) {
        w += *w == ',';
        const size_t n = strcspn(w, ",");
        if (n == 4 && !memcmp(w, "none", n) && strlen(list) > n)
            return xk_tool_fail(err, XK_EINVAL,
                                "check=%.100s: 'none' stands beside others",
                                list);
        if (is_check(w, n))
            continue;
        xk_look_check_words(words, sizeof words);
        return xk_tool_fail(err, XK_EINVAL,
                            "check=%.100s: '%.*s' is none of %s", list,
                            (int)(n > 40 ? 40 : n), w, words);
    }
    return XK_OK;
}

bool xk_look_checks_has(const char *list, const char *check)
{
    return list && (strstr(list, check) || strstr(list, "all") ||
                    strstr(list, "pedantic"));
}

/* Finds the machine at the begin of value. False: it is another word, or ""
 * (the platform's own machine); then *m is not set. */
static bool find_machine(const char *value, struct xk_timing_machine *m)
{
    const size_t n = strcspn(value, ":");
    for (uint32_t k = 0; n && xk_timing_machine_at(k, m) >= 0; k++)
        if (strlen(m->name) == n && !memcmp(m->name, value, n))
            return true;
    return false;
}

enum xk_status xk_look_machine_known(const char *value, struct xk_error *err)
{
    struct xk_timing_machine m;
    char words[200];
    if (!*value || *value == ':' || find_machine(value, &m))
        return xk_timing_check(value, NULL, err);
    xk_look_machine_words(words, sizeof words);
    return xk_tool_fail(err, XK_EINVAL, "timing=%.100s: is none of %s", value,
                        words);
}

enum xk_status xk_look_machine_fits(const char *value, const char *platform,
                                    struct xk_error *err)
{
    struct xk_timing_machine m;
    if (!value)
        return XK_OK;
    if (find_machine(value, &m) && strcmp(m.platform, platform) != 0)
        return xk_tool_fail(err, XK_EINVAL,
                            "timing=%s: is a machine of %s, the platform is %s",
                            value, m.platform, platform);
    return xk_timing_check(value, platform, err);
}
