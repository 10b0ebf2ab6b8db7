/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/decoder.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_blas.h>

#include "sim/coding/least-squares.h"

/* What is known of one set. */
struct entry {
    uint64_t *key; /* [n_words] a bit for each message that has arrived; then the weights */
    uint32_t n_words, n_used;
    bool is_solved; /* weights and what follows are right; else it is known that none are exact */
    double *weights, residual, error, amplification;
    uint64_t set; /* 0: not asked for yet */
};

/* One nonzero of B. */
struct cell {
    uint32_t part;
    double value;
};

struct lag_decoder {
    const lag_code *code;
    struct lag_left_solutions solutions; /* of exact codes that are decoded by least squares */
    lag_decoder *inner;
    uint32_t n_words, *first; /* [n_messages + 1] of cells */
    struct cell *cells;       /* B, row by row */
    double *row_sum;          /* [n_messages] sum_j |B_ij| */
    GHashTable *kept;         /* struct entry; never walked through */
    uint32_t most_kept;
    uint64_t n_sets, *key; /* [n_words] of the set in hand */
    double *sum;           /* [n_parts] scratch */
    uint32_t *missing;     /* [n_messages] scratch */
    bool *seen;            /* [n_groups] scratch */
};

static guint entry_hash(gconstpointer p)
{
    const struct entry *entry = p;
    uint64_t hash = 0;

    for (uint32_t w = 0; w < entry->n_words; w++) {
        hash = (hash ^ entry->key[w]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (guint)hash;
}

static gboolean entry_equal(gconstpointer p, gconstpointer q)
{
    const struct entry *a = p, *b = q;

    return memcmp(a->key, b->key, a->n_words * sizeof *a->key) == 0;
}

static void entry_free(gpointer p)
{
    struct entry *entry = p;

    g_free(entry->key);
    g_free(entry->weights);
    g_free(entry);
}

static void fill_cells(lag_decoder *decoder)
{
    const lag_code *code = decoder->code;
    GArray *cells = g_array_new(FALSE, FALSE, sizeof(struct cell));

    decoder->first = g_new(uint32_t, code->n_messages + 1);
    decoder->row_sum = g_new0(double, code->n_messages);
    for (uint32_t i = 0; i < code->n_messages; i++) {
        decoder->first[i] = cells->len;
        for (uint32_t j = 0; j < code->n_parts; j++) {
            struct cell cell = {j, gsl_matrix_get(code->B, i, j)};
            if (cell.value != 0)
                g_array_append_val(cells, cell);
            decoder->row_sum[i] += fabs(cell.value);
        }
    }
    decoder->first[code->n_messages] = cells->len;
    decoder->cells = (struct cell *)(void *)g_array_free(cells, FALSE);
}

lag_decoder *lag_decoder_new(const lag_code *code)
{
    lag_decoder *decoder = g_new0(lag_decoder, 1);

    decoder->code = code;
    decoder->n_words = (code->n_messages + 63) / 64;
    decoder->key = g_new(uint64_t, decoder->n_words);
    decoder->sum = g_new(double, code->n_parts);
    decoder->missing = g_new(uint32_t, code->n_messages);
    decoder->seen = g_new(bool, code->n_groups + 1);
    decoder->kept = g_hash_table_new_full(entry_hash, entry_equal, NULL, entry_free);
    fill_cells(decoder);
    if (code->inner != NULL)
        decoder->inner = lag_decoder_new(code->inner);
    else if (code->rule == LAG_DECODE_LEAST_SQUARES)
        lag_left_solutions_init(&decoder->solutions, code->B, code->rank);
    lag_decoder_set_memory(decoder, LAG_DECODER_MEMORY);
    return decoder;
}

void lag_decoder_free(lag_decoder *decoder)
{
    if (decoder == NULL)
        return;
    g_hash_table_destroy(decoder->kept);
    lag_left_solutions_clear(&decoder->solutions);
    lag_decoder_free(decoder->inner);
    g_free(decoder->first);
    g_free(decoder->cells);
    g_free(decoder->row_sum);
    g_free(decoder->key);
    g_free(decoder->sum);
    g_free(decoder->missing);
    g_free(decoder->seen);
    g_free(decoder);
}

void lag_decoder_set_memory(lag_decoder *decoder, size_t memory)
{
    size_t each = sizeof(struct entry) + 64 + decoder->n_words * sizeof(uint64_t) +
                  decoder->code->n_messages * sizeof(double);

    g_hash_table_remove_all(decoder->kept);
    decoder->most_kept = (uint32_t)CLAMP(memory / each, 1, UINT32_MAX);
    if (decoder->inner != NULL)
        lag_decoder_set_memory(decoder->inner, memory);
}

/* Residual, error and amplification of an entry's weights. */
static void measure(const lag_decoder *decoder, struct entry *entry)
{
    uint32_t n_parts = decoder->code->n_parts;
    double amplification = 0, residual = 0, error = 0;

    memset(decoder->sum, 0, n_parts * sizeof *decoder->sum);
    entry->n_used = 0;
    for (uint32_t i = 0; i < decoder->code->n_messages; i++) {
        double weight = entry->weights[i];
        if (weight == 0)
            continue;
        entry->n_used++;
        amplification += fabs(weight) * decoder->row_sum[i];
        for (uint32_t k = decoder->first[i]; k < decoder->first[i + 1]; k++)
            decoder->sum[decoder->cells[k].part] += weight * decoder->cells[k].value;
    }
    for (uint32_t j = 0; j < n_parts; j++) {
        double off = fabs(1 - decoder->sum[j]);
        residual = fmax(residual, off);
        error += off * off;
    }
    entry->residual = residual;
    entry->error = error / n_parts;
    entry->amplification = amplification / n_parts;
}

static uint32_t count_arrived(const lag_decoder *decoder, const bool *arrived)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < decoder->code->n_messages; i++)
        n += arrived[i];
    return n;
}

