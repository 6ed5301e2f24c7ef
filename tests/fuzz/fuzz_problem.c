/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: "--option=word ... problem" as for xk gen. A word and a problem
 * are read or refused with a sentence; what was read prints as a problem that
 * reads as the same sizes, and the library answers it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/conv_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

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

static void answer(const struct xk_conv_desc *d)
{
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_conv_desc again = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    char text[800];
    demand_reason(xk_conv_query(d, &info, &err), &err);
    demand(xk_conv_desc_print(d, text, sizeof text) < sizeof text);
    if (d->pd < 0 || d->ph < 0 || d->pw < 0)
        return; /* deduced, and refused by the query */
    demand(xk_conv_desc_parse(text, &again, NULL, 0, &err) == XK_OK);
    demand(!memcmp(&again.g, &d->g, 22 * sizeof d->g));
    demand(again.ndims == d->ndims && again.grouped == d->grouped);
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
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        word[i] = xk_conv_options[i].initial;
    char *rest = text;
    for (char *part; (part = strsep(&rest, " \n"));)
        if (strncmp(part, "--", 2) || !take_option(part + 2, word))
            problem = part;
    const enum xk_status st =
        xk_conv_request_read(problem, word, &r, name, &err);
    demand_reason(st, &err);
    if (st == XK_OK)
        answer(&r.desc);
    free(text);
    free(name);
    return 0;
}
