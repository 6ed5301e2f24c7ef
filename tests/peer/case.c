/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the table. The words are benchdnn's of that version where it has
 * them; every option stands in its line, none lasts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

struct word {
    const char *name;
    int value;
};

static const struct word op_names[] = {{"conv", PEER_CONV},
                                       {"deconv", PEER_DECONV},
                                       {"ip", PEER_IP},
                                       {"matmul", PEER_MATMUL},
                                       {"pool", PEER_POOL},
                                       {"eltwise", PEER_ELTWISE},
                                       {"softmax", PEER_SOFTMAX},
                                       {"bnorm", PEER_BNORM},
                                       {"lnorm", PEER_LNORM},
                                       {"lrn", PEER_LRN},
                                       {"reduction", PEER_REDUCTION},
                                       {"binary", PEER_BINARY},
                                       {"concat", PEER_CONCAT},
                                       {"sum", PEER_SUM},
                                       {"shuffle", PEER_SHUFFLE},
                                       {"prelu", PEER_PRELU},
                                       {"resampling", PEER_RESAMPLING},
                                       {"reorder", PEER_REORDER},
                                       {NULL, 0}};

static const struct word type_names[] = {
    {"f32", dnnl_f32}, {"f16", dnnl_f16}, {"bf16", dnnl_bf16},
    {"s32", dnnl_s32}, {"s8", dnnl_s8},   {"u8", dnnl_u8},
    {NULL, 0}};

/* These make whole numbers out of whole numbers. */
static const struct word exact_algs[] = {
    {"relu", dnnl_eltwise_relu},
    {"abs", dnnl_eltwise_abs},
    {"square", dnnl_eltwise_square},
    {"linear", dnnl_eltwise_linear},
    {"brelu", dnnl_eltwise_bounded_relu},
    {"clip", dnnl_eltwise_clip},
    {"clip_v2", dnnl_eltwise_clip_v2},
    {"round", dnnl_eltwise_round},
    {"relu_dst", dnnl_eltwise_relu_use_dst_for_bwd},
    {NULL, 0}};

static const struct word other_algs[] = {
    {"tanh", dnnl_eltwise_tanh},
    {"elu", dnnl_eltwise_elu},
    {"sqrt", dnnl_eltwise_sqrt},
    {"srelu", dnnl_eltwise_soft_relu},
    {"logistic", dnnl_eltwise_logistic},
    {"exp", dnnl_eltwise_exp},
    {"gelu_tanh", dnnl_eltwise_gelu_tanh},
    {"gelu_erf", dnnl_eltwise_gelu_erf},
    {"swish", dnnl_eltwise_swish},
    {"log", dnnl_eltwise_log},
    {"pow", dnnl_eltwise_pow},
    {"hardswish", dnnl_eltwise_hardswish},
    {"logsigmoid", dnnl_eltwise_logsigmoid},
    {"mish", dnnl_eltwise_mish},
    {"sqrt_dst", dnnl_eltwise_sqrt_use_dst_for_bwd},
    {"exp_dst", dnnl_eltwise_exp_use_dst_for_bwd},
    {"max", dnnl_pooling_max},
    {"avg_p", dnnl_pooling_avg_include_padding},
    {"avg_np", dnnl_pooling_avg_exclude_padding},
    {"SOFTMAX", dnnl_softmax_accurate},
    {"LOGSOFTMAX", dnnl_softmax_log},
    {"ACROSS", dnnl_lrn_across_channels},
    {"WITHIN", dnnl_lrn_within_channel},
    {"nearest", dnnl_resampling_nearest},
    {"bilinear", dnnl_resampling_linear},
    {"direct", dnnl_convolution_direct},
    {NULL, 0}};

static const struct word binary_algs[] = {{"add", dnnl_binary_add},
                                          {"mul", dnnl_binary_mul},
                                          {"max", dnnl_binary_max},
                                          {"min", dnnl_binary_min},
                                          {"div", dnnl_binary_div},
                                          {"sub", dnnl_binary_sub},
                                          {"ge", dnnl_binary_ge},
                                          {"gt", dnnl_binary_gt},
                                          {"le", dnnl_binary_le},
                                          {"lt", dnnl_binary_lt},
                                          {"eq", dnnl_binary_eq},
                                          {"ne", dnnl_binary_ne},
                                          {NULL, 0}};