/* One message of each group; returns the number of groups that have one. */
static uint32_t solve_groups(const lag_decoder *decoder, const bool *arrived, double *ret_weights)
{
    const lag_code *code = decoder->code;
    uint32_t n_seen = 0;

    memset(decoder->seen, 0, code->n_groups * sizeof *decoder->seen);
    for (uint32_t i = 0; i < code->n_messages; i++) {
        bool is_first = arrived[i] && !decoder->seen[code->group[i]];
        if (ret_weights != NULL)
            ret_weights[i] = is_first;
        if (is_first)
            decoder->seen[code->group[i]] = true;
        n_seen += is_first;
    }
    return n_seen;
}

static void solve_one_step(const lag_decoder *decoder, const bool *arrived, double *ret_weights)
{
    const lag_code *code = decoder->code;
    uint32_t n = count_arrived(decoder, arrived);
    double weight = code->step_shared && n > 0 ? code->step / n : code->step;

    for (uint32_t i = 0; i < code->n_messages; i++)
        ret_weights[i] = arrived[i] ? weight : 0;
}

/* a0 + c N that is 0 on what is missing, the least one where there are several: c is of least squares.
 * Whether it is a solution the residual tells, after the missing are set to 0. */
static void solve_among(const lag_decoder *decoder, const bool *arrived, double *ret_weights)
{
    const struct lag_left_solutions *solutions = &decoder->solutions;
    size_t n = decoder->code->n_messages, n_missing = 0;
    gsl_vector_view weights = gsl_vector_view_array(ret_weights, n);

    for (uint32_t i = 0; i < n; i++)
        if (!arrived[i])
            decoder->missing[n_missing++] = i;
    gsl_vector_memcpy(&weights.vector, solutions->a0);
    if (n_missing > 0 && solutions->N != NULL) {
        size_t k = solutions->N->size1;
        g_autoptr(gsl_matrix) A = gsl_matrix_alloc(n_missing, k);
        g_autoptr(gsl_vector) b = gsl_vector_alloc(n_missing), c = gsl_vector_alloc(k);
        for (size_t r = 0; r < n_missing; r++) {
            gsl_vector_set(b, r, -gsl_vector_get(solutions->a0, decoder->missing[r]));
            for (size_t q = 0; q < k; q++)
                gsl_matrix_set(A, r, q, gsl_matrix_get(solutions->N, q, decoder->missing[r]));
        }
        lag_least_squares(A, b, c);
        gsl_blas_dgemv(CblasTrans, 1, solutions->N, c, 1, &weights.vector);
    }
    for (size_t r = 0; r < n_missing; r++)
        ret_weights[decoder->missing[r]] = 0;
}

/* Least squares over the rows that have arrived, which need not solve a B = 1. */
static void solve_rows(const lag_decoder *decoder, const bool *arrived, double *ret_weights)
{
    const lag_code *code = decoder->code;
    uint32_t n = count_arrived(decoder, arrived), k = 0;

    memset(ret_weights, 0, code->n_messages * sizeof *ret_weights);
    if (n == 0)
        return;
    g_autoptr(gsl_matrix) A = gsl_matrix_calloc(code->n_parts, n);
    g_autoptr(gsl_vector) ones = gsl_vector_alloc(code->n_parts), x = gsl_vector_alloc(n);
    gsl_vector_set_all(ones, 1);
    for (uint32_t i = 0; i < code->n_messages; i++) {
        if (!arrived[i])
            continue;
        for (uint32_t c = decoder->first[i]; c < decoder->first[i + 1]; c++)
            gsl_matrix_set(A, decoder->cells[c].part, k, decoder->cells[c].value);
        k++;
    }
    lag_least_squares(A, ones, x);
    k = 0;
    for (uint32_t i = 0; i < code->n_messages; i++)
        if (arrived[i])
            ret_weights[i] = gsl_vector_get(x, k++);
}

