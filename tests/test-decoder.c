/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder on matrices written down by hand: least squares of least norm, what counts as decoded,
 * and what is kept. Vectors: spec/coded-gradients.md 1.3 and section 5, by hand where derived. */
#include <string.h>

#include <glib.h>

#include "sim/coding/least-squares.h"
#include "sim/coding/quality.h"
#include "tests/helpers.h"

static const struct lag_code_kind by_hand = {.name = "by-hand"};

static lag_code *code_of(uint32_t n, const double *B)
{
    struct lag_code_request request = {.n_workers = n};
    lag_code *code = lag_code_zero(&request, n, n);

    code->kind = &by_hand;
    for (uint32_t i = 0; i < n * n; i++)
        gsl_matrix_set(code->B, i / n, i % n, B[i]);
    return code;
}

/* Decodes without the workers of `late`, a bit each. */
static struct lag_decoding decode(const lag_code *code, lag_decoder *decoder, unsigned late)
{
    bool arrived[16];

    for (uint32_t i = 0; i < code->n_messages; i++)
        arrived[i] = !(late >> i & 1);
    struct lag_decoding decoding = lag_decoder_decode(decoder, arrived);
    g_assert_true(lag_decoder_decodable(decoder, arrived) == decoding.exact);
    return decoding;
}

static void assert_weights(const struct lag_decoding *decoding, const double *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon(decoding->weights[i], a[i], 1e-12 * (1 + fabs(a[i])));
}

/* H = [1, 1, -2] gives B; without worker 2, 1, 0 the only weights are those. With all three, any
 * a = (1, 2, 0) + t (2, 2, -1) / ... solves, since B has rank 2; the least is orthogonal to the left
 * null vector (2, 2, -1): 2 (1 + 2t) + 2 (2 + 2t) + t = 0 at t = -6/9, so a = (-1/3, 2/3, 2/3). */
static void hand_vectors(void)
{
    const double B[] = {1, -1, 0, 0, 1, 0.5, 2, 0, 1};
    const double a[4][3] = {
        {-1.0 / 3, 2.0 / 3, 2.0 / 3},
        {0,        1,       0.5    },
        {-1,       0,       1      },
        {1,        2,       0      }
    };
    const unsigned late[] = {0, 1, 2, 4};
    g_autoptr(lag_code) code = code_of(3, B);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    for (int i = 0; i < 4; i++) {
        struct lag_decoding decoding = decode(code, decoder, late[i]);
        assert_weights(&decoding, a[i], 3);
        g_assert_true(decoding.exact);
        g_assert_cmpfloat(decoding.residual, <, 1e-13);
    }
    /* |a| . row sums / 3 = (1 x 2 + 2 x 1.5) / 3. */
    struct lag_decoding decoding = decode(code, decoder, 4);
    assert_near(decoding.amplification, 5.0 / 3, 1e-12);
    g_assert_cmpuint(decoding.n_used, ==, 2);
}

/* The published code of three workers: B and A with A B = 1. */
static void published_pair(void)
{
    const double B[] = {0.5, 1, 0, 0, 1, -1, 0.5, 0, 1};
    const double a[3][3] = {
        {0, 1,  2},
        {1, 0,  1},
        {2, -1, 0}
    };
    g_autoptr(lag_code) code = code_of(3, B);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    for (unsigned late = 0; late < 3; late++) {
        struct lag_decoding decoding = decode(code, decoder, 1u << late);
        assert_weights(&decoding, a[late], 3);
    }
}

/* n = 5, s = 2, H = [[1, 2, 3, 4, -10], [1, 4, 9, 17, -31]]. */
static void five_workers(void)
{
    const double B[] = {1,        -1,        1.0 / 3,   0, 0, 0, 1,         -1.2, 0.4,  0, 0, 0, 1,
                        3.0 / 46, 15.0 / 46, 46.0 / 21, 0, 0, 1, 13.0 / 21, -11,  10.5, 0, 0, 1};
    const double a[] = {-43, 0, 46.0 / 3, 0, -4};
    g_autoptr(lag_code) code = code_of(5, B);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    struct lag_decoding decoding = decode(code, decoder, 1u << 1 | 1u << 3);
    assert_weights(&decoding, a, 5);
    g_assert_cmpfloat(decoding.residual, <, 1e-12);
    /* One more than s is too many. */
    for (unsigned late = 0; late < 32; late++)
        g_assert_true(decode(code, decoder, late).exact == (__builtin_popcount(late) <= 2));
}

/* The circulant of (1, 1), n = 4, s = 1. Without {0, 1}: rows (0,0,1,1) and (1,0,0,1) have weights
 * (2/3, 2/3), which leave (1/3, 1, 1/3, -1/3): |.|^2 = 4/3, residual 1. Without {0, 2} rows 1 and 3
 * are still everything: decodable by luck, so a count would be wrong both ways. */
