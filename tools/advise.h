/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard advise` works out: the exposed time of each algorithm under the delays of a trace,
 * step by step, and under draws from the laws fitted to it; which is best, and how sure that is. */
#ifndef LAGGARD_TOOLS_ADVISE_H
#define LAGGARD_TOOLS_ADVISE_H

#include "results/paired.h"
#include "tools/advise-delays.h"
#include "tools/advise-site.h"
#include "tools/break-even.h"

enum lag_delays_from {
    LAG_FROM_TRACE,
    LAG_FROM_LAWS,
    LAG_N_FROM
};

/* All borrowed. */
struct lag_question {
    const struct lag_measured *trace; /* the steps that count */
    const lag_trace_stats *stats;     /* of them */
    const lag_late_laws *laws;
    lag_site *site;
    char *const *algorithms; /* names, ends with NULL; NULL: all that do it at this rank count */
    uint64_t seed;
    uint32_t n_draws;
    lag_seconds step_time; /* NAN: not known */
};

/* An algorithm; one that has a late rank is two rows: whoever is missing, and a predicted rank. */
struct lag_advice_row {
    const struct laggard_algorithm *algorithm;
    char *label;
    uint32_t straggler; /* predicted, or LAGGARD_NONE */
    lag_plan *plan;
    lag_seconds *exposed[LAG_N_FROM];      /* [steps] */
    struct lag_estimate mean[LAG_N_FROM];  /* of exposed */
    struct lag_paired to_best[LAG_N_FROM]; /* n 0 for the best itself */
    struct lag_paired to_ring[LAG_N_FROM]; /* n 0 where there is no ring */
    double best_in;                        /* share of resamples of the steps */
};

/* (wrong - other) / (wrong - right): from this share of right predictions on StragglAR is faster.
 * NAN where right and wrong don't differ. */
struct lag_hit_rate {
    lag_seconds right, wrong, other, rate;
};

/* StragglAR with a predicted rank, against another row. */
struct lag_rival {
    uint32_t row;
    struct lag_break_even even;   /* A is StragglAR */
    struct lag_hit_rate hidden;   /* the late rank late enough to hide all */
    struct lag_hit_rate measured; /* under the delays of the trace */
};

/* StragglAR for whoever is missing where the gap is above a delay, else ring. */
struct lag_policy {
    bool known;
    lag_seconds from;     /* D*; INFINITY: never */
    lag_seconds perfect;  /* exposed, the gap known: the mean */
    lag_seconds previous; /* the gap of the step before taken for it; the first step is ring's */
    uint32_t n_switched, n_wrong; /* steps for which perfect takes StragglAR; previous errs */
    lag_seconds cost_of_wrong;    /* of such a step, the mean; NAN: there is none */
};

typedef struct lag_advice {
    struct lag_question question;
    struct lag_casting casting;
    lag_delays *delays[LAG_N_FROM];
    uint32_t n_rows, n_rivals, n_replayed; /* n_replayed: steps, the latest of the trace */
    struct lag_advice_row *rows;
    struct lag_rival *rivals;
    uint32_t best[LAG_N_FROM], second[LAG_N_FROM]; /* rows; second: the best of another algorithm */
    uint32_t ring, star, predicted; /* rows, or LAGGARD_NONE; star: StragglAR for who is missing */
    double correlation;             /* lag 1, the largest of the gap's and the exposed times' */
    uint32_t block;                 /* steps that are resampled together; 1: each by itself */
    double confidence; /* share of resamples in which the best row's algorithm is best */
    bool shown;        /* the difference to the second is told from 0 */
    struct lag_policy policy;
} lag_advice;
lag_advice *lag_advice_new(const struct lag_question *question, GError **error);
void lag_advice_free(lag_advice *advice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_advice, lag_advice_free)

#define LAG_ADVICE_RESAMPLES 2000

/* Steps of advice: the rows, from the algorithms that were asked for; their exposed times; break-
 * even delays and hit rates; the policy; means, intervals, and who is best. */
bool lag_advice_list(lag_advice *advice, GError **error);
bool lag_advice_replay(lag_advice *advice, GError **error);
bool lag_advice_face_rivals(lag_advice *advice, lag_trial *trial, GError **error);
bool lag_advice_weigh_policy(lag_advice *advice, lag_trial *trial, GError **error);
void lag_advice_judge(lag_advice *advice);

/* The exposed time of each step of `delays` [n_steps], newly allocated. */
lag_seconds *lag_advice_exposed(lag_trial *trial, lag_scenario *scenario, const lag_plan *plan,
                                const lag_delays *delays, GError **error);

/* A plan of an algorithm at n ranks; straggler LAGGARD_NONE: whoever is missing. */
lag_plan *lag_advice_plan(const struct laggard_algorithm *algorithm, uint32_t n_ranks,
                          uint32_t straggler, GError **error);

/* GPU-hours a day that so many GPU-seconds a step are; NAN where the step's time isn't known. */
double lag_advice_hours(const lag_advice *advice, lag_seconds gpu_seconds);

#endif
