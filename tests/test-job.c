/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/file.h"
#include "scenarios/profile.h"
#include "sim/job-edit.h"
#include "sim/job-path.h"
#include "sim/job-replay.h"
#include "sim/job-work.h"
#include "sim/job.h"
#include "sim/laggard.h"

#define MIB ((size_t)1 << 20)

static char *source_path(const char *name)
{
    return g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), name, NULL);
}

static lag_job *load_job(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = source_path("scenarios/data/profile-ST.csv.gz");
    g_autoptr(GArray) ops = lag_profile_load(path, &error);

    g_assert_no_error(error);
    lag_job *job = lag_job_new((struct lag_op *)(void *)ops->data, ops->len, &error);
    g_assert_no_error(error);
    return job;
}

/* The published job, 2 data-parallel ranks x 4 stages, 32 steps, against the published simulator's
 * answers (tests/data): each step's wall time, its replay and its ideal to 1e-6 s, and the mean
 * slowdown 1.1787021836556841 to 2e-6. The published numbers come from 32-bit floats. */
static void test_published(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_job) job = load_job();
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *ideal = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *replayed = g_new(lag_seconds, job->n_steps);
    g_autofree lag_seconds *without = g_new(lag_seconds, job->n_steps);
    g_autofree char *path = source_path("tests/data/profile-ST-steps.csv");
    g_autoptr(GBytes) contents = lag_file_read(path, MIB, &error);
    struct lag_csv csv;

    g_assert_cmpuint(job->n_steps, ==, 32);
    g_assert_cmpuint(job->n_dp * job->n_stages, ==, 8);
    g_assert_cmpuint(job->n_left_out, ==, 0);
    lag_job_replay(job, job->work, end);
    lag_job_steps(job, end, replayed);
    lag_job_ideal(job, ideal);
    lag_job_replay(job, ideal, end);
    lag_job_steps(job, end, without);
    lag_csv_init(&csv, contents);
    g_assert_true(lag_csv_next(&csv));
    for (uint32_t i = 0; i < job->n_steps; i++) {
        g_assert_true(lag_csv_next(&csv));
        char **fields = (char **)csv.fields->pdata;
        g_assert_cmpuint(job->step[i], ==, g_ascii_strtoull(fields[0], NULL, 10));
        g_assert_cmpfloat_with_epsilon(job->wall[i], g_ascii_strtod(fields[1], NULL), 1e-6);
        g_assert_cmpfloat_with_epsilon(replayed[i], g_ascii_strtod(fields[2], NULL), 1e-6);
        g_assert_cmpfloat_with_epsilon(without[i], g_ascii_strtod(fields[3], NULL), 1e-6);
    }
    lag_csv_clear(&csv);
    g_assert_cmpfloat_with_epsilon(lag_job_mean(job, replayed) / lag_job_mean(job, without),
                                   1.1787021836556841, 2e-6);
}

/* Two stages, one data-parallel rank, one micro-batch, in units of a second. Stage 0: F 0-2, send
 * 2-3, B 9-13, optimizer 13-14. Stage 1: receive 0-3, F 3-5, B 5-8, send 8-9, optimizer 8-9. The
 * receive of the activation waits from 0 on, that of the gradient from 2 on: their work is 1. */
static const char two_stages[] =
    "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"
    "0,0,0,1,forward-compute,10,2,0,0,0,0\n"
    "0,0,0,1,forward-send,12,1,0,-1,-1,-1\n"
    "0,0,0,1,backward-recv,12,7,0,-1,-1,-1\n"
    "0,0,0,1,backward-compute,19,4,0,0,0,0\n"
    "0,0,0,1,optimizer,23,1,0,-1,-1,-1\n"
    "0,1,1,1,forward-recv,10,3,0,-1,-1,-1\n"
    "0,1,1,1,forward-compute,13,2,0,0,0,1\n"
    "0,1,1,1,backward-compute,15,3,0,0,0,1\n"
    "0,1,1,1,backward-send,18,1,0,-1,-1,-1\n"
    "0,1,1,1,optimizer,18,1,0,-1,-1,-1\n";

