/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are not inlined, called by one channel or by all. */
#define FAR __attribute__((noinline))

FAR int square(int x)
{
    return x * x;
}

FAR int weigh(int x, int y, int z)
{
    int s = 0;
    for (int k = 0; k < (z & 7); k++)
        s += k & 1 ? x : y;
    return s;
}

FAR float blend(float a, float b, float t)
{
    return a * (1.0f - t) + b * t;
}

FAR long wide_step(long x, long y)
{
    return x * 3 - (y >> 5);
}

FAR void swap_if(int *x, int *y)
{
    if (*x > *y) {
        const int t = *x;
        *x = *y;
        *y = t;
    }
}

FAR int chain(int x)
{
    return square(x & 0xff) + weigh(x, 1, x);
}

FAR uint pick(global const uint *table, uint k)
{
    if (k & 16)
        return 3;
    return table[k & 15];
}

FAR float4 turn(float4 v, float s)
{
    return (float4)(v.y * s, -v.x * s, v.w + s, v.z - s);
}

// @ call_once out:int:1 in:int:1:-1000..1000
kernel void call_once(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[i] = square(a[i]) + 1;
}

// @ call_in_branch out:int:1 in:int:1:-1000..1000
kernel void call_in_branch(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int r = a[i];
    if (r & 1)
        r = square(r);
    else
        r = weigh(r, 3, i);
    out[i] = r;
}

// @ call_in_loop out:int:1 in:int:1:0..15
kernel void call_in_loop(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int r = 0;
    for (int k = 0; k < a[i]; k++)
        r += weigh(k, r & 0xff, k + i);
    out[i] = r;
}

// @ call_chain out:int:1 in:int:1:-1000..1000
kernel void call_chain(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[i] = chain(a[i]) - chain(a[i] + 1);
}

// @ call_float out:float:1 in:float:1 in:float:1 ulp=8
kernel void call_float(global float *out, global const float *a,
                       global const float *b)
{
    const int i = get_global_id(0);
    out[i] = blend(a[i], b[i], 0.25f) + blend(b[i], 1.0f, 0.5f);
}

// @ call_wide out:long:1 in:long:1:-1000000000..1000000000
kernel void call_wide(global long *out, global const long *a)
{
    const int i = get_global_id(0);
    long r = a[i];
    for (int k = 0; k < 3; k++)
        r = wide_step(r, a[i]);
    out[i] = r;
}

// @ call_pointers out:int:4 in:int:4
kernel void call_pointers(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[4];
    for (int k = 0; k < 4; k++)
        v[k] = a[4 * i + k];
    swap_if(&v[0], &v[1]);
    swap_if(&v[2], &v[3]);
    swap_if(&v[0], &v[2]);
    swap_if(&v[1], &v[3]);
    swap_if(&v[1], &v[2]);
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = v[k];
}

// @ call_global out:uint:1 in:uint:16! in:uint:1
kernel void call_global(global uint *out, global const uint *table,
                        global const uint *a)
{
    const int i = get_global_id(0);
    out[i] = pick(table, a[i]) ^ pick(table, a[i] >> 8);
}

// @ call_vector out:float4:1 in:float4:1 val:float:2
kernel void call_vector(global float4 *out, global const float4 *a, float s)
{
    const int i = get_global_id(0);
    out[i] = turn(turn(a[i], s), 0.5f);
}
