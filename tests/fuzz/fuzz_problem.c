/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: "--option=word ... problem" as for xk gen, and behind a NUL edits
 * of the descriptor that it makes. A word and a problem are read or refused
 * with a sentence; what was read prints as a problem that reads as the same
 * sizes. The library answers the descriptor, before and behind the edits, and
 * what it accepts some of the times it makes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/conv_words.h"

/* Bytes of a descriptor are overwritten: place, value. A larger one than ours
 * ends in zeros. */
struct edit {
    uint8_t place[2], width, value[8]; /* lowest byte first */
};
enum { ROOM_B = 1 << 16, MAKE_EVERY = 32, MOST_EDITS = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed);

static void demand(int yes)
{
    if (!yes)
        abort();
}

static void demand_reason(enum xk_status st, const struct xk_error *err)
{
    demand(st == XK_OK || st == XK_EINVAL || st == XK_EUNSUPPORTED);
    demand(st == XK_OK || (err->status == st && strlen(err->message) > 5));
}

/* Takes the option's word; false: there is no such option. */
static int take_option(char *text, const char *word[])
{
    char *const equals = strchr(text, '=');
    if (!equals)
        return 0;
    *equals = 0;
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        if (!strcmp(text, xk_conv_options[i].name)) {
            word[i] = equals + 1;
            return 1;
        }
    return 0;
}

static void check_text(const struct xk_conv_desc *d)
{
    struct xk_conv_desc again = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    char text[800];
    demand(xk_conv_desc_print(d, text, sizeof text) < sizeof text);
    if (d->pd < 0 || d->ph < 0 || d->pw < 0)
        return;         /* deduced, and refused by the query */
    again.alg = d->alg; /* says which sizes are deduced */
    demand(xk_conv_desc_parse(text, &again, NULL, 0, &err) == XK_OK);
    demand(!memcmp(&again.g, &d->g, 22 * sizeof d->g));
    demand(again.ndims == d->ndims && again.grouped == d->grouped);
}

static void answer(const struct xk_conv_desc *d, int make)
{
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err = {0};
    xk_program *p = NULL;
    const enum xk_status st = xk_conv_query(d, &info, &err);
    demand_reason(st, &err);
    if (st < 0 || !make)
        return;
    demand(xk_conv_create(d, NULL, &p, &err) == XK_OK);
    demand(xk_program_n_launches(p) == info.n_launches);
    xk_program_unref(p);
}

/* The size that a descriptor says is within the room. */
static void edit_desc(const struct xk_conv_desc *from, const uint8_t *edits,
                      size_t n_b, int make)
{
    unsigned char *const room = calloc(1, ROOM_B);
    struct edit e;
    uint32_t size;
    demand(room != NULL);
    memcpy(room, from, sizeof *from);
    for (; n_b >= sizeof e; edits += sizeof e, n_b -= sizeof e) {
        memcpy(&e, edits, sizeof e);
        const size_t at = (size_t)(e.place[0] | e.place[1] << 8);
        if (at % sizeof *from + sizeof e.value <= sizeof *from)
            memcpy(room + at % sizeof *from, e.value,
                   e.width % (sizeof e.value + 1));
    }
    memcpy(&size, room, sizeof size);
    if (size <= ROOM_B)
        answer((const struct xk_conv_desc *)(void *)room, make);
    free(room);
}

/* Half of the mutations overwrite a field with a number that matters. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed)
{
    static const uint64_t numbers[] = {0,          1,
                                       2,          3,
                                       7,          16,
                                       255,        65536,
                                       INT32_MAX,  (uint64_t)INT32_MAX + 1,
                                       UINT32_MAX, UINT64_MAX,
                                       INT64_MAX,  (uint64_t)INT64_MAX + 1,
                                       0x7fc00000, 0x3f800000};
    const unsigned draw = seed * 2654435761u;
    struct edit e = {{(uint8_t)(draw >> 8 & 0xfc), (uint8_t)(draw >> 16 & 15)},
                     draw & 2 ? 8 : 4,
                     {0}};
    const uint64_t number =
        draw & 4 ? numbers[draw >> 20 & 15] : (draw >> 20 & 63);
    const size_t text_b = strnlen((const char *)data, n_b);
    if (!(draw & 1) || text_b + 1 + MOST_EDITS * sizeof e > most_b ||
        n_b >= text_b + 1 + MOST_EDITS * sizeof e)
        return LLVMFuzzerMutate(data, n_b, most_b);
    if (text_b == n_b)
        data[n_b++] = 0;
    memcpy(e.value, &number, sizeof e.value);
    memcpy(data + n_b, &e, sizeof e);
    return n_b + sizeof e;
}

static unsigned mix(const uint8_t *data, size_t n_b)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n_b; i++)
        h = (h ^ data[i]) * 16777619u;
    return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    const char *word[XK_N_CONV_OPTIONS], *problem = "";
    struct xk_conv_request r;
    struct xk_error err = {0};
    char *const text = malloc(n_b + 1), *const name = malloc(n_b + 1);
    demand(text && name);
    memcpy(text, data, n_b);
    text[n_b] = 0;
    const size_t text_b = strlen(text);
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        word[i] = xk_conv_options[i].initial;
    char *rest = text;
    for (char *part; (part = strsep(&rest, " \n"));)
        if (strncmp(part, "--", 2) || !take_option(part + 2, word))
            problem = part;
    const enum xk_status st =
        xk_conv_request_read(problem, word, &r, name, &err);
    demand_reason(st, &err);
    const int make = mix(data, n_b) % MAKE_EVERY == 0;
    if (st == XK_OK) {
        check_text(&r.desc);
        answer(&r.desc, make);
        if (n_b > text_b)
            edit_desc(&r.desc, data + text_b + 1, n_b - text_b - 1, make);
    }
    free(text);
    free(name);
    return 0;
}