static const struct word reduction_algs[] = {
    {"max", dnnl_reduction_max},
    {"min", dnnl_reduction_min},
    {"sum", dnnl_reduction_sum},
    {"mul", dnnl_reduction_mul},
    {"mean", dnnl_reduction_mean},
    {"norm_lp_max", dnnl_reduction_norm_lp_max},
    {"norm_lp_sum", dnnl_reduction_norm_lp_sum},
    {"norm_lp_power_p_max", dnnl_reduction_norm_lp_power_p_max},
    {"norm_lp_power_p_sum", dnnl_reduction_norm_lp_power_p_sum},
    {NULL, 0}};

static const struct word dir_names[] = {
    {"FWD_B", PEER_FWD},           {"FWD_D", PEER_FWD},
    {"FWD_I", PEER_FWD_INFERENCE}, {"BWD_D", PEER_BWD_D},
    {"BWD_W", PEER_BWD_W},         {"BWD_WB", PEER_BWD_W},
    {"BWD_DW", PEER_BWD_W},        {NULL, 0}};

static bool look_up(const struct word *w, const char *name, size_t n, int *out)
{
    for (; w->name; w++)
        if (strlen(w->name) == n && !memcmp(w->name, name, n)) {
            *out = w->value;
            return true;
        }
    return false;
}

bool peer_alg_is_exact(dnnl_alg_kind_t alg)
{
    for (const struct word *w = exact_algs; w->name; w++)
        if (w->value == (int)alg)
            return true;
    return false;
}

static const char *read_alg(struct peer_case *c, const char *v)
{
    int alg;
    const size_t n = strlen(v);
    const bool known = c->op == PEER_BINARY ? look_up(binary_algs, v, n, &alg)
                       : c->op == PEER_REDUCTION
                           ? look_up(reduction_algs, v, n, &alg)
                           : look_up(exact_algs, v, n, &alg) ||
                                 look_up(other_algs, v, n, &alg);
    if (!known)
        return "an unknown --alg";
    c->alg = (dnnl_alg_kind_t)alg;
    return NULL;
}

static const char *read_type(const char *v, size_t n, dnnl_data_type_t *out)
{
    int t;
    if (!look_up(type_names, v, n, &t))
        return "an unknown type";
    *out = (dnnl_data_type_t)t;
    return NULL;
}

/* One type for all, SRC:DST or SRC:WEI:DST. */
static const char *read_types(struct peer_case *c, const char *v)
{
    dnnl_data_type_t t[3];
    unsigned n = 0;
    for (const char *end; n < 3; v = end + 1) {
        end = v + strcspn(v, ":");
        if (read_type(v, (size_t)(end - v), &t[n++]))
            return "an unknown --dt";
        if (!*end)
            break;
        if (n == 3)
            return "more than three types";
    }
    c->src = t[0];
    c->wei = n == 3 ? t[1] : t[0];
    c->dst = t[n - 1];
    return NULL;
}

static const char *read_mask(const char *v, size_t n, int *mask)
{
    static const struct word masks[] = {
        {"common", 0}, {"per_oc", 2}, {"per_tensor", -1}, {NULL, 0}};
    return look_up(masks, v, n, mask) ? NULL : "an unknown policy";
}

/* POLICY:VALUE */
static const char *read_oscale(struct peer_case *c, const char *v)
{
    const size_t n = strcspn(v, ":");
    if (v[n] != ':' || read_mask(v, n, &c->oscale_mask) || c->oscale_mask < 0)
        return "--attr-oscale";
    c->oscale = strtof(v + n + 1, NULL);
    return NULL;
}

/* ARG:POLICY:VALUE[*] joined by +; a star: given when it runs. */
static const char *read_zero_points(struct peer_case *c, const char *v)
{
    for (;;) {
        const int k = strncmp(v, "src:", 4) ? 1 : 0;
        if (k && strncmp(v, "dst:", 4))
            return "--attr-zero-points: src or dst";
        v += 4;
        const size_t n = strcspn(v, ":");
        if (v[n] != ':' || read_mask(v, n, &c->zp_mask[k]))
            return "--attr-zero-points: a policy";
        c->has_zp[k] = true;
        char *end;
        c->zp[k] = (int32_t)strtol(v + n + 1, &end, 10);
        c->zp_runtime |= *end == '*';
        v = *end == '*' ? end + 1 : end;
        if (!*v)
            return NULL;
        if (*v++ != '+')
            return "--attr-zero-points: +";
    }
}

