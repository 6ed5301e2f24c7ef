/* SPDX-License-Identifier: Apache-2.0 */
/* Tile layouts: looked up in Intel's own library, if it is installed, and each
 * byte in a place of its own. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "sim/message/tiling.h"
#include "tests/tap.h"

static uint8_t *library;
static size_t library_b;

/* The text of Intel's library of surface layouts. */
static bool open_library(void)
{
    void *const h = dlopen("libigdgmm.so.12", RTLD_NOW);
    struct link_map *map;
    FILE *f = NULL;
    if (h && dlinfo(h, RTLD_DI_LINKMAP, &map) == 0)
        f = fopen(map->l_name, "rb");
    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    library_b = (size_t)ftell(f);
    rewind(f);
    library = malloc(library_b);
    const bool good = library && fread(library, 1, library_b, f) == library_b;
    fclose(f);
    return good;
}

static const struct {
    const char *platform;
    unsigned mode;
    bool volume;
    unsigned texel_b, bytes; /* of a tile */
} tiles[] = {
    {"xelp", 2, false, 4, 4096},   {"xelp", 3, false, 4, 4096},
    {"xelp", 3, true, 16, 4096},   {"xehpg", 2, false, 1, 4096},
    {"xehpg", 3, false, 4, 4096},  {"xehpg", 1, false, 1, 65536},
    {"xehpg", 1, false, 2, 65536}, {"xehpg", 1, false, 4, 65536},
    {"xehpg", 1, false, 8, 65536}, {"xehpg", 1, false, 16, 65536},
    {"xehpg", 1, true, 1, 65536},  {"xehpg", 1, true, 2, 65536},
    {"xehpg", 1, true, 4, 65536},  {"xehpg", 1, true, 8, 65536},
    {"xehpg", 1, true, 16, 65536}, {"xehpc", 3, false, 4, 4096},
};

static struct xk_sim_tiling tiling_of(size_t i)
{
    struct xk_sim_tiling t;
    ck_assert(xk_sim_tiling_find(xk_platform_find(tiles[i].platform),
                                 tiles[i].mode, tiles[i].volume,
                                 tiles[i].texel_b, &t));
    return t;
}

START_TEST(tiles_are_those_of_intels_library)
{
    if (!open_library()) {
        puts("# libigdgmm.so.12 is not installed: tiles are not looked up");
        return;
    }
    for (size_t i = 0; i < XK_COUNTOF(tiles); i++) {
        const struct xk_sim_tiling t = tiling_of(i);
        const uint32_t masks[3] = {t.mask[0], t.mask[1], t.mask[2]};
        ck_assert_msg(memmem(library, library_b, masks, sizeof masks),
                      "%s mode %u, %u bytes: masks %x %x %x are not in it",
                      tiles[i].platform, tiles[i].mode, tiles[i].texel_b,
                      masks[0], masks[1], masks[2]);
    }
    free(library);
}
END_TEST

/* Each byte of 2 x 2 x 2 tiles has a place of its own, and none is left. */
START_TEST(bytes_of_tiles_have_places_of_their_own)
{
    static uint8_t seen[8 * 65536];
    for (size_t i = 0; i < XK_COUNTOF(tiles); i++) {
        const struct xk_sim_tiling t = tiling_of(i);
        const uint32_t w = 2u << t.log_b[0], h = 2u << t.log_b[1],
                       d = 2u << t.log_b[2];
        memset(seen, 0, sizeof seen);
        for (uint32_t z = 0; z < d; z++)
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w; x++) {
                    const uint64_t at = xk_sim_tiled_offset(&t, w, h, x, y, z);
                    ck_assert_uint_lt(at, 8u * tiles[i].bytes);
                    ck_assert(!seen[at]);
                    seen[at] = 1;
                    ck_assert_uint_eq(at % 16, x % 16);
                }
        ck_assert_uint_eq((uint64_t)w * h * d, 8u * tiles[i].bytes);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tiling");
    TCase *t = tcase_create("tiling");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, tiles_are_those_of_intels_library);
    tcase_add_test(t, bytes_of_tiles_have_places_of_their_own);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
