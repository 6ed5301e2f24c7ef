/* SPDX-License-Identifier: Apache-2.0 */
#include "any_formula.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = 400000, MAX_DIMS = 6, LETTERS = 26 };

struct draw {
    unsigned seed;
    char *out;
    int extent[LETTERS];
};

/* The types of C, and of what is read behind the sum. */
static const char *const outer_types[] = {"f32", "f16", "bf16",
                                          "s32", "s8",  "u8"};

/* A coordinate while it is drawn. */
struct coord {
    int coef[LETTERS], base;
};

static int below(struct draw *d, int n)
{
    return rand_r(&d->seed) / 7 % n;
}

static bool chance(struct draw *d, int one_in)
{
    return below(d, one_in) == 0;
}

/* The letters that are there: each with one chance in two, the first always if
 * `least`. */
static void any_letters(struct draw *d, const char *of, bool least, char *out)
{
    for (; *of; of++, least = false)
        if (least || chance(d, 2))
            *out++ = *of;
    *out = 0;
}

static void any_extents(struct draw *d, const char *letters)
{
    static const struct {
        const char *of;
        int most;
    } rows[] = {{"bd", 3}, {"xy", 24}, {"no", 20}, {"c", 40}, {"kl", 4}};
    long all = 1;
    for (const char *p = letters; *p; p++)
        for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
            if (strchr(rows[i].of, *p))
                d->extent[*p - 'a'] = 1 + below(d, rows[i].most);
    for (const char *p = letters; *p; p++)
        all *= d->extent[*p - 'a'];
    for (const char *p = letters; all > MOST_TERMS;
         p = p[1] ? p + 1 : letters) {
        int *const e = &d->extent[*p - 'a'];
        all = all / *e * ((*e + 1) / 2);
        *e = (*e + 1) / 2;
    }
}

/* Each letter is a coordinate, in any order, or a part of one. In C parts are
 * further apart than what they join. */
static unsigned any_coords(struct draw *d, const char *letters, bool is_c,
                           struct coord *at)
{
    char left[12];
    unsigned n_dims = 0;
    size_t n = strlen(letters);
    memcpy(left, letters, n);
    memset(at, 0, MAX_DIMS * sizeof(*at));
    while (n) {
        const size_t i = (size_t)below(d, (int)n);
        const int one = left[i] - 'a';
        left[i] = left[--n];
        if (n_dims == MAX_DIMS || (n_dims && chance(d, 4))) {
            struct coord *const x = &at[below(d, (int)n_dims)];
            int apart = 1;
            for (int k = 0; is_c && k < LETTERS; k++)
                apart += abs(x->coef[k]) * (d->extent[k] - 1);
            x->coef[one] = is_c ? apart : 1 + below(d, 2);
            x->coef[one] *= chance(d, 4) ? -1 : 1;
        } else {
            at[n_dims++].coef[one] = chance(d, 10) ? -1 : 1;
        }
    }
    return n_dims ? n_dims : 1;
}

/* One letter moves a second coordinate, too, perhaps one of its own. What it is
 * follows from the first, so that C's elements stay apart. */
static unsigned any_diagonal(struct draw *d, const char *letters, unsigned n,
                             struct coord *at)
{
    const size_t left = strlen(letters);
    if (!left)
        return n;
    const int one = letters[below(d, (int)left)] - 'a';
    const unsigned to = (unsigned)below(d, n < MAX_DIMS ? (int)n + 1 : (int)n);
    if (to == n)
        n++;
    if (!at[to].coef[one])
        at[to].coef[one] = chance(d, 4) ? -1 : 1 + chance(d, 3);
    return n;
}

/* Where a coordinate begins so that it is never negative, or some places before
 * or behind. Its dim: what it reaches, or some places fewer. is_c: something is
 * inside. */
static int any_base(struct draw *d, struct coord *x, bool leaves, bool is_c)
{
    int most = 0, before = 0, behind = 0;
    for (int k = 0; k < LETTERS; k++) {
        const int far = x->coef[k] * (d->extent[k] - 1);
        x->base -= far < 0 ? far : 0;
        most += abs(far);
    }
    const int shift = chance(d, 5) ? below(d, 3) : 0;
    if (leaves && chance(d, 2))
        before = below(d, 3);
    if (leaves && chance(d, 2))
        behind = below(d, 3);
    if (is_c && before > most + shift)
        before = most + shift;
    if (is_c && behind > most)
        behind = most;
    x->base += shift - before;
    const int dim = most + shift + 1 - behind;
    return dim > 1 ? dim : 1;
}

static void print_form(const struct coord *x, char *out)
{
    char *at = out;
    for (int k = 0; k < LETTERS; k++)
        if (x->coef[k])
            at += sprintf(at, "%s%d*%c", x->coef[k] < 0 ? "" : "+", x->coef[k],
                          'a' + k);
    if (x->base || at == out)
        sprintf(at, "%+d", x->base);
    if (*out == '+')
        memmove(out, out + 1, strlen(out));
}

/* A condition of one or two of the letters. */
static void any_condition(struct draw *d, const char *letters, char *out)
{
    struct coord x = {{0}, 0};
    char form[40];
    const int n = (int)strlen(letters), one = letters[below(d, n)] - 'a';
    const int two = letters[below(d, n)] - 'a';
    x.coef[one] = 1;
    x.coef[two] = one == two ? 1 : -1;
    print_form(&x, form);
    sprintf(out, " | %s in %d..%d", form, -2 - below(d, 3),
            1 + below(d, d->extent[one] + 1));
}

