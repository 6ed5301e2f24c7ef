/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: bytes as a kernel, executed on the simulator. Byte 0 chooses the
 * platform, byte 1 the checkers and the seed of latencies, byte 2 the shape of
 * the launch; the rest is code. Whatever it is, the launch ends with OK or with
 * a sentence, and leaves every byte that is not in a buffer alone. Mutations
 * change single fields of decoded instructions, so that code stays code. */
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed);

#define HEAD_B 3
#define BUFFER_B 1024
#define SMALL_B 100
#define INST_LIMIT 600
#define VA UINT64_C(0x2fffffff00) /* straddles a 4 GiB line */

static const char *const platforms[] = {"xelp", "xehpg", "xehpc"};

static void demand(int yes)
{
    if (!yes)
        abort();
}

static const struct xk_platform *platform_of(uint8_t byte)
{
    return xk_platform_find(platforms[byte % XK_COUNTOF(platforms)]);
}

struct memory {
    uint8_t *buffer, *small;
    uint8_t args[64];
    struct xk_sim_region region[3];
    struct xk_sim_bound bound[2];
};

/* Each its own piece of the heap, so that ASan sees its ends. */
static void fill_memory(struct memory *m)
{
    const uint64_t va[3] = {VA, VA + 8192, VA + 16384};
    const uint32_t value[2] = {3, 0x40};
    m->buffer = malloc(BUFFER_B);
    m->small = malloc(SMALL_B);
    memset(m->buffer, 7, BUFFER_B);
    memset(m->small, 1, SMALL_B);
    memcpy(m->args, va, sizeof va);
    memcpy(m->args + 24, value, sizeof value);
    memset(m->args + 32, 0, 32);
    m->region[0] = (struct xk_sim_region){VA, BUFFER_B, m->buffer, 0};
    m->region[1] = (struct xk_sim_region){VA + 8192, SMALL_B, m->small, 0};
    m->region[2] = (struct xk_sim_region){VA + 16384, 64, NULL, XK_SIM_FREED};
    m->bound[0] = (struct xk_sim_bound){0, VA, BUFFER_B};
    m->bound[1] = (struct xk_sim_bound){1, VA + 8192, SMALL_B};
}

static void count(void *user, const struct xk_sim_finding *f)
{
    char line[1024];
    xk_sim_finding_print(f, line, sizeof line);
    demand(line[0] && f->kernel && f->why[0]);
    ++*(unsigned *)user;
}

static void launch(const xk_sim_kernel *k, const uint8_t head[HEAD_B])
{
    struct memory m;
    struct xk_error err = {.message = ""};
    struct xk_launch_stats stats;
    unsigned found = 0;
    const uint32_t threads = 1 + (head[2] & 3);
    fill_memory(&m);
    const struct xk_sim_launch l = {
        .kernel = k,
        .groups = {1 + (head[2] >> 2 & 1), 1, 1},
        .local = {16 * threads - (head[2] >> 3 & 7), 1, 1},
        .cross_thread = m.args,
        .cross_thread_b = sizeof m.args,
        .regions = m.region,
        .n_regions = 3,
        .bound = m.bound,
        .n_bound = 2,
        .private_b = 64,
        .slm_b = 512,
        .n_threads = 1,
        .inst_limit = INST_LIMIT,
        .check = {.on = head[1] & XK_CHECK_ALL,
                  .found = count,
                  .user = &found,
                  .hazard_seed = head[1] >> 5}};
    const enum xk_status st = xk_sim_launch(&l, &stats, &err);
    demand(st == XK_OK ? !found : err.message[0] != 0);
    free(m.buffer);
    free(m.small);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    xk_sim_kernel *k;
    struct xk_error err = {.message = ""};
    if (n_b < HEAD_B + 8)
        return 0;
    struct xk_zkernel z = {.name = "fuzz",
                           .code = data + HEAD_B,
                           .code_b = (n_b - HEAD_B) / 8 * 8,
                           .simd = 16,
                           .grf_count = 128,
                           .slm_b = 512,
                           .barriers = 2,
                           .inline_b = 32,
                           .scratch_b = 1024,
                           .cross_thread_b = 64};
    const struct xk_platform *const p = platform_of(data[0]);
    z.local_id_b = data[2] & 64 ? 3 * (p->grf_b > 32 ? 64u : 32u) : 0;
    if (xk_sim_kernel_create(NULL, p, &z, &k, &err) == XK_OK) {
        launch(k, data);
        xk_sim_kernel_destroy(k);
    } else {
        demand(err.message[0] != 0);
    }
    return 0;
}

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void change_operand(struct xk_operand *o, unsigned *seed)
{
    static const uint8_t vs[] = {0, 1, 2, 4, 8, 16}, w[] = {1, 2, 4, 8, 16},
                         hs[] = {0, 1, 2, 4};
    /* A case in a line. */
    /* clang-format off */
    switch (draw(seed, 9)) {
    case 0: o->reg = (uint16_t)draw(seed, 128); break;
    case 1: o->reg = (uint16_t)draw(seed, 6); break;
    case 2: o->sub_b = (uint16_t)(4 * draw(seed, 8)); break;
    case 3: o->type = (uint8_t)draw(seed, XK_RT_TF32); break;
    case 4: o->rgn.vs = vs[draw(seed, XK_COUNTOF(vs))]; break;
    case 5: o->rgn.width = w[draw(seed, XK_COUNTOF(w))]; break;
    case 6: o->rgn.hs = hs[draw(seed, XK_COUNTOF(hs))]; break;
    case 7:
        o->file = XK_FILE_ARF;
        o->arf = (uint8_t)draw(seed, XK_ARF_MME + 1);
        o->reg = (uint16_t)draw(seed, 3);
        break;
    default:
        o->indirect = !o->indirect;
        o->a0_off_b = (int16_t)(draw(seed, 1024) - 512);
    }
    /* clang-format on */
}

