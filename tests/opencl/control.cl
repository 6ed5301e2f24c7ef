/* SPDX-License-Identifier: Apache-2.0 */
/* Divergent control flow beyond flow.cl: every way for channels to part.
 * By default the compiler writes if, else and while on tgllp only. */
// @variant structured: -igc_opts 'VISAOptions=-enableStructurizer'

// @ if_else out:int:1 in:int:1:-1000..1000
kernel void if_else(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int r;
    if (a[i] > 0)
        r = a[i] * 3;
    else if (a[i] & 1)
        r = -a[i];
    else
        r = out[i] = 5;
    out[i] = r;
}

// @ if_only io:int:1 in:int:1
kernel void if_only(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    if (a[i] & 4)
        out[i] = a[i];
}

// @ nested_if out:int:1 in:int:1 in:int:1
kernel void nested_if(global int *out, global const int *a,
                      global const int *b)
{
    const int i = get_global_id(0);
    int r = 1;
    if (a[i] & 1) {
        r = b[i] & 0xff;
        if (a[i] & 2) {
            r += a[i] & 0x1f;
            if (b[i] & 4)
                r *= 3;
            else
                r -= 100;
        } else if (b[i] & 8) {
            r ^= 0x55;
        }
    }
    out[i] = r;
}

// @ for_bound out:int:1 in:int:1:0..40
kernel void for_bound(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int s = 0;
    for (int k = 0; k < a[i]; k++)
        s += k * k ^ i;
    out[i] = s;
}

// @ do_while out:uint:1 in:uint:1
kernel void do_while(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i] | 1, n = 0;
    do {
        v = v * 1664525u + 1013904223u;
        n++;
    } while ((v >> 28) != 3 && n < 100);
    out[i] = v + n;
}

// @ while_break out:int:1 in:uint:1
kernel void while_break(global int *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    int n = 0;
    while (true) {
        if ((v & 15) == 7 || n == 64)
            break;
        v = (v >> 1) + n;
        n++;
    }
    out[i] = n * 1000 + (int)(v & 15);
}

// @ loop_continue out:int:1 in:int:1
kernel void loop_continue(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int s = 0;
    for (int k = 0; k < 32; k++) {
        if (!(a[i] >> k & 1))
            continue;
        s = s * 3 + k;
        if (s > 100000)
            s -= 99999;
    }
    out[i] = s;
}

// @ break_continue out:int:1 in:int:1
kernel void break_continue(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int s = 0;
    for (int k = 0; k < 50; k++) {
        if ((a[i] + k) % 7 == 0)
            continue;
        if ((a[i] ^ k) % 31 == 5)
            break;
        s += k;
    }
    out[i] = s;
}

// @ nested_loops out:int:1 in:int:1:1..12 in:int:1:1..12
kernel void nested_loops(global int *out, global const int *a,
                         global const int *b)
{
    const int i = get_global_id(0);
    int s = 0;
    for (int x = 0; x < a[i]; x++)
        for (int y = x; y < b[i]; y += 2)
            for (int z = 0; z < (x ^ y) % 5; z++)
                s += x * y + z;
    out[i] = s;
}

// @ early_return io:int:1 in:int:1 val:int:100
kernel void early_return(global int *out, global const int *a, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    if (a[i] < 0)
        return;
    int r = a[i] & 0xffff;
    for (int k = 0; k < 8; k++) {
        if (r % 13 == 4)
            return;
        r = r / 2 + k;
    }
    out[i] = r;
}

// @ big_switch io:int:1 in:int:1
kernel void big_switch(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    const int x = a[i] & 0xfff;
    int r = 0;
    switch (a[i] >> 12 & 15) {
    case 0: r = x + 1; break;
    case 1: r = x - 1; break;
    case 2: r = x * 2; break;
    case 3: r = x / 3; break;
    case 4: r = x % 5; break;
    case 5: r = x << 3; break;
    case 6: r = x >> 2; break;
    case 7: r = x & 0x55;  /* falls through */
    case 8: r |= 0x100; break;
    case 9: r = -x; break;
    case 10: r = ~x; break;
    case 11: r = x ^ 0xabc; break;
    case 13: return;
    default: r = 7;
    }
    out[i] = r;
}