/* The fields after a post-op's name. */
static const char *read_post_fields(struct peer_post_op *p, const char *f,
                                    const char *end)
{
    for (unsigned k = 0; f < end; k++) {
        const size_t n = strcspn(f, ":+");
        if (p->kind == PEER_BINARY_OP && k == 0) {
            if (read_type(f, n, &p->dt))
                return "a post-op's type";
        } else if (p->kind == PEER_BINARY_OP || p->kind == PEER_PRELU_OP) {
            if (read_mask(f, n, &p->mask))
                return "a post-op's policy";
        } else if (k == 0) {
            p->alpha = strtof(f, NULL);
        } else {
            p->beta = strtof(f, NULL);
        }
        f += n + 1;
    }
    return NULL;
}

static const char *read_post_ops(struct peer_case *c, const char *v)
{
    while (*v) {
        if (c->n_post == PEER_MAX_POST_OPS)
            return "too many post-ops";
        struct peer_post_op *const p = &c->post[c->n_post++];
        *p = (struct peer_post_op){.dt = dnnl_f32, .mask = 2};
        const size_t n = strcspn(v, ":+");
        int alg = 0;
        if (n == 3 && !memcmp(v, "sum", 3))
            *p = (struct peer_post_op){.kind = PEER_SUM_OP, .alpha = 1};
        else if (n == 5 && !memcmp(v, "prelu", 5))
            p->kind = PEER_PRELU_OP;
        else if (look_up(exact_algs, v, n, &alg) ||
                 (strncmp(v, "max", n) && look_up(other_algs, v, n, &alg)))
            p->kind = PEER_ELTWISE_OP;
        else if (look_up(binary_algs, v, n, &alg))
            p->kind = PEER_BINARY_OP;
        else
            return "an unknown post-op";
        p->alg = (dnnl_alg_kind_t)alg;
        const char *const end = v + strcspn(v, "+");
        const char *const why =
            v[n] == ':' ? read_post_fields(p, v + n + 1, end) : NULL;
        if (why)
            return why;
        v = *end ? end + 1 : end;
    }
    return NULL;
}

static const char *read_tag(char tag[16], const char *v)
{
    if (strlen(v) >= 16)
        return "a tag is too long";
    strcpy(tag, v);
    return NULL;
}

static const char *read_flags(struct peer_case *c, const char *v)
{
    for (; *v; v++)
        switch (*v) {
        case 'G':
            c->flags |= dnnl_use_global_stats;
            break;
        case 'S':
            c->flags |= dnnl_use_scaleshift;
            break;
        case 'C':
            c->flags |= dnnl_use_scale;
            break;
        case 'H':
            c->flags |= dnnl_use_shift;
            break;
        case 'R':
            c->flags |= dnnl_fuse_norm_relu;
            break;
        default:
            return "an unknown flag";
        }
    return NULL;
}

static const char *read_dir(struct peer_case *c, const char *v)
{
    int dir;
    if (!look_up(dir_names, v, strlen(v), &dir))
        return "an unknown --dir";
    c->dir = (enum peer_dir)dir;
    c->has_bias = !strcmp(v, "FWD_B") || !strcmp(v, "BWD_WB");
    return NULL;
}

static const char *read_option(struct peer_case *c, const char *name,
                               const char *v)
{
    if (!strcmp(name, "--dir"))
        return read_dir(c, v);
    if (!strcmp(name, "--dt"))
        return read_types(c, v);
    if (!strcmp(name, "--bia-dt"))
        return read_type(v, strlen(v), &c->bias);
    if (!strcmp(name, "--stag"))
        return read_tag(c->stag, v);
    if (!strcmp(name, "--wtag"))
        return read_tag(c->wtag, v);
    if (!strcmp(name, "--dtag"))
        return read_tag(c->dtag, v);
    if (!strcmp(name, "--alg"))
        return read_alg(c, v);
    if (!strcmp(name, "--flags"))
        return read_flags(c, v);
    if (!strcmp(name, "--attr-oscale"))
        return read_oscale(c, v);
    if (!strcmp(name, "--attr-zero-points"))
        return read_zero_points(c, v);
    if (!strcmp(name, "--attr-post-ops"))
        return read_post_ops(c, v);
    char *end;
    const float f = strtof(v, &end);
    if (!*v || *end)
        return "an unknown option or a number that is none";
    if (!strcmp(name, "--alpha"))
        c->alpha = f;
    else if (!strcmp(name, "--beta"))
        c->beta = f;
    else if (!strcmp(name, "--axis"))
        c->axis = (int)f;
    else if (!strcmp(name, "--group"))
        c->group = (long)f;
    else
        return "an unknown option";
    return NULL;
}

