/* SPDX-License-Identifier: Apache-2.0 */
/* Private arrays: small ones become indirect registers, large ones scratch
 * memory, and too many live values spill. */
#pragma OPENCL FP_CONTRACT OFF

// @ private_small out:int:1 in:int:1
kernel void private_small(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[8];
    for (int k = 0; k < 8; k++)
        v[k] = a[i] * k + 1;
    out[i] = v[a[i] & 7] + v[a[i] >> 3 & 7];
}

// @ private_write out:int:1 in:int:1
kernel void private_write(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[16] = {0};
    for (int k = 0; k < 8; k++)
        v[a[i] >> (4 * k) & 15] += k + 1;
    int s = 0;
    for (int k = 0; k < 16; k++)
        s = s * 3 + v[k];
    out[i] = s;
}

// @ private_bytes out:uint:1 in:uint:1
kernel void private_bytes(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uchar v[16];
    for (int k = 0; k < 16; k++)
        v[k] = (uchar)(a[i] >> k);
    out[i] = v[a[i] & 15] | v[a[i] >> 4 & 15] << 8;
}

// @ private_shorts out:int:1 in:int:1
kernel void private_shorts(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    short v[12];
    for (int k = 0; k < 12; k++)
        v[k] = (short)(a[i] + k * 1000);
    out[i] = v[(uint)a[i] % 12] - v[(uint)a[i] / 12 % 12];
}

// @ private_floats out:float:1 in:float:1 in:uint:1
kernel void private_floats(global float *out, global const float *a,
                           global const uint *b)
{
    const int i = get_global_id(0);
    float v[10];
    for (int k = 0; k < 10; k++)
        v[k] = a[i] + k;
    v[b[i] % 10] = -1.0f;
    out[i] = v[b[i] / 10 % 10];
}

// @ private_longs out:long:1 in:long:1
kernel void private_longs(global long *out, global const long *a)
{
    const int i = get_global_id(0);
    long v[6];
    for (int k = 0; k < 6; k++)
        v[k] = a[i] ^ k;
    out[i] = v[(ulong)a[i] % 6] + v[(ulong)a[i] / 6 % 6];
}

// @ private_large out:int:1 in:int:1
kernel void private_large(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[300];
    for (int k = 0; k < 300; k++)
        v[k] = a[i] + k * k;
    for (int k = 0; k < 50; k++)
        v[(uint)(a[i] + k * 37) % 300] ^= v[(uint)(a[i] * 3 + k) % 300];
    int s = 0;
    for (int k = 0; k < 300; k += 7)
        s += v[k];
    out[i] = s;
}

// @ private_large_bytes out:uint:1 in:uint:1
kernel void private_large_bytes(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uchar seen[1024];
    for (int k = 0; k < 1024; k++)
        seen[k] = 0;
    uint v = a[i], n = 0;
    for (int k = 0; k < 60; k++) {
        v = v * 1103515245u + 12345u;
        n += seen[v >> 22]++;
    }
    out[i] = n * 1000 + seen[v >> 22];
}

// @ private_struct out:int:1 in:int:1
kernel void private_struct(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    struct {
        int key;
        short low, high;
    } p[40];
    for (int k = 0; k < 40; k++) {
        p[k].key = a[i] * (k + 1);
        p[k].low = (short)p[k].key;
        p[k].high = (short)(p[k].key >> 16);
    }
    const uint w = (uint)a[i] % 40;
    out[i] = p[w].key ^ p[39 - w].low ^ p[(w * 7) % 40].high;
}

// @ insertion_sort out:int:8 in:int:8
kernel void insertion_sort(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[8];
    for (int k = 0; k < 8; k++) {
        const int x = a[8 * i + k];
        int at = k;
        while (at > 0 && v[at - 1] > x) {
            v[at] = v[at - 1];
            at--;
        }
        v[at] = x;
    }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = v[k];
}

/* More live values than registers. */
#define FOUR(m, k) m(k) m(k + 1) m(k + 2) m(k + 3)
#define SIXTEEN(m, k) FOUR(m, k) FOUR(m, k + 4) FOUR(m, k + 8) FOUR(m, k + 12)

// @ spill out:float:1 in:float:64:-2..2
kernel void spill(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    float v[64];
#define LOAD(k) v[k] = a[64 * i + (k)];
    SIXTEEN(LOAD, 0) SIXTEEN(LOAD, 16) SIXTEEN(LOAD, 32) SIXTEEN(LOAD, 48)
    float s = 0;
    for (int r = 0; r < 3; r++) {
#define STEP(k) s = fma(v[k], v[63 - (k)], s * 0.5f);
        SIXTEEN(STEP, 0) SIXTEEN(STEP, 16) SIXTEEN(STEP, 32) SIXTEEN(STEP, 48)
#define CHANGE(k) v[k] = v[k] * 0.5f + s;
        SIXTEEN(CHANGE, 0) SIXTEEN(CHANGE, 16) SIXTEEN(CHANGE, 32)
        SIXTEEN(CHANGE, 48)
    }
    out[i] = s;
}

// @ constant_table out:int:1 in:int:1
constant int primes[16] = {2,  3,  5,  7,  11, 13, 17, 19,
                           23, 29, 31, 37, 41, 43, 47, 53};
kernel void constant_table(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[i] = primes[a[i] & 15] * primes[a[i] >> 4 & 15];
}

// @ constant_buffer out:float:1 in:float:16! in:int:1
kernel void constant_buffer(global float *out, constant float *t,
                            global const int *a)
{
    const int i = get_global_id(0);
    out[i] = t[3] + t[a[i] & 15];
}
