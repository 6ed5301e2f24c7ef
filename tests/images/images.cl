// SPDX-License-Identifier: Apache-2.0
// Every way to read, write and ask about an image, for each kind of image. The
// host puts READ (f, i, ui), KIND (1d, 2d_array ...), DIMS (coordinates) and
// TYPE (float4, int4, uint4) before it. at: a coordinate an item, or texels.
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define IMAGE PASTE(PASTE(image, KIND), _t)
#define READ_IMAGE PASTE(read_image, READ)
#define WRITE_IMAGE PASTE(write_image, READ)

#if DIMS == 1
#define WHOLE(v) (v).x
#define REAL(v) (v).x
#elif DIMS == 2
#define WHOLE(v) (v).xy
#define REAL(v) (v).xy
#else
#define WHOLE(v) (v)
#define REAL(v) (v)
#endif

kernel void fetch(read_only IMAGE image, global const int4 *at,
                  global TYPE *out)
{
    const size_t i = get_global_id(0);
    out[i] = READ_IMAGE(image, WHOLE(at[i]));
}

#ifndef NO_WRITE
kernel void store(write_only IMAGE image, global const int4 *at,
                  global const TYPE *in)
{
    const size_t i = get_global_id(0);
    WRITE_IMAGE(image, WHOLE(at[i]), in[i]);
}
#endif

#ifdef RENEW
// Reads what the same item has just written.
kernel void renew(read_write IMAGE image, global const int4 *at,
                  global TYPE *out)
{
    const size_t i = get_global_id(0);
    const TYPE was = READ_IMAGE(image, WHOLE(at[i]));
    WRITE_IMAGE(image, WHOLE(at[i]), was.wzyx);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel,
                           memory_scope_work_item);
    out[i] = READ_IMAGE(image, WHOLE(at[i]));
}
#endif

#ifndef NO_SAMPLER
kernel void sample(read_only IMAGE image, sampler_t s, global const float4 *at,
                   global TYPE *out)
{
    const size_t i = get_global_id(0);
    out[i] = READ_IMAGE(image, s, REAL(at[i]));
}

// Whole coordinates through a sampler, and channels of which some are unused.
kernel void whole(read_only IMAGE image, sampler_t s, global const int4 *at,
                  global TYPE *out)
{
    const size_t i = get_global_id(0);
    const TYPE v = READ_IMAGE(image, s, WHOLE(at[i]));
    out[i] = (TYPE)(v.y, v.w, v.y, v.w);
}

// Lanes that part, and samplers that the program itself has.
constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE |
                          CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t around =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void parted(read_only IMAGE image, global const float4 *at,
                   global const int4 *texel, global TYPE *out)
{
    const size_t i = get_global_id(0);
    if (i % 3 == 1)
        out[i] = READ_IMAGE(image, around, REAL(at[i]));
    else
        out[i] = READ_IMAGE(image, near, WHOLE(texel[i]));
}
#endif

#if defined(HALVES) && !defined(NO_SAMPLER)
// Results of 16 bits.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(read_only IMAGE image, sampler_t s, global const float4 *at,
                   global TYPE *out)
{
    const size_t i = get_global_id(0);
    out[i] = convert_float4(read_imageh(image, s, REAL(at[i])));
}
#endif

kernel void extent(read_only IMAGE image, global int *out)
{
    out[0] = get_image_width(image);
#if DIMS > 1 && !defined(ELEMENTS_OF_ROWS)
    out[1] = get_image_height(image);
#endif
#ifdef DEEP
    out[2] = get_image_depth(image);
#endif
#ifdef ELEMENTS
    out[3] = (int)get_image_array_size(image);
#endif
    out[4] = get_image_channel_data_type(image);
    out[5] = get_image_channel_order(image);
}
