/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, loops and calls. */
#include "opencl_lab.h"

#include <string.h>

static int ref_collatz(uint32_t v)
{
    int n = 0;
    while (v != 1 && n < 500) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        n++;
    }
    return n;
}

static int ref_choose(int v)
{
    int r = 0;
    switch (v & 7) {
    case 0:
        return v + 1;
    case 1:
        return v * 3;
    case 2:
        r = -v; /* fall through */
    case 3:
        return r + 17;
    case 5:
        return v / 5;
    case 6:
        return v * 4;
    default:
        return 99;
    }
}

static int ref_nested(int v)
{
    int sum = 0;
    for (int k = 0; k < v; k++) {
        if (k == 3)
            continue;
        for (int j = k; j < 12; j++) {
            if ((j * k + v) % 11 == 5)
                break;
            sum += j ^ k;
            if (sum > 900)
                return sum;
        }
    }
    return sum;
}

START_TEST(loops_with_their_own_count_per_channel)
{
    int32_t in[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        in[i] = 1 + (int32_t)(opencl_rnd() % 3000);
        want[i] = ref_collatz((uint32_t)in[i]);
    }
    RUN(FLOW, "collatz", N, 40, OUT(got), IN(in));
    SAME("collatz", got, want);
}
END_TEST

START_TEST(switches)
{
    int32_t in[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(opencl_rnd() % 100000) - 50000;
        want[i] = ref_choose(in[i]);
    }
    RUN(FLOW, "choose", N, 100, OUT(got), IN(in));
    SAME("choose", got, want);
}
END_TEST

START_TEST(break_continue_return_and_goto)
{
    int32_t in[N], want[N], got[N];
    const int n = N - 30;
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(opencl_rnd() % 60);
        want[i] = i < n ? ref_nested(in[i]) : -77;
        got[i] = -77;
    }
    RUN(FLOW, "nested", N, 50, FROM_TO(got, got), IN(in), VAL(n));
    SAME("nested", got, want);
}
END_TEST

static int32_t twice_plus(int32_t x, int32_t y)
{
    return x > y ? 2 * x + y : x - 2 * y;
}

START_TEST(functions)
{
    int32_t a[N], b[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        a[i] = (int32_t)(opencl_rnd() % 1000);
        b[i] = (int32_t)(opencl_rnd() % 1000);
        want[i] = twice_plus(a[i], b[i]);
        if (want[i] & 1)
            want[i] = twice_plus(want[i], a[i]);
    }
    RUN(FLOW, "calls", N, 20, OUT(got), IN(a), IN(b));
    SAME("calls", got, want);
}
END_TEST

START_TEST(shuffles_through_address_registers)
{
    enum { ITEMS = 192 };
    int32_t in[ITEMS], k[ITEMS], want[2 * ITEMS], got[2 * ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        in[i] = (int32_t)opencl_rnd() >> 4;
        k[i] = (int32_t)opencl_rnd();
    }
    for (int i = 0; i < ITEMS; i++) {
        const int first = i / 16 * 16;
        want[2 * i] = in[first + (k[i] & 15)];
        want[2 * i + 1] = 0;
        for (int l = 0; l < 16; l++)
            want[2 * i + 1] += in[first + l];
    }
    RUN(FLOW, "shuffle", ITEMS, 64, OUT(got), IN(in), IN(k));
    SAME("shuffle", got, want);
}
END_TEST

void opencl_flow_tests(TCase *t)
{
    ALL(loops_with_their_own_count_per_channel);
    ALL(switches);
    ALL(break_continue_return_and_goto);
    ALL(functions);
    UNFORCED(shuffles_through_address_registers);
}
