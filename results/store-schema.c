/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store-schema.h"

#include "sim/laggard.h"

/* Never change a migration that has been released: add one. The columns of `point` and `result`
 * are those of column.c with _ for its dots; seeds are texts because they have 64 bits without a
 * sign. */
const char *const lag_store_migrations[] = {
    "CREATE TABLE run (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  scenario TEXT NOT NULL,\n"
    "  version TEXT NOT NULL,\n"
    "  git_commit TEXT NOT NULL,\n"
    "  text TEXT NOT NULL,\n"
    "  configuration TEXT NOT NULL,\n"
    "  fingerprint TEXT NOT NULL,\n"
    "  seed TEXT NOT NULL,\n"
    "  arguments TEXT NOT NULL,\n"
    "  detail TEXT NOT NULL,\n"
    "  points INTEGER NOT NULL,\n"
    "  started TEXT NOT NULL,\n"
    "  finished TEXT\n"
    ") STRICT;\n"
    "CREATE TABLE point (\n"
    "  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,\n"
    "  number INTEGER NOT NULL,\n"
    "  coordinates TEXT NOT NULL,\n"
    "  transfers TEXT NOT NULL,\n"
    "  collective TEXT NOT NULL,\n"
    "  ranks INTEGER NOT NULL,\n"
    "  size_bytes INTEGER,\n"
    "  steps INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run, number)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE result (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  run INTEGER NOT NULL,\n"
    "  point INTEGER NOT NULL,\n"
    "  entrant INTEGER NOT NULL,\n"
    "  algorithm TEXT NOT NULL,\n"
    "  label TEXT NOT NULL,\n"
    "  parameters TEXT NOT NULL,\n"
    "  status TEXT NOT NULL,\n"
    "  message TEXT,\n"
    "  engine TEXT NOT NULL,\n"
    "  replications INTEGER NOT NULL,\n"
    "  rounds INTEGER NOT NULL,\n"
    "  messages INTEGER,\n"
    "  wire_bytes INTEGER,\n"
    "  time_s_mean REAL,\n"
    "  time_s_stddev REAL,\n"
    "  time_s_min REAL,\n"
    "  time_s_p50 REAL,\n"
    "  time_s_p95 REAL,\n"
    "  time_s_p99 REAL,\n"
    "  time_s_max REAL,\n"
    "  time_s_ci95_low REAL,\n"
    "  time_s_ci95_high REAL,\n"
    "  exposed_s_mean REAL,\n"
    "  exposed_s_stddev REAL,\n"
    "  exposed_s_min REAL,\n"
    "  exposed_s_p50 REAL,\n"
    "  exposed_s_p95 REAL,\n"
    "  exposed_s_p99 REAL,\n"
    "  exposed_s_max REAL,\n"
    "  exposed_s_ci95_low REAL,\n"
    "  exposed_s_ci95_high REAL,\n"
    "  algbw_Bps REAL,\n"
    "  busbw_Bps REAL,\n"
    "  speedup_vs_first REAL,\n"
    "  bottleneck TEXT,\n"
    "  critical_path_first_rank INTEGER,\n"
    "  critical_path_last_rank INTEGER,\n"
    "  critical_path_compute_s REAL,\n"
    "  critical_path_wait_s REAL,\n"
    "  critical_path_latency_s REAL,\n"
    "  critical_path_bandwidth_s REAL,\n"
    "  critical_path_overhead_s REAL,\n"
    "  critical_path_contention_s REAL,\n"
    "  sensitivity_latency REAL,\n"
    "  sensitivity_inverse_bandwidth_B REAL,\n"
    "  UNIQUE (run, point, entrant),\n"
    "  FOREIGN KEY (run, point) REFERENCES point (run, number) ON DELETE CASCADE\n"
    ") STRICT;\n"
    "CREATE TABLE sample (\n"
    "  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,\n"
    "  replication INTEGER NOT NULL,\n"
    "  step INTEGER NOT NULL,\n"
    "  completion_s REAL,\n"
    "  exposed_s REAL,\n"
    "  PRIMARY KEY (result, replication, step)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE rank_stat (\n"
    "  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,\n"
    "  rank INTEGER NOT NULL,\n"
    "  wait_s REAL,\n"
    "  idle_s REAL,\n"
    "  done_s REAL,\n"
    "  arrived_last INTEGER,\n"
    "  PRIMARY KEY (result, rank)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE link_stat (\n"
    "  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,\n"
    "  link INTEGER NOT NULL,\n"
    "  name TEXT NOT NULL,\n"
    "  bytes REAL,\n"
    "  utilisation REAL,\n"
    "  PRIMARY KEY (result, link)\n"
    ") STRICT, WITHOUT ROWID;\n",
};
const uint32_t lag_store_n_migrations = G_N_ELEMENTS(lag_store_migrations);

struct state {
    int64_t application, version, n_tables;
};

static bool read_state(const lag_database *database, struct state *ret, GError **error)
{
    return lag_database_count(database, "PRAGMA application_id", &ret->application, error) &&
           lag_database_count(database, "PRAGMA user_version", &ret->version, error) &&
           lag_database_count(database, "SELECT count(*) FROM sqlite_master", &ret->n_tables,
                              error);
}

/* Inside a transaction: another process may be making the file what it isn't yet. */
static bool check(const lag_database *database, uint32_t n_migrations, GError **error)
{
    struct state state;

    if (!read_state(database, &state, error))
        return false;
    bool empty = state.application == 0 && state.version == 0 && state.n_tables == 0;
    if (state.application != LAG_STORE_APPLICATION && !empty) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: is the database of another program; name another file with --db",
                    database->path);
        return false;
    }
    if (state.version >= 0 && state.version <= n_migrations)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "%s: has version %" G_GINT64_FORMAT " of the schema, and this laggard knows up to "
                "%u; use a newer laggard, or name another file with --db",
                database->path, state.version, n_migrations);
    return false;
}

bool lag_store_check(const lag_database *database, uint32_t n_migrations, GError **error)
{
    if (!lag_database_exec(database, "BEGIN", error))
        return false;
    bool good = check(database, n_migrations, error);
    return lag_database_exec(database, "ROLLBACK", good ? error : NULL) && good;
}

/* What is missing, inside a transaction. */
static bool apply(const lag_database *database, const char *const *migrations,
                  uint32_t n_migrations, GError **error)
{
    int64_t version;

    if (!check(database, n_migrations, error) ||
        !lag_database_count(database, "PRAGMA user_version", &version, error))
        return false;
    for (int64_t i = version; i < n_migrations; i++)
        if (!lag_database_exec(database, migrations[i], error))
            return false;
    g_autofree char *marks = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %u",
                                             LAG_STORE_APPLICATION, n_migrations);
    return lag_database_exec(database, marks, error) &&
           lag_database_exec(database, "COMMIT", error);
}

bool lag_store_migrate(const lag_database *database, const char *const *migrations,
                       uint32_t n_migrations, GError **error)
{
    int64_t version;

    if (!lag_store_check(database, n_migrations, error) ||
        !lag_database_count(database, "PRAGMA user_version", &version, error))
        return false;
    if (version == n_migrations)
        return true;
    if (!lag_database_exec(database, "BEGIN IMMEDIATE", error))
        return false;
    if (apply(database, migrations, n_migrations, error)) /* another process may have been here */
        return true;
    lag_database_exec(database, "ROLLBACK", NULL);
    return false;
}