static lag_job *parse_job(const char *text, GError **error)
{
    g_autoptr(GBytes) contents = g_bytes_new(text, strlen(text));
    g_autoptr(GArray) ops = lag_profile_parse(contents, "t.csv", error);

    return ops != NULL ? lag_job_new((struct lag_op *)(void *)ops->data, ops->len, error) : NULL;
}

static lag_job *two_stage_job(void)
{
    g_autoptr(GError) error = NULL;
    lag_job *job = parse_job(two_stages, &error);

    g_assert_no_error(error);
    return job;
}

static lag_seconds step_of(const lag_job *job)
{
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    lag_seconds step;

    g_assert_cmpuint(job->n_steps, ==, 1);
    lag_job_replay(job, job->work, end);
    lag_job_steps(job, end, &step);
    return step;
}

/* The trace above is what its rules give: 14 s. Without waiting, all transfers work 1 s. The
 * critical path is F, transfer, F, B, transfer, B, optimizer: 2 + 1 + 2 + 3 + 1 + 4 + 1. */
static void test_by_hand(void)
{
    static const enum lag_op_kind kinds[] = {LAG_OP_FORWARD,  LAG_OP_FORWARD_RECV,  LAG_OP_FORWARD,
                                             LAG_OP_BACKWARD, LAG_OP_BACKWARD_RECV, LAG_OP_BACKWARD,
                                             LAG_OP_OPTIMIZER};
    static const lag_seconds ends[] = {2, 3, 5, 8, 9, 13, 14};
    g_autoptr(lag_job) job = two_stage_job();
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));

    g_assert_cmpfloat(job->wall[0], ==, 14);
    g_assert_cmpfloat(step_of(job), ==, 14);
    for (uint32_t i = 0; i < job->n_nodes; i++) {
        if (lag_op_is_p2p(job->nodes[i].kind))
            g_assert_cmpfloat(job->work[i], ==, 1);
    }
    lag_job_replay(job, job->work, end);
    g_autoptr(GArray) path = lag_job_path(job, end, 0);
    g_assert_cmpuint(path->len, ==, G_N_ELEMENTS(kinds));
    for (guint i = 0; i < path->len; i++) {
        const struct lag_job_segment *at = &g_array_index(path, struct lag_job_segment, i);
        g_assert_cmpint(job->nodes[at->node].kind, ==, kinds[i]);
        g_assert_cmpfloat(at->to, ==, ends[i]);
        g_assert_cmpfloat(at->from, ==, i > 0 ? ends[i - 1] : 0);
    }
}

/* Ideal: forward (2 + 2) / 2, backward (4 + 3) / 2, optimizer 1, transfers 1: the path takes 2 x 2 +
 * 2 x 3.5 + 2 + 1 = 14. */
static void test_ideal_by_hand(void)
{
    g_autoptr(lag_job) job = two_stage_job();
    g_autofree lag_seconds *ideal = g_new(lag_seconds, lag_job_size(job));

    lag_job_ideal(job, ideal);
    for (uint32_t i = 0; i < job->n_nodes; i++) {
        bool backward = job->nodes[i].kind == LAG_OP_BACKWARD;
        lag_seconds expected = job->nodes[i].kind == LAG_OP_FORWARD ? 2 : backward ? 3.5 : 1;
        g_assert_cmpfloat(ideal[i], ==, expected);
    }
    memcpy(job->work, ideal, lag_job_size(job) * sizeof(*ideal));
    g_assert_cmpfloat(step_of(job), ==, 14);
}

static lag_seconds edited(const struct lag_job_edit *edit)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_job) job = two_stage_job();
    g_autoptr(lag_job) changed = lag_job_edited(job, edit, &error);

    g_assert_no_error(error);
    g_assert_cmpfloat(step_of(job), ==, 14); /* the original stays */
    return step_of(changed);
}