/* 2x16x7x7:2x16x1x1 */
static const char *read_shapes(struct peer_shape *s, unsigned *n, const char *v)
{
    *n = 0;
    while (*v) {
        if (*n == PEER_MAX_SHAPES)
            return "too many shapes";
        struct peer_shape *const x = &s[(*n)++];
        x->n = 0;
        for (;;) {
            char *end;
            const long d = strtol(v, &end, 10);
            if (end == v || d <= 0 || x->n == 6)
                return "a shape";
            x->d[x->n++] = d;
            v = end;
            if (*v != 'x')
                break;
            v++;
        }
        if (*v && *v++ != ':')
            return "a shape's end";
    }
    return *n ? NULL : "no shape";
}

/* i, o, k, s, d, p of depth, height, width; -1: not given. */
struct letters {
    long g, mb, ic, oc, v[6][3];
};

static const char *read_letters(struct letters *l, const char *v)
{
    static const char kinds[] = "ioksdp", places[] = "dhw";
    while (*v) {
        if (*v == '_') {
            v++;
            continue;
        }
        const size_t n = strspn(v, "gmbicodhwksp");
        char *end;
        const long value = strtol(v + n, &end, 10);
        if (!n || n > 2 || end == v + n || value < 0)
            return "a descriptor";
        const char *const what = n == 2 ? strchr(kinds, v[0]) : NULL;
        const char *const where = n == 2 ? strchr(places, v[1]) : NULL;
        if (n == 1 && *v == 'g')
            l->g = value;
        else if (n == 2 && !memcmp(v, "mb", 2))
            l->mb = value;
        else if (n == 2 && !memcmp(v, "ic", 2))
            l->ic = value;
        else if (n == 2 && !memcmp(v, "oc", 2))
            l->oc = value;
        else if (what && where)
            l->v[what - kinds][where - places] = value;
        else
            return "a descriptor's letter";
        v = end;
    }
    return NULL;
}

/* The first dimension of 3 that is there: height gives width, depth both. */
static int spread(struct letters *l)
{
    const int first = l->v[0][0] >= 0 ? 0 : l->v[0][1] >= 0 ? 1 : 2;
    if (l->v[0][2] < 0 && first < 2)
        for (int k = 0; k < 6; k++)
            for (int d = first + 1; d < 3; d++)
                l->v[k][d] = l->v[k][first];
    return l->v[0][2] < 0 ? 3 : first;
}

static long or_default(long v, long other)
{
    return v < 0 ? other : v;
}

/* Output and padding of one dimension; docs: descriptor of benchdnn. */
static const char *deduce(const struct peer_case *c, const struct letters *l,
                          int d, int at, struct peer_case *out)
{
    const long i = l->v[0][d], k = or_default(l->v[2][d], 1),
               s = or_default(l->v[3][d], 1), w = or_default(l->v[4][d], 0),
               full = (k - 1) * (w + 1) + 1;
    long o = l->v[1][d], p = l->v[5][d];
    const bool back = c->op == PEER_DECONV;
    if (i <= 0)
        return "no input size";
    if (o < 0) {
        p = or_default(p, 0);
        o = back ? (i - 1) * s + full - 2 * p : (i - full + 2 * p) / s + 1;
    }
    const long all = back ? (i - 1) * s + full - o : (o - 1) * s + full - i;
    if (p < 0)
        p = all / 2;
    out->stride[at] = s;
    out->dilate[at] = w;
    out->kernel[at] = k;
    out->pad_l[at] = p;
    out->pad_r[at] = all - p;
    out->src_s.d[at + 2] = i;
    out->dst_s.d[at + 2] = o;
    return o > 0 ? NULL : "no output size";
}

static void make_weights(struct peer_case *c, const struct letters *l)
{
    const long g = or_default(l->g, 1);
    int n = 0;
    c->has_groups = l->g >= 0;
    if (c->has_groups)
        c->wei_s.d[n++] = g;
    c->wei_s.d[n++] = l->oc / g;
    c->wei_s.d[n++] = l->ic / g;
    for (int k = 2; k < c->src_s.n; k++)
        c->wei_s.d[n++] = c->op == PEER_IP ? c->src_s.d[k] : c->kernel[k - 2];
    c->wei_s.n = n;
    c->bias_s = (struct peer_shape){1, {l->oc}};
}

