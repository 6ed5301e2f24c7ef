/* SPDX-License-Identifier: Apache-2.0 */
/* Tags in letters of dims, from benchdnn's other spellings:
 * names such as "nChw16c", and those with an x, which stands for the dims from
 * c on, or from the one behind the last that is named. */
#include "layout/layout.h"

#include <string.h>

#include "base/text.h"

/* Letters in the order of the dims. A tag belongs to a row if it has all
 * capitals and no other letters; those that it lacks count no dim. */
static const char *const names[] = {"NCdhw", "OIdhw", "GOIdhw",
                                    "TNc",   "LDNC",  "LDigO"};

static bool is_alpha(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

static char lower(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch + ('a' - 'A')) : ch;
}

/* Where ch stands in the row, in either case; -1: nowhere. */
static int place_in(const char *row, char ch)
{
    for (int i = 0; row[i]; i++)
        if (lower(row[i]) == lower(ch))
            return i;
    return -1;
}

/* The dim of each letter of the row, as the tag counts them. */
static bool map_row(const char *row, const char *tag, char dim[8])
{
    unsigned seen = 0;
    for (const char *s = tag; *s; s++) {
        const int at = is_alpha(*s) ? place_in(row, *s) : -1;
        if (is_alpha(*s) && at < 0)
            return false;
        if (at >= 0)
            seen |= 1u << at;
    }
    char next = 'a';
    for (int i = 0; row[i]; i++) {
        if (row[i] != lower(row[i]) && !(seen & 1u << i))
            return false;
        dim[i] = next;
        next = (char)(next + (seen >> i & 1u));
    }
    return true;
}

static void rename_letters(char *tag)
{
    char dim[8];
    for (unsigned k = 0; k < XK_COUNTOF(names); k++) {
        if (!map_row(names[k], tag, dim))
            continue;
        for (char *s = tag; *s; s++)
            if (is_alpha(*s))
                *s = (char)(*s - lower(*s) + dim[place_in(names[k], *s)]);
        return;
    }
}

enum { MOST_DIMS = 12 }; /* of a benchdnn tag */

/* Takes the letters of dims that are not there out, with their sizes. */
static void trim(char *tag, unsigned n_dims)
{
    char *out = tag, *size = tag;
    for (const char *s = tag; *s; s++) {
        *out++ = *s;
        if (xk_is_digit(*s))
            continue;
        const unsigned dim = (unsigned)(lower(*s) - 'a');
        if (is_alpha(*s) && dim >= n_dims && dim < MOST_DIMS)
            out = size;
        size = out;
    }
    *out = 0;
}

bool xk_layout_tag_letters(const char *tag, unsigned n_dims,
                           char out[XK_LAYOUT_TAG_MAX])
{
    const char *const x = strchr(tag, 'x');
    const size_t len = strlen(tag);
    if (len + XK_LAYOUT_MAX_DIMS >= XK_LAYOUT_TAG_MAX ||
        n_dims > XK_LAYOUT_MAX_DIMS)
        return false;
    if (!x) {
        strcpy(out, tag);
        rename_letters(out);
        return true;
    }
    char first = 'c';
    for (const char *s = tag; *s; s++)
        if (*s >= first && *s < 'x')
            first = (char)(*s + 1);
    char *at = out + (x - tag);
    memcpy(out, tag, (size_t)(x - tag));
    if (len == 1)
        first = 'a';
    for (unsigned k = (unsigned)(first - 'a'); k < n_dims; k++)
        *at++ = (char)('a' + k);
    strcpy(at, x + 1);
    trim(out, n_dims);
    return true;
}