// @ switch_in_loop out:int:1 in:uint:1
kernel void switch_in_loop(global int *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    int acc = 0;
    for (int k = 0; k < 12; k++, v >>= 2) {
        switch (v & 3) {
        case 0: acc += 3; continue;
        case 1: acc *= 2; break;
        case 2: acc -= k; break;
        case 3: if (acc > 40) goto done; acc += 10;
        }
        acc++;
    }
done:
    out[i] = acc;
}

// @ goto_web out:int:1 in:uint:1
kernel void goto_web(global int *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    int n = 0;
start:
    if (++n > 40)
        goto end;
    if (v & 1)
        goto odd;
    v >>= 1;
    if (v & 2)
        goto start;
    v += 5;
    goto start;
odd:
    v = v * 3 + 1;
    if (v > 0x40000000u)
        goto end;
    if (n & 4)
        goto start;
    v ^= 0x10;
    goto start;
end:
    out[i] = (int)v + n;
}

// @ short_circuit out:int:1 in:int:1:-50..50 in:int:1:-50..50
kernel void short_circuit(global int *out, global const int *a,
                          global const int *b)
{
    const int i = get_global_id(0);
    out[i] = (a[i] > 0 && b[i] / a[i] > 1) ||
             (b[i] < 0 && (a[i] ^ b[i]) & 1) ? 10 : 20;
}

// @ uniform_branch out:int:1 in:int:1 val:int:3
kernel void uniform_branch(global int *out, global const int *a, int mode)
{
    const int i = get_global_id(0);
    if (mode == 1)
        out[i] = a[i];
    else if (mode > 2)
        out[i] = ~a[i];
    else
        out[i] = 0;
}

// @ uniform_loop out:int:1 in:int:1 val:int:9
kernel void uniform_loop(global int *out, global const int *a, int n)
{
    const int i = get_global_id(0);
    int s = 0;
    for (int k = 0; k < n; k++)
        s = s * 5 + (a[i] >> k);
    out[i] = s;
}

// @ loop_carried_flags out:int:1 in:int:1
kernel void loop_carried_flags(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    bool seen = false, twice = false;
    int at = -1;
    for (int k = 0; k < 30; k++) {
        const bool hit = (a[i] >> k & 7) == 5;
        twice |= hit && seen;
        if (hit && !seen)
            at = k;
        seen |= hit;
    }
    out[i] = at + 100 * twice;
}

// @ break_two_levels out:int:1 in:int:1
kernel void break_two_levels(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int found = -1;
    for (int x = 0; x < 10 && found < 0; x++)
        for (int y = 0; y < 10; y++)
            if (((a[i] & 0x3ff) + x * 17 + y * 5) % 97 == 3) {
                found = x * 10 + y;
                break;
            }
    out[i] = found;
}

// @ gcd out:uint:1 in:uint:1:1..100000 in:uint:1:1..100000
kernel void gcd(global uint *out, global const uint *a, global const uint *b)
{
    const int i = get_global_id(0);
    uint x = a[i], y = b[i];
    while (y) {
        const uint t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}

// @ binary_search out:int:1 in:int:128!:0..10000 in:int:1:0..10000
kernel void binary_search(global int *out, global const int *table,
                          global const int *key)
{
    const int i = get_global_id(0);
    int lo = 0, hi = 128;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (table[mid] < key[i])
            lo = mid + 1;
        else
            hi = mid;
    }
    out[i] = lo;
}

// @ mandelbrot out:int:1 val:float:0.03125 ulp=0 local=8,4 global=32,8
kernel void mandelbrot(global int *out, float step)
{
#pragma OPENCL FP_CONTRACT OFF
    const int x = get_global_id(0), y = get_global_id(1);
    const float cr = x * step * 3.0f - 2.0f, ci = y * step * 8.0f - 1.0f;
    float zr = 0, zi = 0;
    int n = 0;
    while (n < 60 && zr * zr + zi * zi < 4.0f) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}
