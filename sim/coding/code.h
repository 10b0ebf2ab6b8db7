/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient codes: which parts of the data a worker holds, and with what weights it adds their
 * gradients up, so that a sum over all parts can be had without the late workers.
 *
 * The data are cut into n_parts parts, g_j is the sum of the gradients of part j. Message i is the
 * vector sum_j B_ij g_j, of the model's size; row i of B says what its sender holds. Whoever decodes
 * wants weights a, zero on messages that have not arrived, with a B = (1, ..., 1): then
 * sum_i a_i message_i = sum_j g_j. sim/coding/decoder.h finds them.
 *
 * Exact codes survive any n_stragglers late workers; approximate ones stop after so many messages
 * and give the sum with an error. After Tandon, Lei, Dimakis and Karampatziakis, Gradient coding
 * (ICML 2017); each kind names its own source. */
#ifndef LAGGARD_SIM_CODING_CODE_H
#define LAGGARD_SIM_CODING_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <gsl/gsl_matrix.h>

#include "sim/rng.h"

/* What a code is wanted for. Kinds read what they need (`uses`); zero, or NAN, is their default. */
struct lag_code_request {
    uint32_t n_workers, n_stragglers; /* 0 <= n_stragglers < n_workers, or it is refused */
    uint32_t copies;  /* of each part (of a Bernoulli code: the mean); 0: n_stragglers + 1 */
    uint32_t collect; /* messages after which an approximate code stops; 0: all but n_stragglers */
    uint32_t parts;   /* of a worker, under `partial`; 0: 2 (n_stragglers + 1) */
    uint32_t candidates; /* random codes to take the best of; 0: 50 up to 30 workers, 8 to 256 */
    double late;         /* how often a worker is late, under `stochastic`; NAN: its share */
    bool least_squares;  /* an approximate code decodes by least squares instead of its own rule */
    uint64_t seed;       /* of random codes; the same request gives the same code */
};

/* Which fields a kind reads beside workers, stragglers and seed. */
enum lag_code_uses {
    LAG_CODE_COPIES = 1 << 0,
    LAG_CODE_COLLECT = 1 << 1,
    LAG_CODE_PARTS = 1 << 2,
    LAG_CODE_CANDIDATES = 1 << 3,
    LAG_CODE_LATE = 1 << 4,
    LAG_CODE_LEAST_SQUARES = 1 << 5,
};

/* How a is found. */
enum lag_code_rule {
    LAG_DECODE_GROUPS,        /* 1 on the first message of each group that has arrived */
    LAG_DECODE_LEAST_SQUARES, /* least |1 - a B|, and of these the least |a|, from all arrivals */
    LAG_DECODE_ONE_STEP,      /* the same weight on all arrivals */
};

struct lag_code_kind;

/* A code. Messages 0 .. n_workers - 1 are the workers' (under `partial` their private ones, which
 * come first, and message n_workers + i is worker i's coded one). */
typedef struct lag_code {
    const struct lag_code_kind *kind;
    uint32_t n_workers, n_stragglers;
    uint32_t n_messages, n_parts;
    gsl_matrix *B; /* [n_messages][n_parts]; owned */
    enum lag_code_rule rule;
    uint32_t rank;     /* of B where it is known; 0: not known */
    uint32_t fewest;   /* fewer messages can't be decoded */
    uint32_t n_groups; /* LAG_DECODE_GROUPS: each message is one of group[i], and all of a group */
    uint32_t *group;   /* [n_messages] are alike; owned */
    double step;       /* LAG_DECODE_ONE_STEP: the weight of an arrival, */
    bool step_shared;  /* or, divided by their number, that of each */
    uint32_t enough;   /* messages after which decoding need not be exact; 0: it must be */
    struct lag_code *inner; /* LAG_DECODE_* of the coded messages under `partial`; owned, or NULL */
} lag_code;

/* A kind of code: one file that ends in one of these, and one line in algorithms/codes/codes.def.
 * build: a new code, or NULL with LAGGARD_ERROR_INPUT, which says what would be right. The request
 * has 0 <= n_stragglers < n_workers. */
struct lag_code_kind {
    const char *name;    /* as in a scenario */
    const char *summary; /* one line */
    const char *source;
    unsigned uses;    /* of lag_code_uses */
    bool approximate; /* what is decoded may have an error */
    bool by_groups;   /* one message of each group is enough */
    lag_code *(*build)(const struct lag_code_request *request, GError **error);
};

/* A code of this kind. NULL with LAGGARD_ERROR_INPUT where there is none, or where no decoder would be
 * right to LAG_CODE_RESIDUAL; the message advises. */
lag_code *lag_code_new(const struct lag_code_kind *kind, const struct lag_code_request *request,
                       GError **error);
void lag_code_free(lag_code *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_code, lag_code_free)

/* For kinds: a code with B = 0, one message a worker, to be decoded by least squares. */
lag_code *lag_code_zero(const struct lag_code_request *request, uint32_t n_messages,
                        uint32_t n_parts);

/* The stream that random codes draw from; `consumer` numbers those of one code. */
void lag_code_stream(const struct lag_code_request *request, uint16_t consumer,
                     struct lag_stream *ret);

/* The largest |1 - a B| that still counts as decoded. */
#define LAG_CODE_RESIDUAL 1e-6

/* The worker that sends a message. */
static inline uint32_t lag_code_sender(const lag_code *code, uint32_t message)
{
    return message % code->n_workers;
}

/* The share of the data that a worker holds, and the largest of all workers. */
double lag_code_load(const lag_code *code, uint32_t worker);
double lag_code_largest_load(const lag_code *code);

/* ret[length] = sum_j B_message,j parts[j][length]; parts is [n_parts][length], row by row. */
void lag_code_encode(const lag_code *code, uint32_t message, const double *parts, size_t length,
                     double *ret);

/* ret[length] = sum_i weights_i messages[i][length]; messages of weight 0 are not read. */
void lag_code_combine(const lag_code *code, const double *weights, const double *messages,
                      size_t length, double *ret);

#endif
