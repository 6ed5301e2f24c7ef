/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: text as the section .xekern.launches. It is read or refused with a
 * sentence that names the line or the argument. What is read is written as a
 * text that is read as the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/launch_list.h"
#include "binary/launches_text.h"
#include "container/launches_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed);

static void demand(int yes)
{
    if (!yes)
        abort();
}

static void write_and_read(xk_ctx *c, const struct xk_launch_list *l)
{
    struct xk_launch_list *again = NULL;
    struct xk_error err;
    struct xk_str first, second;
    demand(xk_launch_list_check(l, &err) == XK_OK);
    xk_str_init(&first, NULL);
    xk_str_init(&second, NULL);
    xk_launches_print(l, &first);
    demand(xk_launches_read(c, xk_str_get(&first), first.len, &again) == XK_OK);
    xk_launches_print(again, &second);
    demand(strcmp(xk_str_get(&first), xk_str_get(&second)) == 0);
    xk_free(c, again);
    xk_str_fini(&first);
    xk_str_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    struct xk_launch_list *l = NULL;
    if (memchr(data, 0, n_b)) /* the section's text has none */
        return 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    const enum xk_status s = xk_launches_read(c, (const char *)data, n_b, &l);
    demand((s == XK_OK) == (l != NULL));
    if (l)
        write_and_read(c, l);
    else
        demand(s == XK_EPARSE &&
               strstr(c->error.message, "launches: ") == c->error.message);
    xk_free(c, l);
    demand(xk_ctx_destroy(c) == 0);
    return 0;
}

/* Where the n-th line begins; its length into *size. */
static size_t line_at(const uint8_t *data, size_t n_b, unsigned n, size_t *size)
{
    size_t at = 0;
    for (;;) {
        const uint8_t *const end = memchr(data + at, '\n', n_b - at);
        *size = end ? (size_t)(end - data) + 1 - at : n_b - at;
        if (!n-- || at + *size >= n_b)
            return at;
        at += *size;
    }
}

/* A line stands twice, or no more. */
static size_t change_line(uint8_t *data, size_t n_b, size_t most_b,
                          unsigned seed)
{
    size_t size;
    const size_t at = line_at(data, n_b, seed >> 8 & 15, &size);
    if (seed & 1) {
        memmove(data + at, data + at + size, n_b - at - size);
        return n_b - size;
    }
    if (n_b + size > most_b)
        return n_b;
    memmove(data + at + size, data + at, n_b - at);
    return n_b + size;
}

/* A number becomes one at a limit. */
static size_t change_number(uint8_t *data, size_t n_b, size_t most_b,
                            unsigned seed)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "4",
                                          "8",
                                          "15",
                                          "16",
                                          "63",
                                          "64",
                                          "128",
                                          "4294967295",
                                          "4294967296",
                                          "18446744073709551615",
                                          "18446744073709551616"};
    const char *const text = numbers[seed % (sizeof numbers / sizeof *numbers)];
    const size_t n = strlen(text);
    size_t at = n_b ? seed / 16 % n_b : 0, end;
    while (at < n_b && (data[at] < '0' || data[at] > '9'))
        at++;
    for (end = at; end < n_b && data[end] >= '0' && data[end] <= '9';)
        end++;
    if (at == end || n_b - (end - at) + n > most_b)
        return n_b;
    memmove(data + at + n, data + end, n_b - end);
    memcpy(data + at, text, n);
    return n_b - (end - at) + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed)
{
    switch (n_b ? seed >> 16 & 3 : 0) {
    case 1:
        return change_line(data, n_b, most_b, seed);
    case 2:
    case 3:
        return change_number(data, n_b, most_b, seed);
    default:
        return LLVMFuzzerMutate(data, n_b, most_b);
    }
}
