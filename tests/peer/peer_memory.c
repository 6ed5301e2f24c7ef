/* SPDX-License-Identifier: Apache-2.0 */
/* The library maps buffers; Debian's driver ends the program in that on xehpc
 * (docs/vgpu.md), so the GPU's memory is read and written by commands. */
#include <dnnl_ocl.h>
#include <stdlib.h>

#include "peer.h"

static bool is_gpu(const struct peer_arg *a)
{
    return !a->on->is_reference;
}

static bool copy(const struct peer_arg *a, void *p, bool write)
{
    const size_t size_b = dnnl_memory_desc_get_size(&a->md);
    cl_command_queue q;
    cl_mem m;
    if (dnnl_ocl_interop_stream_get_command_queue(a->on->stream, &q) !=
            dnnl_success ||
        dnnl_ocl_interop_memory_get_mem_object(a->memory, &m) != dnnl_success)
        return false;
    return (write ? clEnqueueWriteBuffer(q, m, CL_TRUE, 0, size_b, p, 0, NULL,
                                         NULL)
                  : clEnqueueReadBuffer(q, m, CL_TRUE, 0, size_b, p, 0, NULL,
                                        NULL)) == CL_SUCCESS;
}

void *peer_map(const struct peer_arg *a)
{
    void *p = NULL;
    if (!is_gpu(a))
        return dnnl_memory_map_data(a->memory, &p) == dnnl_success ? p : NULL;
    p = malloc(dnnl_memory_desc_get_size(&a->md) + 1);
    if (p && copy(a, p, false))
        return p;
    free(p);
    return NULL;
}

bool peer_unmap(const struct peer_arg *a, void *p, bool changed)
{
    if (!is_gpu(a))
        return dnnl_memory_unmap_data(a->memory, p) == dnnl_success;
    const bool ok = !changed || copy(a, p, true);
    free(p);
    return ok;
}
