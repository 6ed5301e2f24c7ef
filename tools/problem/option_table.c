/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/problem/option_table.h"

#include <stdbool.h>
#include <string.h>

#include "tools/problem/words.h"

static const struct xk_tool_option *find_long(const struct xk_tool_option *t,
                                              size_t n, const char *name,
                                              size_t name_n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(t[i].name) == name_n && !memcmp(t[i].name, name, name_n))
            return &t[i];
    return NULL;
}

static enum xk_status apply_long(const struct xk_tool_option *table, size_t n,
                                 const char *const arg[2], bool *took_next,
                                 void *user, struct xk_error *err)
{
    const char *const text = arg[0] + 2;
    const size_t name_n = strcspn(text, "=");
    const struct xk_tool_option *const o = find_long(table, n, text, name_n);
    if (!o)
        return xk_tool_fail(err, XK_EINVAL, "--%s: unknown option", text);
    const bool has_value = text[name_n] == '=';
    if (has_value && !o->value)
        return xk_tool_fail(err, XK_EINVAL, "--%s: takes no value", text);
    if (!has_value && o->value && o->apart && arg[1]) {
        *took_next = true;
        return o->set(user, arg[1], err);
    }
    if (!has_value && o->value && !o->maybe)
        return xk_tool_fail(err, XK_EINVAL, "--%s: needs =%s", text, o->value);
    return o->set(user, has_value ? text + name_n + 1 : "", err);
}

static enum xk_status apply_letter(const struct xk_tool_option *o,
                                   const char *const arg[2], bool *took_next,
                                   void *user, struct xk_error *err)
{
    const char *const glued = arg[0] + 2;
    if (!o->value && *glued)
        return xk_tool_fail(err, XK_EINVAL, "%s: takes no value", arg[0]);
    if (!o->value || *glued)
        return o->set(user, glued, err);
    if (!arg[1])
        return xk_tool_fail(err, XK_EINVAL, "%s: needs %s", arg[0], o->value);
    *took_next = true;
    return o->set(user, arg[1], err);
}

static enum xk_status apply(const struct xk_tool_option *table, size_t n,
                            const char *const arg[2], bool *took_next,
                            void *user, struct xk_error *err)
{
    if (arg[0][1] == '-')
        return apply_long(table, n, arg, took_next, user, err);
    for (size_t i = 0; i < n; i++)
        if (table[i].letter && table[i].letter == arg[0][1])
            return apply_letter(&table[i], arg, took_next, user, err);
    return xk_tool_fail(err, XK_EINVAL, "%s: unknown option", arg[0]);
}

enum xk_status xk_tool_arguments(const struct xk_tool_option *table,
                                 size_t table_n, int n, const char *const *args,
                                 xk_tool_set_fn other, void *user,
                                 struct xk_error *err)
{
    for (int i = 0; i < n; i++) {
        const char *const arg[2] = {args[i], i + 1 < n ? args[i + 1] : NULL};
        const bool is_option = arg[0][0] == '-' && arg[0][1];
        bool took_next = false;
        const enum xk_status st =
            is_option ? apply(table, table_n, arg, &took_next, user, err)
                      : other(user, arg[0], err);
        if (st < 0)
            return st;
        i += took_next;
    }
    return XK_OK;
}

void xk_tool_option_help(const struct xk_tool_option *table, size_t n,
                         FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        char left[80];
        const struct xk_tool_option *const o = &table[i];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s%s", o->letter ? "-" : "",
                 o->letter ? o->letter : ' ', o->letter ? ", " : "   ", o->name,
                 o->maybe   ? "[="
                 : o->value ? "="
                            : "",
                 o->value ? o->value : "", o->maybe ? "]" : "");
        fprintf(out, "  %-34s %s\n", left, o->help);
    }
}
