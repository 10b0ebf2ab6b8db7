/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the protocols of coded aggregation share: parameters of codes, and from values to a tree. */
#ifndef LAGGARD_ALGORITHMS_CODED_H
#define LAGGARD_ALGORITHMS_CODED_H

#include "sim/gradient/tree-run.h"

/* Parameters of a code; `first` is the index of the first of them. */
enum laggard_coded_parameter {
    LAGGARD_CODED_STRAGGLERS,
    LAGGARD_CODED_CODE,
    LAGGARD_CODED_STOP,
    LAGGARD_CODED_DECODE,
    LAGGARD_CODED_COPIES,
    LAGGARD_CODED_COLLECT,
    LAGGARD_CODED_LATE,
    LAGGARD_CODED_CANDIDATES,
    LAGGARD_N_CODED
};
#define LAGGARD_CODED_PARAMETERS(first)                                                            \
    [(first) +                                                                                     \
        LAGGARD_CODED_STRAGGLERS] = {.name = "stragglers",                                         \
                                     .help = "late children that each parent must survive",        \
                                     .type = LAGGARD_INTEGER,                                      \
                                     .default_text = "1",                                          \
                                     .max = UINT32_MAX - 1},                                       \
        [(first) + LAGGARD_CODED_CODE] = {.name = "code",                                          \
                                          .help =                                                  \
                                              "how gradients are combined; auto: fractional "      \
                                              "where stragglers + 1 divides the children, else "   \
                                              "mds for few, else cyclic",                          \
                                          .type = LAGGARD_CHOICE,                                  \
                                          .default_text = "auto",                                  \
                                          .choices = LAGGARD_CODED_CHOICES},                       \
        [(first) + LAGGARD_CODED_STOP] = {.name = "stop",                                          \
                                          .help =                                                  \
                                              "a parent stops when what has come can be decoded, " \
                                              "or when all but stragglers have come",              \
                                          .type = LAGGARD_CHOICE,                                  \
                                          .default_text = "decodable",                             \
                                          .choices = "decodable|count"},                           \
        [(first) + LAGGARD_CODED_DECODE] = {.name = "decode",                                      \
                                            .help =                                                \
                                                "by an approximate code's own rule, or by least "  \
                                                "squares",                                         \
                                            .type = LAGGARD_CHOICE,                                \
                                            .default_text = "rule",                                \
                                            .choices = "rule|least-squares"},                      \
        [(first) + LAGGARD_CODED_COPIES] = {.name = "copies",                                      \
                                            .help = "of each part, of codes that let one choose; " \
                                                    "auto: stragglers + 1",                        \
                                            .type = LAGGARD_COUNT,                                 \
                                            .default_text = "auto",                                \
                                            .min = 1,                                              \
                                            .max = UINT32_MAX - 1},                                \
        [(first) +                                                                                 \
            LAGGARD_CODED_COLLECT] = {.name = "collect",                                           \
                                      .help = "messages after which an approximate code stops; "   \
                                              "auto: all but stragglers",                          \
                                      .type = LAGGARD_COUNT,                                       \
                                      .default_text = "auto",                                      \
                                      .min = 1,                                                    \
                                      .max = UINT32_MAX - 1},                                      \
        [(first) +                                                                                 \
            LAGGARD_CODED_LATE] = {.name = "late",                                                 \
                                   .help = "how often a worker is late, under code stochastic",    \
                                   .type = LAGGARD_SHARE,                                          \
                                   .default_text = ""},                                            \
        [(first) + LAGGARD_CODED_CANDIDATES] = {                                                   \
            .name = "candidates",                                                                  \
            .help = "random codes to take the best of; auto: 1 without real gradients",            \
            .type = LAGGARD_COUNT,                                                                 \
            .default_text = "auto",                                                                \
            .min = 1,                                                                              \
            .max = 10000}

/* Parameters of the shape: of a star (for laggard_coded_workers), of a tree (for
 * laggard_coded_degree). */
#define LAGGARD_CODED_WORKERS                                                                      \
    {                                                                                              \
        .name = "workers", .help = "GPUs 0 .. workers - 1; auto: all", .type = LAGGARD_COUNT,      \
        .default_text = "auto", .min = 1, .max = 1 << 20                                           \
    }
#define LAGGARD_CODED_DEGREE                                                                       \
    {                                                                                              \
        .name = "degree",                                                                          \
        .help = "children of each parent; auto: as many as the GPUs suffice for",                  \
        .type = LAGGARD_COUNT, .default_text = "auto", .min = 1, .max = 1 << 20                    \
    }
#define LAGGARD_CODED_DEPTH                                                                        \
    {                                                                                              \
        .name = "depth", .help = "layers of workers below the master; 1 is a star",                \
        .type = LAGGARD_INTEGER, .default_text = "2", .min = 1, .max = 64                          \
    }

/* "auto", then the codes of codes.def in their order; a test compares. */
#define LAGGARD_CODED_CHOICES                                                                      \
    "auto|bernoulli|cyclic|erasure-head|fractional|ignore|mds|partial|regular|stochastic"

/* A tree with its code, owned. */
struct laggard_coded {
    struct lag_tree_setup setup;
    lag_code *code;
};

/* A tree of a shape and the code that values[0 .. LAGGARD_N_CODED - 1] say; false with
 * LAGGARD_ERROR_INPUT. */
bool laggard_coded_init(struct laggard_coded *coded, uint32_t degree, uint32_t depth,
                        const double *values, const struct lag_protocol_run *run, GError **error);

/* A tree that waits for all: no code. */
bool laggard_coded_init_plain(struct laggard_coded *coded, uint32_t degree, uint32_t depth,
                              const struct lag_protocol_run *run, GError **error);
void laggard_coded_clear(struct laggard_coded *coded);

/* A protocol's check and run, from how it makes its tree (which leaves nothing where it fails). */
typedef bool (*laggard_coded_make)(struct laggard_coded *coded, const struct lag_protocol_run *run,
                                   GError **error);
bool laggard_coded_check(laggard_coded_make make, const struct lag_protocol_run *run,
                         GError **error);
bool laggard_coded_run(laggard_coded_make make, const struct lag_protocol_run *run,
                       struct lag_protocol_outcome *outcome, GError **error);

/* The workers of a star: as many as a COUNT parameter says, or all GPUs. */
uint32_t laggard_coded_workers(double value, const struct lag_protocol_run *run);

/* The degree of a tree: as a COUNT parameter says, or the largest that the GPUs suffice for. */
uint32_t laggard_coded_degree(double value, uint32_t depth, const struct lag_protocol_run *run);

#endif
