/* SPDX-License-Identifier: Apache-2.0 */
/* matmul TYPE N [TRANSPOSED]: oneDNN multiplies two N x N matrices on the first
 * GPU: f32, f16, bf16 (into the same), or s8 (into s32). A is by rows, B too
 * or, transposed, by columns. Their contents are whatever the memory has: only
 * its time is wanted (tests/timing/published.py). Prints the implementation. */
#include <dnnl_ocl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(dnnl_status_t s, const char *what)
{
    if (s == dnnl_success)
        return;
    fprintf(stderr, "matmul: %s: %d\n", what, (int)s);
    exit(s == dnnl_unimplemented ? 77 : 1);
}

static const struct {
    const char *word;
    dnnl_data_type_t a, c;
} types[] = {{"f32", dnnl_f32, dnnl_f32},
             {"f16", dnnl_f16, dnnl_f16},
             {"bf16", dnnl_bf16, dnnl_bf16},
             {"s8", dnnl_s8, dnnl_s32}};

static dnnl_memory_desc_t matrix(long n, dnnl_data_type_t type,
                                 dnnl_format_tag_t tag)
{
    const dnnl_dims_t dims = {n, n};
    dnnl_memory_desc_t md;
    demand(dnnl_memory_desc_init_by_tag(&md, 2, dims, type, tag), "descriptor");
    return md;
}

/* Zeroed by a command: the library would map it. */
static dnnl_memory_t memory(const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                            cl_command_queue q)
{
    const unsigned char zero = 0;
    dnnl_memory_t m;
    cl_mem buffer;
    demand(dnnl_memory_create(&m, md, engine, DNNL_MEMORY_ALLOCATE), "memory");
    demand(dnnl_ocl_interop_memory_get_mem_object(m, &buffer), "its buffer");
    if (clEnqueueFillBuffer(q, buffer, &zero, 1, 0,
                            dnnl_memory_desc_get_size(md), 0, NULL,
                            NULL) != CL_SUCCESS)
        demand(dnnl_runtime_error, "clEnqueueFillBuffer");
    return m;
}

static void multiply(const dnnl_memory_desc_t md[3], dnnl_engine_t engine,
                     dnnl_stream_t stream)
{
    static const int names[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[3];
    cl_command_queue q;
    const char *name = "";
    demand(dnnl_matmul_desc_init(&desc, &md[0], &md[1], NULL, &md[2]), "desc");
    demand(dnnl_primitive_desc_create(&pd, &desc, NULL, engine, NULL),
           "matmul");
    demand(dnnl_primitive_create(&primitive, pd), "primitive");
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    puts(name);
    demand(dnnl_ocl_interop_stream_get_command_queue(stream, &q), "queue");
    for (int k = 0; k < 3; k++)
        args[k] = (dnnl_exec_arg_t){names[k], memory(&md[k], engine, q)};
    demand(dnnl_primitive_execute(primitive, stream, 3, args), "execute");
    demand(dnnl_stream_wait(stream), "wait");
    for (int k = 0; k < 3; k++)
        dnnl_memory_destroy(args[k].memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

int main(int argc, char **argv)
{
    const long n = argc > 2 ? atol(argv[2]) : 0;
    const bool transposed = argc > 3 && !strcmp(argv[3], "transposed");
    size_t t = 0;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    while (t < 4 && argc > 1 && strcmp(types[t].word, argv[1]) != 0)
        t++;
    if (n < 1 || t == 4 || argc > 4 || (argc == 4 && !transposed)) {
        fprintf(stderr, "usage: matmul f32|f16|bf16|s8 N [transposed]\n");
        return 2;
    }
    demand(dnnl_engine_create(&engine, dnnl_gpu, 0), "engine");
    demand(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags),
           "stream");
    const dnnl_memory_desc_t md[3] = {
        matrix(n, types[t].a, dnnl_ab),
        matrix(n, types[t].a, transposed ? dnnl_ba : dnnl_ab),
        matrix(n, types[t].c, dnnl_ab)};
    multiply(md, engine, stream);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return 0;
}