/* A worker's private messages as they are, the coded ones by their own code. */
static void solve_inner(const lag_decoder *decoder, const bool *arrived, double *ret_weights)
{
    uint32_t n = decoder->code->n_workers;
    struct lag_decoding decoding = lag_decoder_decode(decoder->inner, arrived + n);

    for (uint32_t i = 0; i < n; i++) {
        ret_weights[i] = arrived[i];
        ret_weights[n + i] = decoding.weights[i];
    }
}

/* Finds the weights; where they need not be good, only exact ones (entry->is_solved tells). */
static void solve(const lag_decoder *decoder, const bool *arrived, bool only_exact,
                  struct entry *entry)
{
    if (entry->weights == NULL)
        entry->weights = g_new(double, decoder->code->n_messages);
    entry->is_solved = true;
    if (decoder->inner != NULL)
        solve_inner(decoder, arrived, entry->weights);
    else if (decoder->code->rule == LAG_DECODE_GROUPS)
        solve_groups(decoder, arrived, entry->weights);
    else if (decoder->code->rule == LAG_DECODE_ONE_STEP)
        solve_one_step(decoder, arrived, entry->weights);
    else
        solve_among(decoder, arrived, entry->weights);
    measure(decoder, entry);
    bool is_exact = entry->residual <= LAG_CODE_RESIDUAL;
    if (is_exact || decoder->inner != NULL || decoder->code->rule != LAG_DECODE_LEAST_SQUARES)
        return;
    entry->is_solved = !only_exact;
    if (only_exact) {
        g_clear_pointer(&entry->weights, g_free);
        return;
    }
    solve_rows(decoder, arrived, entry->weights);
    measure(decoder, entry);
}

/* The entry of a set, with all that was known of it, or with nothing. */
static struct entry *look_up(lag_decoder *decoder, const bool *arrived)
{
    struct entry wanted = {.key = decoder->key, .n_words = decoder->n_words};

    memset(decoder->key, 0, decoder->n_words * sizeof *decoder->key);
    for (uint32_t i = 0; i < decoder->code->n_messages; i++)
        decoder->key[i / 64] |= (uint64_t)arrived[i] << i % 64;
    struct entry *entry = g_hash_table_lookup(decoder->kept, &wanted);
    if (entry != NULL)
        return entry;
    if (g_hash_table_size(decoder->kept) >= decoder->most_kept)
        g_hash_table_remove_all(decoder->kept);
    entry = g_new0(struct entry, 1);
    entry->n_words = decoder->n_words;
    entry->key = g_memdup2(decoder->key, decoder->n_words * sizeof *decoder->key);
    entry->residual = NAN;
    g_hash_table_add(decoder->kept, entry);
    return entry;
}

struct lag_decoding lag_decoder_decode(lag_decoder *decoder, const bool *arrived)
{
    struct entry *entry = look_up(decoder, arrived);
    bool is_new = entry->set == 0;

    if (!entry->is_solved)
        solve(decoder, arrived, false, entry);
    if (is_new)
        entry->set = ++decoder->n_sets;
    return (struct lag_decoding){
        .weights = entry->weights,
        .residual = entry->residual,
        .error = entry->error,
        .amplification = entry->amplification,
        .exact = entry->residual <= LAG_CODE_RESIDUAL,
        .n_used = entry->n_used,
        .set = entry->set,
        .is_new = is_new,
    };
}

bool lag_decoder_decodable(lag_decoder *decoder, const bool *arrived)
{
    const lag_code *code = decoder->code;

    if (count_arrived(decoder, arrived) < code->fewest)
        return false;
    if (code->inner == NULL && code->rule == LAG_DECODE_GROUPS)
        return solve_groups(decoder, arrived, NULL) == code->n_groups;
    struct entry *entry = look_up(decoder, arrived);
    if (isnan(entry->residual))
        solve(decoder, arrived, true, entry);
    return entry->residual <= LAG_CODE_RESIDUAL;
}

bool lag_decoder_ready(lag_decoder *decoder, const bool *arrived)
{
    uint32_t enough = decoder->code->enough;

    return (enough > 0 && count_arrived(decoder, arrived) >= enough) ||
           lag_decoder_decodable(decoder, arrived);
}
