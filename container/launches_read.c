/* SPDX-License-Identifier: Apache-2.0 */
/* A line is words with one space between them; the first word says what kind of
 * line it is. Unknown words are refused, so that no program is launched in
 * part. */
#include "container/launches_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/launch_list.h"
#include "base/text.h"

#define WORDS_MAX 10
#define WORD_B 64

struct reader {
    xk_ctx *c;
    const char *text;
    size_t n_b, at;
    unsigned line, n_words;
    char word[WORDS_MAX][WORD_B];
    struct xk_launch_list list;
    struct xk_program_arg_info arg[XK_MAX_LAUNCH_ARGS];
    struct xk_scratch_info scratch[XK_MAX_SCRATCH];
    struct xk_launch_step step[XK_MAX_LAUNCHES];
    struct xk_launch_arg_info *bind; /* of all launches */
    uint32_t n_binds, cap_binds;
};

static enum xk_status bad_line(struct reader *r, const char *why)
{
    return xk_fail(r->c, XK_EPARSE, "launches: line %u: '%s': %s", r->line,
                   r->n_words ? r->word[0] : "", why);
}

/* The next line's words. */
static enum xk_status read_words(struct reader *r)
{
    const char *const from = r->text + r->at;
    const char *const end = memchr(from, '\n', r->n_b - r->at);
    r->line++;
    r->n_words = 0;
    if (!end)
        return bad_line(r, "the line does not end");
    r->at += (size_t)(end - from) + 1;
    for (const char *w = from; w < end;) {
        const char *const space = memchr(w, ' ', (size_t)(end - w));
        const char *const stop = space ? space : end;
        const size_t n = (size_t)(stop - w);
        if (r->n_words == WORDS_MAX || n == 0 || n >= WORD_B ||
            stop + 1 == end || memchr(w, 0, n))
            return bad_line(r,
                            "too many words, or one that is empty or too long");
        memcpy(r->word[r->n_words], w, n);
        r->word[r->n_words++][n] = 0;
        w = stop + 1;
    }
    return r->n_words ? XK_OK : bad_line(r, "an empty line");
}

static bool word_is(const struct reader *r, unsigned k, const char *text)
{
    return strcmp(r->word[k], text) == 0;
}

/* Decimal digits only. */
static enum xk_status read_decimal_word(struct reader *r, unsigned k,
                                        uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(r->word[k], &end, 10);
    if (xk_is_digit(r->word[k][0]) && !*end && !errno && *out <= max)
        return XK_OK;
    return xk_fail(r->c, XK_EPARSE,
                   "launches: line %u: '%s' is no number up to %llu", r->line,
                   r->word[k], (unsigned long long)max);
}

static enum xk_status small(struct reader *r, unsigned k, uint32_t *out)
{
    uint64_t v = 0;
    const enum xk_status s = read_decimal_word(r, k, UINT32_MAX, &v);
    *out = (uint32_t)v;
    return s;
}

static enum xk_status name(struct reader *r, unsigned k, char *out, size_t max)
{
    if (!xk_is_identifier(r->word[k], max))
        return xk_fail(r->c, XK_EPARSE,
                       "launches: line %u: '%s' is no name of less than %zu "
                       "bytes",
                       r->line, r->word[k], max);
    memcpy(out, r->word[k], strlen(r->word[k]) + 1);
    return XK_OK;
}

/* arg NUMBER NAME buffer BYTES read|write, arg NUMBER NAME TYPE */
static enum xk_status read_arg_line(struct reader *r)
{
    struct xk_program_arg_info *const a = &r->arg[r->list.n_args];
    uint32_t t = XK_VALUE_NONE;
    if (r->list.n_args == XK_MAX_LAUNCH_ARGS)
        return bad_line(r, "one argument too many");
    if (r->n_words < 4)
        return bad_line(r, "words are missing");
    while (xk_value_type_word(t) && !word_is(r, 3, xk_value_type_word(t)))
        t++;
    if (!xk_value_type_word(t) || r->n_words != (t ? 4 : 6))
        return bad_line(r, "no such type, or not its words");
    if (!t && !word_is(r, 5, "read") && !word_is(r, 5, "write"))
        return bad_line(r, "neither read nor write");
    XK_TRY(small(r, 1, &a->number));
    XK_TRY(name(r, 2, a->name, sizeof a->name));
    a->type = t;
    a->size_b = xk_value_type_b(t);
    a->written = !t && word_is(r, 5, "write");
    if (!t)
        XK_TRY(read_decimal_word(r, 4, UINT64_MAX, &a->size_b));
    r->list.n_args++;
    return XK_OK;
}

/* block BYTES align BYTES */
static enum xk_status read_block(struct reader *r)
{
    if (r->n_words != 4 || !word_is(r, 2, "align") || r->list.scratch_align_b)
        return bad_line(r, "not its words, or a second one");
    XK_TRY(read_decimal_word(r, 1, UINT64_MAX, &r->list.scratch_b));
    return small(r, 3, &r->list.scratch_align_b);
}

/* scratch BYTES at BYTES */
static enum xk_status read_scratch(struct reader *r)
{
    struct xk_scratch_info *const s = &r->scratch[r->list.n_scratch];
    if (r->list.n_scratch == XK_MAX_SCRATCH)
        return bad_line(r, "one scratch buffer too many");
    if (r->n_words != 4 || !word_is(r, 2, "at"))
        return bad_line(r, "not its words");
    XK_TRY(read_decimal_word(r, 1, UINT64_MAX, &s->size_b));
    XK_TRY(read_decimal_word(r, 3, UINT64_MAX, &s->offset_b));
    r->list.n_scratch++;
    return XK_OK;
}