/* On the path above: rank 0 twice as fast saves (2 + 4) / 2; balanced stages keep the sums; a link of
 * double bandwidth saves half of both transfers. With two micro-batches stage 0 does F F B B (its
 * warm-up is as many as there are stages), stage 1 F B F B: F0 2, transfer 3, stage 1: F0 3-5, B0
 * 5-8, F1 8-10, B1 10-13, transfer 14, and stage 0: B0 9-13, B1 14-18, optimizer 19. */
static void test_edits_by_hand(void)
{
    static const struct lag_job_edit speed_up = {.kind = LAG_EDIT_SPEED_UP, .factor = 2};
    static const struct lag_job_edit balance = {.kind = LAG_EDIT_BALANCE};
    static const struct lag_job_edit link = {
        .kind = LAG_EDIT_LINK, .link = {LAG_LINK_PIPELINE, 0, 0},
             .factor = 2
    };
    static const struct lag_job_edit batches = {.kind = LAG_EDIT_BATCHES, .count = 2};

    g_assert_cmpfloat(edited(&speed_up), ==, 11);
    g_assert_cmpfloat(edited(&balance), ==, 14);
    g_assert_cmpfloat(edited(&link), ==, 13);
    g_assert_cmpfloat(edited(&batches), ==, 19);
}

/* An interleaved pipeline: two stages with two chunks each, model chunks 0 and 2 on stage 0, 1 and 3
 * on stage 1; one micro-batch. It passes 0 -> 1 -> 0 -> 1 and back, a second for each compute and
 * half a second for each transfer: 8 + 6 x 0.5 = 11. Stage 1's second forward, and stage 0's last
 * backward, have a send that leaves the model, which is nobody's. */
