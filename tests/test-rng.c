/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random streams: known answers, independence of names, and the shape of the numbers. Seeds are
 * fixed, so each statistical bound holds once and for all. */
#include <string.h>

#include <glib.h>
#include <gsl/gsl_cdf.h>

#include "sim/rng.h"
#include "tests/helpers.h"

/* Random123 1.14, tests/kat_vectors, "philox4x32 10". */
static void known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], block[4];
    } vectors[] = {
        {{0, 0, 0, 0},                                     {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}                                                          },
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}                                                          },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++) {
        uint32_t block[4];
        lag_philox_block(vectors[i].counter, vectors[i].key, block);
        g_assert_true(memcmp(block, vectors[i].block, sizeof block) == 0);
    }
}

/* A stream is the blocks from its name on: counter {block, rank, replication, purpose and
 * consumer}, key = seed. The first four words are those of block 0, the next of block 1. */
static void stream_is_its_name(void)
{
    struct lag_stream stream;
    uint32_t block[4];
    const uint32_t key[2] = {0x89abcdef, 0x01234567};

    lag_stream_init(&stream, 0x0123456789abcdef, 7, LAG_PURPOSE_STRAGGLER, 3, 42);
    for (uint32_t b = 0; b < 3; b++) {
        uint32_t counter[4] = {b, 42, 7, (uint32_t)LAG_PURPOSE_STRAGGLER << 16 | 3};
        lag_philox_block(counter, key, block);
        for (int i = 0; i < 4; i++)
            g_assert_cmpuint(gsl_rng_get(&stream.rng), ==, block[i]);
    }
}

#define N_DRAWS 64
static void draw(uint64_t seed, uint32_t replication, uint16_t consumer, uint32_t rank, double *ret)
{
    struct lag_stream stream;

    lag_stream_init(&stream, seed, replication, LAG_PURPOSE_STRAGGLER, consumer, rank);
    for (int i = 0; i < N_DRAWS; i++)
        ret[i] = gsl_rng_uniform(&stream.rng);
}

/* Streams that differ in any one part of their name share no number in 64 draws (by chance: one in
 * 10^12), and the same name gives the same numbers. The high half of the seed counts too. */
static void names_matter(void)
{
    static const struct {
        uint64_t seed;
        uint32_t replication;
        uint16_t consumer;
        uint32_t rank;
    } names[] = {
        {1,                     0, 0, 0      },
        {2,                     0, 0, 0      },
        {1 | (uint64_t)1 << 32, 0, 0, 0      },
        {1,                     1, 0, 0      },
        {1,                     0, 1, 0      },
        {1,                     0, 0, 1      },
        {1,                     0, 0, 1 << 16}
    };
    double draws[G_N_ELEMENTS(names)][N_DRAWS], again[N_DRAWS];

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        draw(names[i].seed, names[i].replication, names[i].consumer, names[i].rank, draws[i]);
    draw(1, 0, 0, 0, again);
    g_assert_true(memcmp(draws[0], again, sizeof again) == 0);
    for (size_t i = 0; i < G_N_ELEMENTS(names) * N_DRAWS; i++)
        for (size_t j = 0; j < i; j++)
            g_assert_cmpfloat(draws[i / N_DRAWS][i % N_DRAWS], !=, draws[j / N_DRAWS][j % N_DRAWS]);
}

