/* SPDX-License-Identifier: Apache-2.0 */
/* Small whole algorithms: the mixtures that compilers meet. */
// @variant wide: -cl-intel-256-GRF-per-thread
// @variant far: -cl-intel-greater-than-4GB-buffer-required
#pragma OPENCL FP_CONTRACT OFF

// @ xorshift out:uint:4 in:uint:1:1..1000000000
kernel void xorshift(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    for (int k = 0; k < 4; k++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
        out[4 * i + k] = v;
    }
}

// @ splitmix out:ulong:1 in:ulong:1
kernel void splitmix(global ulong *out, global const ulong *a)
{
    const int i = get_global_id(0);
    ulong z = a[i] + 0x9e3779b97f4a7c15UL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    out[i] = z ^ z >> 31;
}

// @ stencil out:int:1 in:int:1:-1000..1000 val:int:n
kernel void stencil(global int *out, global const int *a, int n)
{
    const int i = get_global_id(0);
    const int left = i > 0 ? a[i - 1] : 0, right = i < n - 1 ? a[i + 1] : 0;
    out[i] = left - 2 * a[i] + right;
}

// @ stencil_2d out:float:1 in:float:1:-8..8 local=8,4 global=32,16
kernel void stencil_2d(global float *out, global const float *a)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_global_size(0), h = get_global_size(1);
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int u = x + dx, v = y + dy;
            if (u >= 0 && u < w && v >= 0 && v < h)
                s = s + a[v * w + u] * (dx == 0 && dy == 0 ? 8.0f : -1.0f);
        }
    out[y * w + x] = s;
}

// @ matmul out:float:1 in:float:1:-4..4 in:float:1:-4..4 local=8,4 global=16,16
kernel void matmul(global float *c, global const float *a,
                   global const float *b)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < 16; k++)
        s = fma(a[y * 16 + k], b[k * 16 + x], s);
    c[y * 16 + x] = s;
}

// @ matmul_int8 out:int:1 in:char:4 in:char:4
kernel void matmul_int8(global int *c, global const char *a,
                        global const char *b)
{
    const int i = get_global_id(0), row = i / 16, col = i % 16;
    int s = 0;
    for (int k = 0; k < 16; k++)
        s += a[row * 16 + k] * b[col * 16 + k];
    c[i] = s;
}

// @ nbody out:float4:1 in:float4:1:-4..4 ulp=4096
kernel void nbody(global float4 *out, global const float4 *p)
{
    const int i = get_global_id(0), n = get_global_size(0);
    float3 acc = 0;
    for (int k = 0; k < n; k++) {
        const float3 d = p[k].xyz - p[i].xyz;
        const float r = native_rsqrt(dot(d, d) + 0.01f);
        acc += d * (r * r * r);
    }
    out[i] = (float4)(acc, 1.0f);
}

// @ complex_multiply out:float2:1 in:float2:1 in:float2:1
kernel void complex_multiply(global float2 *out, global const float2 *a,
                             global const float2 *b)
{
    const int i = get_global_id(0);
    out[i] = (float2)(a[i].x * b[i].x - a[i].y * b[i].y,
                      a[i].x * b[i].y + a[i].y * b[i].x);
}

// @ butterfly8 out:float2:8 in:float2:8:-8..8
kernel void butterfly8(global float2 *out, global const float2 *a)
{
    const int i = get_global_id(0);
    float2 v[8];
    for (int k = 0; k < 8; k++)
        v[k] = a[8 * i + k];
    for (int d = 4; d > 0; d /= 2)
        for (int k = 0; k < 8; k++)
            if (!(k & d)) {
                const float2 s = v[k] + v[k + d], t = v[k] - v[k + d];
                v[k] = s;
                v[k + d] = (float2)(t.y, -t.x);
            }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = v[k];
}

// @ bitonic_step io:int:1
kernel void bitonic_step(global int *out)
{
    local int s[32];
    const int l = get_local_id(0), i = get_global_id(0);
    s[l] = out[i];
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const int p = l ^ j;
            if (p > l && (s[l] > s[p]) == ((l & k) == 0)) {
                const int t = s[l];
                s[l] = s[p];
                s[p] = t;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[l];
}

// @ rgb_to_gray out:uchar:1 in:uchar4:1
kernel void rgb_to_gray(global uchar *out, global const uchar4 *a)
{
    const int i = get_global_id(0);
    out[i] = (uchar)((a[i].x * 77 + a[i].y * 150 + a[i].z * 29) >> 8);
}

// @ quantize out:char:4 in:float4:1 val:float:0.5 val:int:3
kernel void quantize(global char *out, global const float4 *a, float scale,
                     int zero)
{
    const int i = get_global_id(0);
    vstore4(convert_char4_sat_rte(a[i] * scale + (float)zero), i, out);
}

// @ string_length out:int:1 in:uchar:16
kernel void string_length(global int *out, global const uchar *a)
{
    const int i = get_global_id(0);
    int n = 0;
    while (n < 16 && a[16 * i + n] >= 16)
        n++;
    out[i] = n;
}

// @ adler out:uint:1 in:uchar:16
kernel void adler(global uint *out, global const uchar *a)
{
    const int i = get_global_id(0);
    uint x = 1, y = 0;
    for (int k = 0; k < 16; k++) {
        x = (x + a[16 * i + k]) % 65521;
        y = (y + x) % 65521;
    }
    out[i] = y << 16 | x;
}

// @ sha_rounds out:uint:2 in:uint:8
kernel void sha_rounds(global uint *out, global const uint *w)
{
    const int i = get_global_id(0);
    uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (int k = 0; k < 8; k++) {
        const uint t = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) +
                       ((e & f) ^ (~e & g)) + w[8 * i + k];
        const uint u = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) +
                       ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t;
        d = c, c = b, b = a, a = t + u;
    }
    out[2 * i] = a ^ e;
    out[2 * i + 1] = b ^ f;
}

// @ multiply_128 out:ulong:2 in:ulong:1 in:ulong:1
kernel void multiply_128(global ulong *out, global const ulong *a,
                         global const ulong *b)
{
    const int i = get_global_id(0);
    out[2 * i] = a[i] * b[i];
    out[2 * i + 1] = mul_hi(a[i], b[i]);
}

// @ add_128 out:ulong:2 in:ulong:2 in:ulong:2
kernel void add_128(global ulong *out, global const ulong *a,
                    global const ulong *b)
{
    const int i = get_global_id(0);
    const ulong low = a[2 * i] + b[2 * i];
    out[2 * i] = low;
    out[2 * i + 1] = a[2 * i + 1] + b[2 * i + 1] + (low < a[2 * i]);
}

// @ power_mod out:uint:1 in:uint:1:2..30000 in:uint:1:1..65535
kernel void power_mod(global uint *out, global const uint *a,
                      global const uint *b)
{
    const int i = get_global_id(0);
    uint r = 1, x = a[i] % 40961;
    for (uint e = b[i]; e; e >>= 1) {
        if (e & 1)
            r = (uint)((ulong)r * x % 40961);
        x = (uint)((ulong)x * x % 40961);
    }
    out[i] = r;
}

// @ fixed_point out:int:2 in:int:1:-100000..100000 in:int:1:-100000..100000
kernel void fixed_point(global int *out, global const int *a,
                        global const int *b)
{
    const int i = get_global_id(0);
    out[2 * i] = (int)(((long)a[i] * b[i]) >> 16);
    out[2 * i + 1] = mad24(a[i] >> 6, b[i] >> 6, 11) + mul24(a[i] >> 6, 1234);
}
