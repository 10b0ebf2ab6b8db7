/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/campaign.h"

#include <pthread.h>

#include "tools/row.h"
#include "tools/trial.h"

#define MAX_BLOCKS 64 /* of one algorithm's replications at a point */

/* Some replications of one algorithm at a point, or of one for each of its jobs. */
struct block {
    struct lag_tally *tallies; /* [n_parts], NULL until it runs */
    GError *error;             /* why it ended early */
};

/* Parts are the jobs that run side by side, or the one that there is. Plans and rows are
 * [entrant * n_parts + part]. */
struct point {
    uint32_t n_entrants, n_parts, n_blocks, n_replications;
    uint32_t first_result;
    uint64_t first_task;    /* tasks are the blocks, [entrant * n_blocks + block] */
    pthread_mutex_t mutex;  /* held while the point is opened */
    lag_scenario *scenario; /* from here on: NULL unless under way */
    lag_plan **plans;       /* [n_entrants * n_parts] */
    struct block *blocks;   /* by task */
    int n_left;             /* tasks; atomic */
};

/* The mutexes are POSIX's, because the thread sanitizer doesn't know GLib's. */
struct lag_campaign {
    const lag_document *document;
    const uint32_t *numbers; /* NULL: 0, 1, 2, ... */
    uint32_t n_points, n_entrants, n_results;
    struct point *points;
    GPtrArray *warnings;
    GArray *buffers; /* of struct lag_nccl_buffer, by result */
    lag_result_set *set;
    struct lag_watch watch;
    pthread_mutex_t mutex; /* for the following */
    uint64_t next_task, n_tasks;
    uint32_t current; /* point of next_task; n_points at the end */
    GError *error;
};

static uint32_t number_of(const lag_campaign *campaign, uint32_t index)
{
    return campaign->numbers != NULL ? campaign->numbers[index] : index;
}

static void free_plans(lag_plan **plans, uint32_t n)
{
    for (uint32_t i = 0; plans != NULL && i < n; i++)
        lag_plan_free(plans[i]);
    g_free(plans);
}

/* All plans of a point, or NULL. */
static lag_plan **make_plans(const lag_scenario *scenario, GError **error)
{
    uint32_t n_parts = lag_scenario_n_parts(scenario), n = scenario->n_entrants * n_parts;
    lag_plan **plans = g_new0(lag_plan *, n);

    for (uint32_t i = 0; i < n; i++) {
        const lag_scenario *part = lag_scenario_part(scenario, i % n_parts);
        plans[i] = lag_trial_plan(part, lag_scenario_entrant(part, i / n_parts), error);
        if (plans[i] == NULL) {
            free_plans(plans, n);
            return NULL;
        }
    }
    return plans;
}

static void close_point(struct point *point)
{
    uint32_t n_tasks = point->n_entrants * point->n_blocks;

    for (uint32_t i = 0; point->blocks != NULL && i < n_tasks; i++) {
        struct lag_tally *tallies = point->blocks[i].tallies;
        for (uint32_t part = 0; tallies != NULL && part < point->n_parts; part++)
            lag_tally_clear(&tallies[part]);
        g_free(tallies);
        g_clear_error(&point->blocks[i].error);
    }
    g_clear_pointer(&point->blocks, g_free);
    free_plans(g_steal_pointer(&point->plans), point->n_entrants * point->n_parts);
    g_clear_pointer(&point->scenario, lag_scenario_free);
}

static void add_warning(lag_campaign *campaign, const char *warning)
{
    if (!g_ptr_array_find_with_equal_func(campaign->warnings, warning, g_str_equal, NULL))
        g_ptr_array_add(campaign->warnings, g_strdup(warning));
}