/* Two streams drawn in turn give what each gives alone: no state is shared. */
static void interleaving(void)
{
    struct lag_stream a, b;
    double alone_a[N_DRAWS], alone_b[N_DRAWS];

    draw(9, 0, 0, 0, alone_a);
    draw(9, 0, 0, 1, alone_b);
    lag_stream_init(&a, 9, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    lag_stream_init(&b, 9, 0, LAG_PURPOSE_STRAGGLER, 0, 1);
    for (int i = 0; i < N_DRAWS; i++) {
        g_assert_cmpfloat(gsl_rng_uniform(&a.rng), ==, alone_a[i]);
        g_assert_cmpfloat(gsl_rng_uniform(&b.rng), ==, alone_b[i]);
    }
}

/* 2^20 uniform numbers: in [0, 1); mean 1/2 with standard error sqrt(1/12/N), mean square 1/3 with
 * sqrt(4/45/N), both within 4; 256 equal bins by chi-square at 10^-6 on either side (too even is
 * wrong as well); and the lag-1 products, mean 1/4 with sqrt(7/144/N). */
static void uniform(void)
{
    enum {
        N = 1 << 20,
        BINS = 256
    };
    struct lag_stream stream;
    double sum = 0, squares = 0, products = 0, chi2 = 0, previous = 0;
    uint32_t bins[BINS] = {0};

    lag_stream_init(&stream, 1, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    for (int i = 0; i < N; i++) {
        double u = gsl_rng_uniform(&stream.rng);
        g_assert_true(u >= 0 && u < 1);
        bins[(int)(u * BINS)]++;
        sum += u;
        squares += u * u;
        products += i > 0 ? u * previous : 0.25;
        previous = u;
    }
    g_assert_cmpfloat(fabs(sum / N - 0.5), <, 4 * sqrt(1.0 / 12 / N));
    g_assert_cmpfloat(fabs(squares / N - 1.0 / 3), <, 4 * sqrt(4.0 / 45 / N));
    g_assert_cmpfloat(fabs(products / N - 0.25), <, 4 * sqrt(7.0 / 144 / N));
    for (int i = 0; i < BINS; i++)
        chi2 += pow(bins[i] - (double)N / BINS, 2) / ((double)N / BINS);
    g_assert_cmpfloat(gsl_cdf_chisq_Q(chi2, BINS - 1), >, 1e-6);
    g_assert_cmpfloat(gsl_cdf_chisq_P(chi2, BINS - 1), >, 1e-6);
}

/* First numbers of 2^16 neighbouring ranks' streams: as even as one stream's. */
static void across_ranks(void)
{
    enum {
        N = 1 << 16,
        BINS = 64
    };
    uint32_t bins[BINS] = {0};
    double chi2 = 0;

    for (uint32_t rank = 0; rank < N; rank++) {
        struct lag_stream stream;
        lag_stream_init(&stream, 1, 0, LAG_PURPOSE_STRAGGLER, 0, rank);
        bins[(int)(gsl_rng_uniform(&stream.rng) * BINS)]++;
    }
    for (int i = 0; i < BINS; i++)
        chi2 += pow(bins[i] - (double)N / BINS, 2) / ((double)N / BINS);
    g_assert_cmpfloat(gsl_cdf_chisq_Q(chi2, BINS - 1), >, 1e-6);
    g_assert_cmpfloat(gsl_cdf_chisq_P(chi2, BINS - 1), >, 1e-6);
}

/* All 53 bits are used: over 4,096 draws each bit of u x 2^53 is sometimes 0 and sometimes 1. */
static void all_bits(void)
{
    g_autoptr(gsl_rng) rng = test_rng(5);
    uint64_t any = 0, all = UINT64_MAX;

    for (int i = 0; i < 4096; i++) {
        uint64_t bits = (uint64_t)(gsl_rng_uniform(rng) * 0x1p53);
        any |= bits;
        all &= bits;
    }
    g_assert_cmphex(any, ==, ((uint64_t)1 << 53) - 1);
    g_assert_cmphex(all, ==, 0);
}

/* As a GSL generator: seeded, copied, and in the range that it declares. Seed 0, key 0, counter 0
 * is the first of the known answers. */
static void as_gsl_type(void)
{
    g_autoptr(gsl_rng) rng = gsl_rng_alloc(lag_rng_philox);

    g_assert_cmpstr(gsl_rng_name(rng), ==, "philox4x32-10");
    g_assert_cmpuint(gsl_rng_min(rng), ==, 0);
    g_assert_cmpuint(gsl_rng_max(rng), ==, UINT32_MAX);
    gsl_rng_set(rng, 0);
    g_assert_cmphex(gsl_rng_get(rng), ==, 0x6627e8d5);
    g_autoptr(gsl_rng) copy = gsl_rng_clone(rng);
    for (int i = 0; i < 100; i++)
        g_assert_cmpuint(gsl_rng_get(rng), ==, gsl_rng_get(copy));
    for (int i = 0; i < 10000; i++)
        g_assert_cmpuint(gsl_rng_uniform_int(rng, 6), <, 6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rng/known-answers", known_answers);
    g_test_add_func("/rng/stream-is-its-name", stream_is_its_name);
    g_test_add_func("/rng/names-matter", names_matter);
    g_test_add_func("/rng/interleaving", interleaving);
    g_test_add_func("/rng/uniform", uniform);
    g_test_add_func("/rng/across-ranks", across_ranks);
    g_test_add_func("/rng/all-bits", all_bits);
    g_test_add_func("/rng/as-gsl-type", as_gsl_type);
    return g_test_run();
}