static void change_field(struct xk_inst *i, unsigned *seed)
{
    /* A case in a line. */
    /* clang-format off */
    switch (draw(seed, 12)) {
    case 0: change_operand(&i->dst, seed); break;
    case 1: change_operand(&i->src[0], seed); break;
    case 2: change_operand(&i->src[1], seed); break;
    case 3: change_operand(&i->src[2], seed); break;
    case 4: i->op = (uint16_t)draw(seed, XK_N_OPCODES); break;
    case 5: i->exec = (uint8_t)(1u << draw(seed, 6)); break;
    case 6: i->pred = (uint8_t)draw(seed, XK_PRED_ALL + 1); break;
    case 7: i->cond = (uint8_t)draw(seed, 10); break;
    case 8: i->no_mask = !i->no_mask; break;
    case 9: i->jip_b = 16 * ((int)draw(seed, 32) - 16); break;
    case 10: i->send.desc ^= 1u << draw(seed, 32); break;
    default:
        i->swsb = (struct xk_swsb){.mode = (uint8_t)draw(seed, 4),
                                   .sbid = (uint8_t)draw(seed, 16)};
    }
    /* clang-format on */
}

/* The offset of a random instruction; n_b if there is none. */
static size_t pick(const struct xk_platform *p, const uint8_t *code, size_t n_b,
                   unsigned *seed, struct xk_inst *out)
{
    size_t at = 0, chosen = n_b, used_b;
    unsigned n = 0;
    while (n_b - at >= 8) {
        struct xk_inst i;
        struct xk_error err;
        const enum xk_status st =
            xk_inst_decode(p, code + at, n_b - at, &i, &used_b, &err);
        if (st == XK_OK && used_b == 16 && !draw(seed, ++n)) {
            *out = i;
            chosen = at;
        }
        if (!used_b)
            break;
        at += used_b;
    }
    return chosen;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed)
{
    struct xk_inst i;
    struct xk_error err;
    uint8_t bits[XK_INST_B];
    unsigned at_random = seed | 1;
    if (n_b < HEAD_B + 16 || !draw(&at_random, 5))
        return LLVMFuzzerMutate(data, n_b, most_b);
    if (!draw(&at_random, 8)) {
        data[draw(&at_random, HEAD_B)] = (uint8_t)draw(&at_random, 256);
        return n_b;
    }
    const struct xk_platform *const p = platform_of(data[0]);
    const size_t code_b = n_b - HEAD_B;
    const size_t at = pick(p, data + HEAD_B, code_b, &at_random, &i);
    if (at == code_b)
        return LLVMFuzzerMutate(data, n_b, most_b);
    if (!draw(&at_random, 6) && n_b + 16 <= most_b) { /* once more */
        memmove(data + HEAD_B + at + 16, data + HEAD_B + at, code_b - at);
        return n_b + 16;
    }
    for (unsigned n = 1 + draw(&at_random, 3); n; n--)
        change_field(&i, &at_random);
    if (xk_inst_encode(p, &i, bits, &err) == XK_OK)
        memcpy(data + HEAD_B + at, bits, sizeof bits);
    return n_b;
}