static void add_warnings(lag_campaign *campaign, const lag_scenario *scenario,
                         lag_plan *const *plans)
{
    uint32_t n_parts = lag_scenario_n_parts(scenario);

    for (guint i = 0; scenario->warnings != NULL && i < scenario->warnings->len; i++)
        add_warning(campaign, g_ptr_array_index(scenario->warnings, i));
    for (uint32_t i = 0; i < scenario->n_entrants * n_parts; i++) {
        const lag_scenario *part = lag_scenario_part(scenario, i % n_parts);
        g_autofree char *warning =
            lag_trial_warning(part, lag_scenario_entrant(part, i / n_parts), plans[i]);
        if (warning != NULL)
            add_warning(campaign, warning);
    }
}

static void add_buffers(lag_campaign *campaign, const lag_scenario *scenario)
{
    uint32_t n_parts = lag_scenario_n_parts(scenario);

    for (uint32_t i = 0; i < scenario->n_entrants * n_parts; i++) {
        const lag_scenario *part = lag_scenario_part(scenario, i % n_parts);
        struct lag_nccl_buffer buffer = {part->dtype, part->element_bytes,
                                         lag_scenario_rank(part, part->root)};
        g_array_append_val(campaign->buffers, buffer);
    }
}

/* Validates the next point and gives it its place among tasks and results. */
static bool add_point(lag_campaign *campaign, uint32_t index, GError **error)
{
    struct point *point = &campaign->points[index];
    g_autoptr(lag_scenario) scenario =
        lag_document_point(campaign->document, number_of(campaign, index), error);

    if (scenario == NULL)
        return false;
    lag_plan **plans = make_plans(scenario, error);
    if (plans == NULL)
        return false;
    add_warnings(campaign, scenario, plans);
    free_plans(plans, scenario->n_entrants * lag_scenario_n_parts(scenario));
    add_buffers(campaign, scenario);
    point->n_entrants = scenario->n_entrants;
    point->n_parts = lag_scenario_n_parts(scenario);
    point->n_replications = scenario->n_replications;
    /* How many a precision takes is not known before: one block does them all. */
    point->n_blocks = scenario->precision > 0 ? 1 : MIN(scenario->n_replications, MAX_BLOCKS);
    point->first_result = campaign->n_results;
    point->first_task = campaign->n_tasks;
    point->n_left = (int)(point->n_entrants * point->n_blocks);
    campaign->n_results += point->n_entrants * point->n_parts;
    campaign->n_tasks += (uint64_t)point->n_entrants * point->n_blocks;
    campaign->n_entrants = MAX(campaign->n_entrants, point->n_entrants);
    if (index == 0) {
        campaign->set->scenario = g_strdup(scenario->name);
        campaign->set->seed = scenario->seed;
    }
    return true;
}

lag_campaign *lag_campaign_new(const lag_document *document, const uint32_t *points, uint32_t n,
                               GError **error)
{
    g_autoptr(lag_campaign) campaign = g_new0(lag_campaign, 1);

    campaign->document = document;
    campaign->numbers = points;
    campaign->points = g_new0(struct point, n);
    campaign->warnings = g_ptr_array_new_with_free_func(g_free);
    campaign->buffers = g_array_new(FALSE, FALSE, sizeof(struct lag_nccl_buffer));
    campaign->set = lag_result_set_new(0);
    pthread_mutex_init(&campaign->mutex, NULL);
    while (campaign->n_points < n) {
        uint32_t index = campaign->n_points++;
        pthread_mutex_init(&campaign->points[index].mutex, NULL);
        if (!add_point(campaign, index, error))
            return NULL;
    }
    campaign->set->fingerprint = g_strdup(lag_document_fingerprint(document));
    return g_steal_pointer(&campaign);
}

void lag_campaign_free(lag_campaign *campaign)
{
    if (campaign == NULL)
        return;
    for (uint32_t i = 0; i < campaign->n_points; i++) {
        close_point(&campaign->points[i]);
        pthread_mutex_destroy(&campaign->points[i].mutex);
    }
    g_free(campaign->points);
    g_ptr_array_unref(campaign->warnings);
    g_array_unref(campaign->buffers);
    lag_result_set_free(campaign->set);
    pthread_mutex_destroy(&campaign->mutex);
    g_clear_error(&campaign->error);
    g_free(campaign);
}

