/* SPDX-License-Identifier: Apache-2.0 */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

enum { M = 19, K = 24, N = 33, O = 16, S = 40 };
static const char *const text[] = {
    "A: f32[19,24]; B: f32[24,33]; P[m,n] += A[m,k] * B[k,n]",
    "P: f32[19,33]; C: f32[33,16]; Q[m,n] += P[m,k] * C[k,n]",
    "Q: f32[19,16]; D: f32[16,40]; R[m,n] += Q[m,k] * D[k,n]"};
/* Arguments stand in the order in which they are first named. */
static const int sizes[CHAIN_ARGS] = {M * K, K *N, N *O, O *S, M *S};

enum xk_status chain_make(const char *platform, xk_program **p,
                          struct xk_error *err)
{
    const struct xk_formulas f = {
        .size = sizeof f,
        .platform = !strcmp(platform, "xehpc")  ? XK_PLATFORM_XEHPC
                    : !strcmp(platform, "xelp") ? XK_PLATFORM_XELP
                                                : XK_PLATFORM_XEHPG,
        .n = 3,
        .text = text};
    return xk_formulas_create(&f, NULL, p, err);
}

static float element(uint32_t number, int i)
{
    return number == CHAIN_R ? 0 : (float)((i * 5 + (int)number * 3) % 4 - 1);
}

float *chain_data(const xk_program *p, uint32_t number)
{
    const uint64_t size_b = xk_program_launches(p)->args[number].size_b;
    float *const v = calloc(1, size_b);
    for (int i = 0; v && i < sizes[number]; i++)
        v[i] = element(number, i);
    return v;
}

/* to[M][columns] = from[M][inner] * the argument. */
static void multiply(const float *from, int inner, uint32_t number, int columns,
                     float *to)
{
    for (int i = 0; i < M * columns; i++) {
        to[i] = 0;
        for (int k = 0; k < inner; k++)
            to[i] += from[i / columns * inner + k] *
                     element(number, k * columns + i % columns);
    }
}

int chain_wrong(const float *r)
{
    static float a[M * K], p[M * N], q[M * O], want[M * S];
    int wrong = 0;
    for (int i = 0; i < M * K; i++)
        a[i] = element(0, i);
    multiply(a, K, 1, N, p);
    multiply(p, N, 2, O, q);
    multiply(q, O, 3, S, want);
    for (int i = 0; i < M * S; i++)
        wrong += r[i] != want[i];
    return wrong;
}