static void test_interleaved(void)
{
    g_autoptr(GString) text = g_string_new("dp_rank,stage,rank,step,optype,start_ts,duration,"
                                           "seq_id,mc,mb_id,gmc\n");
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 8; i++) {
        int chunk = i < 4 ? i : 7 - i, stage = chunk % 2;
        bool forward = i < 4, sends = i != 3;
        const char *way = forward ? "forward" : "backward";
        double start = i * 1.5 - (i > 3 ? 0.5 : 0);
        int seq = forward ? i / 2 : (i - 4) / 2;
        g_string_append_printf(text, "0,%d,%d,0,%s-compute,%g,1,%d,%d,0,%d\n", stage, stage, way,
                               start, seq, chunk / 2, chunk);
        g_string_append_printf(text, "0,%d,%d,0,%s-send,%g,%g,%d,-1,-1,-1\n", stage, stage, way,
                               start + 1, sends && i != 7 ? 0.5 : 0.0, seq);
        if (i != 0 && i != 4)
            g_string_append_printf(text, "0,%d,%d,0,%s-recv,%g,0.5,%d,-1,-1,-1\n", stage, stage,
                                   way, start - 0.5, seq - (stage == (forward ? 0 : 1)));
    }
    g_autoptr(lag_job) job = parse_job(text->str, &error);
    g_assert_no_error(error);
    uint32_t n_idle = 0;
    for (uint32_t i = 0; i < job->n_nodes; i++)
        n_idle += job->nodes[i].idle;
    g_assert_cmpuint(n_idle, ==, 2);
    g_assert_cmpfloat_with_epsilon(step_of(job), 11, 1e-12);
    static const struct lag_job_edit batches = {.kind = LAG_EDIT_BATCHES, .count = 2};
    g_assert_null(lag_job_edited(job, &batches, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
}

/* An operation of a job with one data-parallel rank and one step. */
struct row {
    uint32_t stage;
    const char *kind;
    uint32_t seq;
    lag_seconds start, end;
};

/* The trace was made by hand with all its rules: replayed, everything ends when it ended. */
static void assert_replays(const struct row *rows, size_t n)
{
    g_autoptr(GString) text = g_string_new("dp_rank,stage,rank,step,optype,start_ts,duration,"
                                           "seq_id,mc,mb_id,gmc\n");
    g_autoptr(GError) error = NULL;

    for (size_t i = 0; i < n; i++)
        g_string_append_printf(
            text, "0,%u,%u,0,%s,%g,%g,%u,0,%u,%u\n", rows[i].stage, rows[i].stage, rows[i].kind,
            rows[i].start, rows[i].end - rows[i].start, rows[i].seq, rows[i].seq, rows[i].stage);
    g_autoptr(lag_job) job = parse_job(text->str, &error);
    g_assert_no_error(error);
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    lag_job_replay(job, job->work, end);
    for (uint32_t i = 0; i < job->n_nodes; i++)
        g_assert_cmpfloat(end[i], ==, job->start[i] + job->duration[i]);
}

/* All forwards first, and a slow stage 1: its second receive is launched when its first forward has
 * ended, 7, and takes a second that nothing hides. Likewise stage 0's second receive of a gradient
 * is launched at 16. */
static void test_receives_wait(void)
{
    static const struct row rows[] = {
        {0, "forward-compute",  0, 0,  1 },
        {0, "forward-compute",  1, 1,  2 },
        {0, "forward-send",     0, 1,  2 },
        {0, "forward-send",     1, 2,  8 },
        {0, "backward-recv",    0, 1,  15},
        {0, "backward-recv",    1, 16, 17},
        {0, "backward-compute", 0, 15, 16},
        {0, "backward-compute", 1, 17, 18},
        {1, "forward-recv",     0, 0,  2 },
        {1, "forward-recv",     1, 7,  8 },
        {1, "forward-compute",  0, 2,  7 },
        {1, "forward-compute",  1, 8,  13},
        {1, "backward-compute", 0, 13, 14},
        {1, "backward-compute", 1, 14, 15},
        {1, "backward-send",    0, 14, 15},
        {1, "backward-send",    1, 15, 17},
    };

    assert_replays(rows, G_N_ELEMENTS(rows));
}

/* Stage 1 has the first gradient at 4, but stage 0 does three forwards before its first backward,
 * and launches the receive after the last but one of them, at 9. */
static void test_first_backward_waits(void)
{
    static const struct row rows[] = {
        {0, "forward-compute",  0, 0,  1  },
        {0, "forward-compute",  1, 1,  9  },
        {0, "forward-compute",  2, 9,  9.5},
        {0, "forward-send",     0, 1,  2  },
        {0, "forward-send",     1, 9,  10 },
        {0, "forward-send",     2, 10, 12 },
        {0, "backward-recv",    0, 9,  10 },
        {0, "backward-recv",    1, 11, 13 },
        {0, "backward-recv",    2, 14, 15 },
        {0, "backward-compute", 0, 10, 11 },
        {0, "backward-compute", 1, 13, 14 },
        {0, "backward-compute", 2, 15, 16 },
        {1, "forward-recv",     0, 0,  2  },
        {1, "forward-recv",     1, 3,  10 },
        {1, "forward-recv",     2, 11, 12 },
        {1, "forward-compute",  0, 2,  3  },
        {1, "backward-compute", 0, 3,  4  },
        {1, "forward-compute",  1, 10, 11 },
        {1, "backward-compute", 1, 11, 12 },
        {1, "forward-compute",  2, 12, 13 },
        {1, "backward-compute", 2, 13, 14 },
        {1, "backward-send",    0, 4,  10 },
        {1, "backward-send",    1, 12, 13 },
        {1, "backward-send",    2, 14, 15 },
    };

    assert_replays(rows, G_N_ELEMENTS(rows));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/job/published", test_published);
    g_test_add_func("/job/by-hand", test_by_hand);
    g_test_add_func("/job/ideal-by-hand", test_ideal_by_hand);
    g_test_add_func("/job/edits-by-hand", test_edits_by_hand);
    g_test_add_func("/job/interleaved", test_interleaved);
    g_test_add_func("/job/receives-wait", test_receives_wait);
    g_test_add_func("/job/first-backward-waits", test_first_backward_waits);
    return g_test_run();
}