const GPtrArray *lag_campaign_warnings(const lag_campaign *campaign)
{
    return campaign->warnings;
}

uint32_t lag_campaign_n_points(const lag_campaign *campaign)
{
    return campaign->n_points;
}

uint32_t lag_campaign_n_entrants(const lag_campaign *campaign)
{
    return campaign->n_entrants;
}

const lag_result_set *lag_campaign_heading(const lag_campaign *campaign)
{
    return campaign->set;
}

const struct lag_nccl_buffer *lag_campaign_buffers(const lag_campaign *campaign)
{
    return (const struct lag_nccl_buffer *)(const void *)campaign->buffers->data;
}

void lag_campaign_watch(lag_campaign *campaign, struct lag_watch watch)
{
    campaign->watch = watch;
}

/* True where the next task would be a point's first, and no more points are wanted. */
static bool is_stopped(const lag_campaign *campaign)
{
    return campaign->next_task == campaign->points[campaign->current].first_task &&
           campaign->watch.is_stopped != NULL && campaign->watch.is_stopped(campaign->watch.data);
}

/* Takes the next task; false where there is none, or no more sense in it. */
static bool take_task(lag_campaign *campaign, uint32_t *ret_point, uint32_t *ret_task)
{
    bool taken = false;

    pthread_mutex_lock(&campaign->mutex);
    if (campaign->error == NULL && campaign->current < campaign->n_points &&
        !is_stopped(campaign)) {
        const struct point *point = &campaign->points[campaign->current];
        *ret_point = campaign->current;
        *ret_task = (uint32_t)(campaign->next_task++ - point->first_task);
        if (*ret_task + 1 == point->n_entrants * point->n_blocks)
            campaign->current++;
        taken = true;
    }
    pthread_mutex_unlock(&campaign->mutex);
    return taken;
}

/* Makes a point's scenario and plans, if no other thread has. */
static bool open_point(lag_campaign *campaign, uint32_t index, GError **error)
{
    struct point *point = &campaign->points[index];

    pthread_mutex_lock(&point->mutex);
    if (point->scenario == NULL)
        point->scenario = lag_document_point(campaign->document, number_of(campaign, index), error);
    if (point->scenario != NULL && point->plans == NULL)
        point->plans = make_plans(point->scenario, error);
    bool opened = point->plans != NULL;
    if (opened && point->blocks == NULL)
        point->blocks = g_new0(struct block, point->n_entrants * point->n_blocks);
    pthread_mutex_unlock(&point->mutex);
    return opened;
}

static uint32_t first_replication(const struct point *point, uint32_t block)
{
    return (uint32_t)((uint64_t)point->n_replications * block / point->n_blocks);
}

static void run_block(const struct point *point, uint32_t task, lag_trial *trial)
{
    struct block *block = &point->blocks[task];
    uint32_t number = task % point->n_blocks;
    uint32_t first = first_replication(point, number);
    uint32_t n = first_replication(point, number + 1) - first;

    lag_plan **plans = &point->plans[task / point->n_blocks * point->n_parts];

    block->tallies = g_new(struct lag_tally, point->n_parts);
    for (uint32_t i = 0; i < point->n_parts; i++)
        lag_tally_init(&block->tallies[i], plans[i]->n_ranks, point->scenario->topology->n_links);
    if (point->scenario->precision > 0)
        lag_trial_run_precisely(trial, point->scenario, plans, block->tallies, &block->error);
    else
        lag_trial_run_parts(trial, point->scenario, plans, first, n, block->tallies, &block->error);
}

