/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/problem/option_table.h"

#include <stdbool.h>
#include <string.h>

#include "tools/problem/words.h"

#define MOST_OPTIONS 128

static const struct xk_tool_option *find_long(const struct xk_tool_option *t,
                                              size_t n, const char *name,
                                              size_t name_n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(t[i].name) == name_n && !memcmp(t[i].name, name, name_n))
            return &t[i];
    return NULL;
}

/* Where a command line is read: its options, and which were given. */
struct reader {
    const struct xk_tool_syntax *syntax;
    bool given[MOST_OPTIONS];
    bool took_next; /* the argument behind an option was its value */
    bool asked;     /* --help: nothing behind it would be looked at */
    void *user;
    struct xk_error *err;
};

static enum xk_status
set_option(struct reader *r, const struct xk_tool_option *o, const char *value)
{
    bool *const given = &r->given[o - r->syntax->option];
    if (*given && !o->many && !r->syntax->in_turn)
        return xk_tool_fail(r->err, XK_EINVAL, "--%s: given twice", o->name);
    *given = true;
    r->asked = !strcmp(o->name, "help");
    return o->set ? o->set(r->user, value, r->err)
                  : o->set_row(r->user, o->row, value, r->err);
}

static enum xk_status apply_long(struct reader *r, const char *const arg[2])
{
    const char *const text = arg[0] + 2;
    const size_t name_n = strcspn(text, "=");
    const struct xk_tool_option *const o =
        find_long(r->syntax->option, r->syntax->n_options, text, name_n);
    if (!o)
        return xk_tool_fail(r->err, XK_EINVAL, "--%s: unknown option", text);
    const bool has_value = text[name_n] == '=';
    if (has_value && !o->value)
        return xk_tool_fail(r->err, XK_EINVAL, "--%s: takes no value", text);
    if (!has_value && o->value && o->apart && arg[1]) {
        r->took_next = true;
        return set_option(r, o, arg[1]);
    }
    if (!has_value && o->value && !o->maybe)
        return xk_tool_fail(r->err, XK_EINVAL, "--%s: needs =%s", text,
                            o->value);
    return set_option(r, o, has_value ? text + name_n + 1 : "");
}

static enum xk_status apply_letter(struct reader *r,
                                   const struct xk_tool_option *o,
                                   const char *const arg[2])
{
    const char *const glued = arg[0] + 2;
    if (!o->value && *glued)
        return xk_tool_fail(r->err, XK_EINVAL, "%s: takes no value", arg[0]);
    if (!o->value || *glued)
        return set_option(r, o, glued);
    if (!arg[1])
        return xk_tool_fail(r->err, XK_EINVAL, "%s: needs %s", arg[0],
                            o->value);
    r->took_next = true;
    return set_option(r, o, arg[1]);
}

static enum xk_status apply(struct reader *r, const char *const arg[2])
{
    const struct xk_tool_option *const table = r->syntax->option;
    if (arg[0][1] == '-')
        return apply_long(r, arg);
    for (size_t i = 0; i < r->syntax->n_options; i++)
        if (table[i].letter && table[i].letter == arg[0][1])
            return apply_letter(r, &table[i], arg);
    return xk_tool_fail(r->err, XK_EINVAL, "%s: unknown option", arg[0]);
}

enum xk_status xk_tool_arguments(const struct xk_tool_syntax *syntax, int n,
                                 const char *const *args, void *user,
                                 struct xk_error *err)
{
    struct reader r = {.syntax = syntax, .user = user, .err = err};
    if (syntax->n_options > MOST_OPTIONS)
        return xk_tool_fail(err, XK_EINTERNAL, "%zu options: at most %d",
                            syntax->n_options, MOST_OPTIONS);
    for (int i = 0; i < n; i++) {
        const char *const arg[2] = {args[i], i + 1 < n ? args[i + 1] : NULL};
        const bool is_option = arg[0][0] == '-' && arg[0][1];
        if (r.asked)
            return xk_tool_fail(err, XK_EINVAL, "%.200s: unexpected behind %s",
                                arg[0], args[i - 1]);
        r.took_next = false;
        const enum xk_status st =
            is_option ? apply(&r, arg) : syntax->other(user, arg[0], err);
        if (st < 0)
            return st;
        i += r.took_next;
    }
    return XK_OK;
}

void xk_tool_join_words(const char *(*at)(uint32_t k), char *out, size_t out_b)
{
    const char *word;
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t k = 0; n < out_b && (word = at(k)); k++)
        n += (size_t)snprintf(out + n, out_b - n, "%s%s", k ? ", " : "", word);
}

/* Lines of at most 80 characters, the later ones below the first. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
    int column = indent;
    for (size_t n; *text; text += n + strspn(text + n, " ")) {
        n = strcspn(text, " ");
        if (column > indent && column + 1 + (int)n > 80) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            column += fprintf(out, " ");
        }
        column += fprintf(out, "%.*s", (int)n, text);
    }
    fputc('\n', out);
}

/* The text, with the words at its {}. */
static void print_help(const struct xk_tool_option *o, int indent, FILE *out)
{
    const char *const hole = o->words ? strstr(o->help, "{}") : NULL;
    char words[1200], text[2000];
    if (!hole) {
        print_wrapped(o->help, indent, out);
        return;
    }
    o->words(words, sizeof words);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - o->help), o->help,
             words, hole + 2);
    print_wrapped(text, indent, out);
}

void xk_tool_option_help(const struct xk_tool_option *table, size_t n,
                         FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        char left[80];
        const struct xk_tool_option *const o = &table[i];
        const char *const equals = o->maybe ? "[=" : o->value ? "=" : "";
        snprintf(left, sizeof left, "%s%c%s--%s%s%s%s", o->letter ? "-" : "",
                 o->letter ? o->letter : ' ', o->letter ? ", " : "   ", o->name,
                 equals, o->value ? o->value : "", o->maybe ? "]" : "");
        print_help(o, fprintf(out, "  %-30s ", left), out);
    }
}
