/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `cluster.gpus:` and `cluster.gpu_types:` what computes. */
#ifndef LAGGARD_SCENARIOS_GPUS_H
#define LAGGARD_SCENARIOS_GPUS_H

#include "scenarios/draft.h"

/* GPUs of one kind, at successive ranks. */
struct lag_gpu_class {
    uint64_t count;
    double speed;              /* divides the compute time */
    const char *name;          /* as written, or NULL */
    const struct lag_gpu *gpu; /* the draft's catalogue's, or NULL */
    const char *calibration;   /* a database instead, or NULL; */
    const char *device;        /* which of its devices, NULL: the only one */
    double spread;             /* standard deviation of a GPU's compute time over its mean */
    double samples_per_s;      /* 0: not given */
    double adding;             /* received data to its own [B/s]; 0: takes no time */
    bool adding_calibrated;    /* as its calibration has it, instead */
    uint64_t batch;            /* samples of one GPU in a step; 0: the workload says */
    struct lag_place place;
};

/* The forms and readers (`into` is the draft): types go to its catalogue, classes to its list. */
extern const struct lag_form lag_form_gpus, lag_form_gpu_types;
bool lag_read_gpus(const struct lag_at *at, void *into, GError **error);
bool lag_read_gpu_types(const struct lag_at *at, void *into, GError **error);

/* The file of a class's calibration, as an item of cluster.gpus at *entry names it: true where it
 * names one, in *ret (whose node is the name). */
bool lag_gpus_calibration(const struct lag_at *entry, struct lag_at *ret);

/* Gives the scenario's network the times in which GPUs add; false with LAGGARD_ERROR_INPUT. */
bool lag_gpus_add(const struct lag_at *cluster, struct lag_draft *draft, GError **error);

/* Appends an entry to the draft's stragglers for each class with a spread. */
void lag_gpus_spread(struct lag_draft *draft);

/* Each rank's own compute as the time of one sample, for a workload of training: 1 / samples_per_s of
 * its class, or what workload.compute says. */
bool lag_gpus_time_samples(const struct lag_at *workload, struct lag_draft *draft, GError **error);

#endif