/* Dims in any order, one of them perhaps in blocks. */
static void any_tag(struct draw *d, unsigned n_dims, char *out)
{
    char left[MAX_DIMS];
    unsigned n = n_dims;
    for (unsigned i = 0; i < n; i++)
        left[i] = (char)('a' + i);
    char *at = out;
    while (n) {
        const unsigned i = (unsigned)below(d, (int)n);
        *at++ = left[i];
        left[i] = left[--n];
    }
    *at = 0;
    if (chance(d, 2)) {
        char *const block = out + below(d, (int)n_dims);
        sprintf(at, "%d%c", 4 << below(d, 4), *block);
        *block = (char)(*block - 'a' + 'A');
    }
}

static void any_fill(struct draw *d, const char *type)
{
    if (chance(d, 3))
        d->out +=
            sprintf(d->out, " fill %d", below(d, 5) - (type[0] == 'u' ? 0 : 2));
}

/* The declaration to d->out, the access to `access`. */
static void any_access(struct draw *d, char name, const char *type,
                       const char *letters, char *access)
{
    struct coord at[MAX_DIMS];
    char form[80];
    const bool is_c = name == 'C', leaves = chance(d, is_c ? 4 : 3);
    unsigned n = any_coords(d, letters, is_c, at);
    if (chance(d, 5))
        n = any_diagonal(d, letters, n, at);
    d->out += sprintf(d->out, "%c: %s[", name, type);
    access += sprintf(access, "%c[", name);
    for (unsigned i = 0; i < n; i++) {
        const int dim = any_base(d, &at[i], leaves, is_c);
        d->out += sprintf(d->out, "%s%d", i ? "," : "", dim);
        print_form(&at[i], form);
        access += sprintf(access, "%s%s", i ? "," : "", form);
    }
    if (*letters && chance(d, 8)) {
        any_condition(d, letters, form);
        access += sprintf(access, "%s", form);
    }
    sprintf(access, "]");
    d->out += sprintf(d->out, "]");
    if (chance(d, 3)) {
        any_tag(d, n, form);
        d->out += sprintf(d->out, " %s", form);
    }
    if (!is_c)
        any_fill(d, type);
    d->out += sprintf(d->out, "; ");
}

/* A right-hand side of some of C's letters. */
static void any_rhs(struct draw *d, char name, const char *letters,
                    char *access)
{
    struct coord at[MAX_DIMS];
    char some[12], form[80];
    const bool leaves = chance(d, 3);
    const char *const type = outer_types[below(d, 6)];
    any_letters(d, letters, false, some);
    unsigned n = any_coords(d, some, false, at);
    if (chance(d, 5))
        n = any_diagonal(d, some, n, at);
    d->out += sprintf(d->out, "%c: %s[", name, type);
    access += sprintf(access, " %c[", name);
    for (unsigned i = 0; i < n; i++) {
        const int dim = any_base(d, &at[i], leaves, !leaves);
        d->out += sprintf(d->out, "%s%d", i ? "," : "", dim);
        print_form(&at[i], form);
        access += sprintf(access, "%s%s", i ? "," : "", form);
    }
    if (*letters && chance(d, 8)) {
        any_condition(d, letters, form);
        access += sprintf(access, "%s", form);
    }
    sprintf(access, "]");
    d->out += sprintf(d->out, "]");
    any_fill(d, type);
    d->out += sprintf(d->out, "; ");
}

static void any_steps(struct draw *d, const char *letters, char *out)
{
    static const char *const kinds[] = {
        "relu:0", "linear:2:-1", "clip:-9:30", "sum:2", "add", "max", "mul"};
    char name = 'P';
    *out = 0;
    if (!chance(d, 3))
        return;
    for (int n = 1 + below(d, 3); n; n--) {
        const int kind = below(d, 7);
        out += sprintf(out, " -> %s", kinds[kind]);
        if (kind < 4)
            continue;
        any_rhs(d, name++, letters, out);
        out += strlen(out);
    }
}

/* Each K letter is in one of the operands, or in both. */
static void deal(struct draw *d, const char *k, char *a, char *b)
{
    for (; *k; k++) {
        const int to = below(d, 6);
        if (to)
            sprintf(strchr(a, 0), "%c", *k);
        if (to != 1)
            sprintf(strchr(b, 0), "%c", *k);
    }
}

void any_formula(unsigned seed, char *out)
{
    static const char *const types[][2] = {
        {"f32", "f32"}, {"f16", "f16"}, {"s8", "s8"},    {"u8", "s8"},
        {"s8", "u8"},   {"u8", "u8"},   {"bf16", "bf16"}};
    struct draw d = {.seed = seed, .out = out};
    char g[4], m[4], n[4], k[4], all[16], in_a[12], in_b[12], in_c[12];
    char a[300], b[300], c[300], steps[400];
    const char *const *const t = types[below(&d, 7)];
    any_letters(&d, "bd", false, g);
    if (chance(&d, 2))
        g[0] = 0;
    any_letters(&d, "xy", below(&d, 4), m);
    any_letters(&d, "no", below(&d, 4), n);
    any_letters(&d, "ckl", true, k);
    sprintf(all, "%s%s%s%s", g, m, n, k);
    sprintf(in_a, "%s%s", g, m);
    sprintf(in_b, "%s%s", g, n);
    sprintf(in_c, "%s%s%s", g, m, n);
    deal(&d, k, in_a, in_b);
    any_extents(&d, all);
    for (const char *p = all; *p; p++)
        d.out += sprintf(d.out, "%c = %d; ", *p, d.extent[*p - 'a']);
    any_access(&d, 'A', t[0], in_a, a);
    any_access(&d, 'B', t[1], in_b, b);
    any_access(&d, 'C', outer_types[below(&d, 6)], in_c, c);
    any_steps(&d, in_c, steps);
    sprintf(d.out, "%s += %s * %s%s", c, a, b, steps);
}
