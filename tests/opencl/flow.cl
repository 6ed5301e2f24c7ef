/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that part and meet again. */
// @ collatz out:int:1 in:uint:1:1..10000
kernel void collatz(global int *out, global const uint *in)
{
    const int i = get_global_id(0);
    uint v = in[i];
    int n = 0;
    while (v != 1 && n < 500) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        n++;
    }
    out[i] = n;
}

// @ choose out:int:1 in:int:1:-1000..1000
kernel void choose(global int *out, global const int *in)
{
    const int i = get_global_id(0);
    int r = 0;
    switch (in[i] & 7) {
    case 0: r = in[i] + 1; break;
    case 1: r = in[i] * 3; break;
    case 2: r = -in[i]; /* falls through */
    case 3: r += 17; break;
    case 5: r = in[i] / 5; break;
    case 6: r = in[i] << 2; break;
    default: r = 99;
    }
    out[i] = r;
}

// @ nested out:int:1 in:int:1:0..20 val:int:n
kernel void nested(global int *out, global const int *in, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < in[i]; k++) {
        if (k == 3)
            continue;
        for (int j = k; j < 12; j++) {
            if ((j * k + in[i]) % 11 == 5)
                break;
            sum += j ^ k;
            if (sum > 900)
                goto out;
        }
    }
out:
    out[i] = sum;
}

__attribute__((noinline)) int twice_plus(int x, int y)
{
    if (x > y)
        return 2 * x + y;
    return x - 2 * y;
}

// @ calls out:int:1 in:int:1:-10000..10000 in:int:1:-10000..10000
kernel void calls(global int *out, global const int *a, global const int *b)
{
    const int i = get_global_id(0);
    int r = twice_plus(a[i], b[i]);
    if (r & 1)
        r = twice_plus(r, a[i]);
    out[i] = r;
}

// @ shuffle out:int:2 in:int:1:-10000..10000 in:int:1 needs=subgroups,vendor
#ifdef cl_intel_subgroups
__attribute__((intel_reqd_sub_group_size(16)))
kernel void shuffle(global int *out, global const int *in, global const int *k)
{
    const int i = get_global_id(0);
    out[2 * i] = intel_sub_group_shuffle(in[i], k[i] & 15);
    out[2 * i + 1] = sub_group_reduce_add(in[i]);
}
#endif