/* Adds the blocks of a row up, into the first of them, and makes it. */
static void finish_row(lag_campaign *campaign, uint32_t index, uint32_t number)
{
    struct point *point = &campaign->points[index];
    uint32_t entrant = number / point->n_parts, part = number % point->n_parts;
    struct lag_result *rows = &campaign->set->results[point->first_result];
    struct block *blocks = &point->blocks[entrant * point->n_blocks];
    const lag_scenario *scenario = lag_scenario_part(point->scenario, part);
    const GError *error = blocks[0].error;

    for (uint32_t i = 1; i < point->n_blocks; i++) {
        lag_tally_merge(&blocks[0].tallies[part], &blocks[i].tallies[part]);
        if (error == NULL)
            error = blocks[i].error;
    }
    lag_row_describe(&rows[number], campaign->document, number_of(campaign, index), scenario,
                     lag_scenario_entrant(scenario, entrant));
    lag_row_fill(&rows[number], scenario, point->plans[number], &blocks[0].tallies[part], error);
    rows[number].speedup = rows[part].exposed.mean / rows[number].exposed.mean;
}

static void finish_point(lag_campaign *campaign, uint32_t index)
{
    struct point *point = &campaign->points[index];
    uint32_t n_rows = point->n_entrants * point->n_parts;
    g_autofree struct lag_tally **tallies = g_new(struct lag_tally *, n_rows);

    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t block = i / point->n_parts * point->n_blocks;
        finish_row(campaign, index, i);
        tallies[i] = &point->blocks[block].tallies[i % point->n_parts];
    }
    struct lag_result *rows = &campaign->set->results[point->first_result];
    for (uint32_t i = 0; point->scenario->n_jobs > 0 && i < n_rows; i += point->n_parts)
        lag_row_share_links(&rows[i], point->scenario, &tallies[i]);
    if (campaign->watch.done != NULL) {
        struct lag_point_done done = {
            .number = number_of(campaign, index),
            .n_rows = n_rows,
            .rows = rows,
            .tallies = tallies,
        };
        campaign->watch.done(campaign->watch.data, &done);
    }
    close_point(point);
}

static void run_task(lag_campaign *campaign, uint32_t index, uint32_t task, lag_trial *trial)
{
    struct point *point = &campaign->points[index];
    GError *error = NULL;

    if (!open_point(campaign, index, &error)) {
        pthread_mutex_lock(&campaign->mutex);
        if (campaign->error == NULL)
            campaign->error = g_steal_pointer(&error);
        pthread_mutex_unlock(&campaign->mutex);
        g_clear_error(&error);
        return;
    }
    run_block(point, task, trial);
    if (g_atomic_int_dec_and_test(&point->n_left))
        finish_point(campaign, index);
}

static void work(gpointer data, gpointer user_data)
{
    lag_campaign *campaign = user_data;
    g_autoptr(lag_trial) trial = lag_trial_new();
    uint32_t point, task;

    (void)data;
    while (take_task(campaign, &point, &task))
        run_task(campaign, point, task, trial);
}

lag_result_set *lag_campaign_run(lag_campaign *campaign, unsigned n_jobs, GError **error)
{
    lag_result_set *set = campaign->set;

    set->n_results = campaign->n_results;
    set->results = g_renew(struct lag_result, set->results, set->n_results);
    for (uint32_t i = 0; i < set->n_results; i++)
        set->results[i] = (struct lag_result){0};
    n_jobs = (unsigned)MIN(n_jobs, campaign->n_tasks);
    GThreadPool *pool = NULL;
    if (n_jobs > 1)
        pool = g_thread_pool_new(work, campaign, (int)n_jobs, FALSE, NULL);
    for (unsigned i = 1; i < n_jobs; i++)
        g_thread_pool_push(pool, campaign, NULL);
    work(NULL, campaign); /* this thread is one of them */
    if (pool != NULL)
        g_thread_pool_free(pool, FALSE, TRUE);
    pthread_mutex_lock(&campaign->mutex);
    bool failed = campaign->error != NULL;
    if (!failed && campaign->current < campaign->n_points)
        set->n_results = campaign->points[campaign->current].first_result;
    pthread_mutex_unlock(&campaign->mutex);
    if (failed)
        g_propagate_error(error, g_steal_pointer(&campaign->error));
    return failed ? NULL : g_steal_pointer(&campaign->set);
}

uint32_t lag_campaign_n_done(const lag_campaign *campaign)
{
    return campaign->current;
}