/* launch KERNEL groups X Y Z local X Y Z */
static enum xk_status read_launch(struct reader *r)
{
    struct xk_launch_step *const s = &r->step[r->list.n_launches];
    if (r->list.n_launches == XK_MAX_LAUNCHES)
        return bad_line(r, "one launch too many");
    if (r->n_words != 10 || !word_is(r, 2, "groups") || !word_is(r, 6, "local"))
        return bad_line(r, "not its words");
    XK_TRY(name(r, 1, s->kernel, sizeof s->kernel));
    for (unsigned d = 0; d < 3; d++) {
        XK_TRY(small(r, 3 + d, &s->groups[d]));
        XK_TRY(small(r, 7 + d, &s->local[d]));
    }
    r->list.n_launches++;
    return XK_OK;
}

/* bind NAME arg NUMBER [at BYTES], bind NAME scratch NUMBER [at BYTES], bind
 * NAME constant BYTES VALUE */
static enum xk_status read_bind(struct reader *r)
{
    if (!r->list.n_launches)
        return bad_line(r, "it comes before the first launch");
    if (!xk_grow(r->c, &r->bind, r->n_binds, &r->cap_binds, sizeof *r->bind))
        return XK_ENOMEM;
    const bool constant = r->n_words == 5 && word_is(r, 2, "constant");
    const bool scratch = word_is(r, 2, "scratch");
    struct xk_launch_arg_info *const a = &r->bind[r->n_binds];
    *a = (struct xk_launch_arg_info){.tensor = UINT32_MAX};
    const bool part = r->n_words == 6 && word_is(r, 4, "at");
    if (!constant &&
        !((scratch || word_is(r, 2, "arg")) && (part || r->n_words == 4)))
        return bad_line(r, "not its words");
    XK_TRY(name(r, 1, a->name, sizeof a->name));
    XK_TRY(small(r, 3, constant ? &a->size_b : &a->number));
    if (constant || part)
        XK_TRY(read_decimal_word(r, part ? 5 : 4, UINT64_MAX, &a->bits));
    a->binding = constant  ? XK_BIND_CONSTANT
                 : scratch ? XK_BIND_SCRATCH
                           : XK_BIND_TENSOR;
    r->step[r->list.n_launches - 1].n_args++;
    r->n_binds++;
    return XK_OK;
}

static enum xk_status read_one(struct reader *r)
{
    static const struct {
        const char *word;
        enum xk_status (*read)(struct reader *r);
    } kinds[] = {{"arg", read_arg_line},
                 {"block", read_block},
                 {"scratch", read_scratch},
                 {"launch", read_launch},
                 {"bind", read_bind}};
    XK_TRY(read_words(r));
    for (unsigned i = 0; i < XK_COUNTOF(kinds); i++)
        if (word_is(r, 0, kinds[i].word))
            return kinds[i].read(r);
    return bad_line(r, "no such line is known");
}

/* The number of an argument says whether it is a buffer or a value. */
static void finish_bind(const struct xk_launch_list *l,
                        struct xk_launch_arg_info *a)
{
    if (a->binding != XK_BIND_TENSOR)
        return;
    const struct xk_program_arg_info *const p =
        xk_launch_list_arg(l, a->number);
    if (p && p->type != XK_VALUE_NONE) {
        a->binding = XK_BIND_VALUE;
        a->size_b = (uint32_t)p->size_b;
    } else {
        a->tensor = a->number;
    }
}

static enum xk_status finish_launches(struct reader *r,
                                      struct xk_launch_list **out)
{
    struct xk_error err;
    r->list.args = r->arg;
    r->list.scratch = r->scratch;
    r->list.launches = r->step;
    for (uint32_t i = 0; i < r->n_binds; i++)
        finish_bind(&r->list, &r->bind[i]);
    for (uint32_t i = 0, at = 0; i < r->list.n_launches; i++) {
        if (r->step[i].n_args) /* without any there may be no binds at all */
            r->step[i].args = r->bind + at;
        at += r->step[i].n_args;
    }
    if (xk_launch_list_check(&r->list, &err) < 0)
        return xk_fail(r->c, XK_EPARSE, "launches: %s", err.message);
    *out = xk_launch_list_copy(&r->c->alloc, &r->list);
    return *out ? XK_OK : xk_fail(r->c, XK_ENOMEM, "launches: out of memory");
}

enum xk_status xk_launches_read(xk_ctx *c, const char *text, size_t n_b,
                                struct xk_launch_list **out)
{
    struct reader *const r = xk_calloc(c, 1, sizeof *r);
    *out = NULL;
    if (!r)
        return XK_ENOMEM;
    r->c = c;
    r->text = text;
    r->n_b = n_b;
    enum xk_status s = read_words(r);
    if (s == XK_OK && (r->n_words != 3 || !word_is(r, 0, "xekern") ||
                       !word_is(r, 1, "launches") || !word_is(r, 2, "1")))
        s = bad_line(r, "it is not 'xekern launches 1'");
    while (s == XK_OK && r->at < r->n_b)
        s = read_one(r);
    if (s == XK_OK)
        s = finish_launches(r, out);
    xk_free(c, r->bind);
    xk_free(c, r);
    return s;
}