static const char *read_spatial(struct peer_case *c, const char *v)
{
    struct letters l;
    memset(&l, 0xff, sizeof l);
    const char *why = read_letters(&l, v);
    if (why)
        return why;
    if (l.ic <= 0)
        return "no ic";
    l.mb = or_default(l.mb, 2);
    l.oc = or_default(l.oc, l.ic);
    const int first = spread(&l);
    c->src_s = (struct peer_shape){5 - first, {l.mb, l.ic}};
    c->dst_s = (struct peer_shape){5 - first, {l.mb, l.oc}};
    for (int d = first, at = 0; d < 3 && !why; d++, at++) {
        if (c->op == PEER_BNORM || c->op == PEER_LRN || c->op == PEER_IP)
            c->src_s.d[at + 2] = c->dst_s.d[at + 2] = l.v[0][d];
        else if (c->op == PEER_RESAMPLING) {
            c->src_s.d[at + 2] = l.v[0][d];
            c->dst_s.d[at + 2] = l.v[1][d];
        } else
            why = deduce(c, &l, d, at, c);
    }
    make_weights(c, &l);
    if (c->op == PEER_IP)
        c->dst_s.n = 2;
    return why;
}

static const char *read_plain(struct peer_case *c, const char *v)
{
    struct peer_shape s[PEER_MAX_SHAPES];
    unsigned n;
    const char *const why = read_shapes(s, &n, v);
    if (why)
        return why;
    c->n_in = n;
    memcpy(c->in_s, s, sizeof s);
    c->src_s = c->dst_s = s[0];
    c->wei_s = n > 1 ? s[1] : s[0];
    if (c->op == PEER_REDUCTION)
        c->dst_s = c->wei_s;
    if (c->op == PEER_CONCAT)
        for (unsigned k = 1; k < n; k++)
            c->dst_s.d[c->axis] += s[k].d[c->axis];
    if (c->op != PEER_MATMUL)
        return NULL;
    if (n != 2 || s[0].n != s[1].n)
        return "matmul: two shapes of as many dimensions";
    const int m = s[0].n;
    for (int k = 0; k < m - 2; k++)
        if (s[0].d[k] == 1)
            c->dst_s.d[k] = s[1].d[k];
    c->dst_s.d[m - 1] = s[1].d[m - 1];
    c->bias_s = (struct peer_shape){.n = m};
    for (int k = 0; k < m; k++)
        c->bias_s.d[k] = k == m - 1 ? c->dst_s.d[k] : 1;
    return NULL;
}

static const char *read_descriptor(struct peer_case *c, const char *v)
{
    switch (c->op) {
    case PEER_CONV:
    case PEER_DECONV:
    case PEER_IP:
    case PEER_POOL:
    case PEER_BNORM:
    case PEER_LRN:
    case PEER_RESAMPLING:
        return read_spatial(c, v);
    default:
        return read_plain(c, v);
    }
}

static void set_defaults(struct peer_case *c, const char *line)
{
    memset(c, 0, sizeof *c);
    c->line = line;
    c->src = c->wei = c->dst = dnnl_f32;
    c->axis = 1;
    c->group = 1;
    c->oscale_mask = -1;
    c->alg = dnnl_convolution_direct;
    strcpy(c->stag, "any");
    strcpy(c->wtag, "any");
    strcpy(c->dtag, "any");
}

const char *peer_case_read(struct peer_case *c, const char *line)
{
    static char words[1024];
    set_defaults(c, line);
    if (strlen(line) >= sizeof words)
        return "the line is too long";
    strcpy(words, line);
    char *state, *w = strtok_r(words, " ", &state);
    int op;
    if (!w || strncmp(w, "--", 2) ||
        !look_up(op_names, w + 2, strlen(w + 2), &op))
        return "an unknown primitive";
    c->op = (enum peer_op)op;
    const char *why = NULL;
    while ((w = strtok_r(NULL, " ", &state)) && !why) {
        char *const equals = strchr(w, '=');
        if (strncmp(w, "--", 2)) {
            why = read_descriptor(c, w);
            if (!why && strtok_r(NULL, " ", &state))
                why = "words behind the descriptor";
            return why;
        }
        if (!equals)
            return "an option without a value";
        *equals = 0;
        why = read_option(c, w, equals + 1);
    }
    return why ? why : "no descriptor";
}