static void beyond_the_guarantee(void)
{
    const double B[] = {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1};
    const double best[] = {0, 0, 2.0 / 3, 2.0 / 3}, lucky[] = {0, 1, 0, 1};
    g_autoptr(lag_code) code = code_of(4, B);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    struct lag_decoding decoding = decode(code, decoder, 3);
    assert_weights(&decoding, best, 4);
    g_assert_false(decoding.exact);
    assert_near(decoding.error, 4.0 / 3 / 4, 1e-12);
    assert_near(decoding.residual, 1, 1e-12);
    decoding = decode(code, decoder, 5);
    assert_weights(&decoding, lucky, 4);
    g_assert_true(decoding.exact);
    decoding = decode(code, decoder, 15);
    g_assert_cmpuint(decoding.n_used, ==, 0);
    assert_near(decoding.error, 1, 1e-15);
}

/* Sets are numbered as they come; the same set is not new, until it has been forgotten: with room for
 * two, a third forgets both. Asking whether a set can be decoded does not make it known. */
static void keeps_and_forgets(void)
{
    const double B[] = {1, -1, 0, 0, 1, 0.5, 2, 0, 1};
    const bool all[] = {true, true, true};
    g_autoptr(lag_code) code = code_of(3, B);
    g_autoptr(lag_decoder) decoder = lag_decoder_new(code);

    g_assert_true(lag_decoder_decodable(decoder, all));
    g_assert_true(lag_decoder_decode(decoder, all).is_new);
    g_assert_false(lag_decoder_decode(decoder, all).is_new);
    for (size_t memory = 1;; memory++) {
        lag_decoder_set_memory(decoder, memory);
        uint64_t first = lag_decoder_decode(decoder, all).set;
        decode(code, decoder, 1);
        if (lag_decoder_decode(decoder, all).is_new)
            continue; /* room for one only */
        g_assert_cmpuint(lag_decoder_decode(decoder, all).set, ==, first);
        decode(code, decoder, 2);
        g_assert_true(lag_decoder_decode(decoder, all).is_new);
        break;
    }
}

/* Least norm: x + y = 2 has (1, 1); a column of zeros gets 0; x = 1 and x = 3 give 2. */
static void least_squares(void)
{
    const double A[] = {1, 1}, two[] = {2}, tall[] = {1, 0, 1, 0}, apart[] = {1, 3};
    double x[2];
    gsl_vector_view ret = gsl_vector_view_array(x, 2);
    gsl_matrix_const_view a = gsl_matrix_const_view_array(A, 1, 2);
    gsl_vector_const_view b = gsl_vector_const_view_array(two, 1);
    gsl_matrix_const_view c = gsl_matrix_const_view_array(tall, 2, 2);
    gsl_vector_const_view d = gsl_vector_const_view_array(apart, 2);

    lag_least_squares(&a.matrix, &b.vector, &ret.vector);
    assert_near(x[0], 1, 1e-14);
    assert_near(x[1], 1, 1e-14);
    lag_least_squares(&c.matrix, &d.vector, &ret.vector);
    assert_near(x[0], 2, 1e-14);
    g_assert_cmpfloat(x[1], ==, 0);
}

/* Encode and combine are the sums that the header says: message 2 of B, then a of workers 1, 2. */
static void encodes(void)
{
    const double B[] = {1, -1, 0, 0, 1, 0.5, 2, 0, 1}, parts[] = {1, 10, 2, 20, 3, 30};
    const double a[] = {0, 1, 0.5};
    double messages[6], sum[2];
    g_autoptr(lag_code) code = code_of(3, B);

    for (uint32_t i = 0; i < 3; i++)
        lag_code_encode(code, i, parts, 2, messages + (size_t)2 * i);
    g_assert_cmpfloat(messages[4], ==, 5);
    g_assert_cmpfloat(messages[5], ==, 50);
    messages[0] = NAN; /* of a worker that has not answered */
    lag_code_combine(code, a, messages, 2, sum);
    g_assert_cmpfloat(sum[0], ==, 6);
    g_assert_cmpfloat(sum[1], ==, 60);
    assert_near(lag_code_load(code, 0), 2.0 / 3, 1e-15);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/decoder/hand-vectors", hand_vectors);
    g_test_add_func("/decoder/published-pair", published_pair);
    g_test_add_func("/decoder/five-workers", five_workers);
    g_test_add_func("/decoder/beyond-the-guarantee", beyond_the_guarantee);
    g_test_add_func("/decoder/keeps-and-forgets", keeps_and_forgets);
    g_test_add_func("/decoder/least-squares", least_squares);
    g_test_add_func("/decoder/encodes", encodes);
    return g_test_run();
}
