/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store-schema.h"

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
    "ALTER TABLE result ADD COLUMN source_of_times TEXT;\n"
    "ALTER TABLE result ADD COLUMN throughput_samples_per_s REAL;\n",
    /* Jobs side by side, each with its own ranks, collective and size. */
    "ALTER TABLE result ADD COLUMN job TEXT;\n"
    "ALTER TABLE result ADD COLUMN collective TEXT;\n"
    "ALTER TABLE result ADD COLUMN ranks INTEGER;\n"
    "ALTER TABLE result ADD COLUMN size_bytes INTEGER;\n"
    "ALTER TABLE link_stat ADD COLUMN utilisation_all_jobs REAL;\n",
    "ALTER TABLE result ADD COLUMN critical_path_adding_s REAL;\n",
    /* Sweeps that are cut into shards. */
    "ALTER TABLE run ADD COLUMN shard INTEGER;\n"
    "ALTER TABLE run ADD COLUMN shards INTEGER;\n",
};
const uint32_t lag_store_n_migrations = G_N_ELEMENTS(lag_store_migrations);

static struct lag_schema schema_of(const char *const *migrations, uint32_t n_migrations)
{
    return (struct lag_schema){LAG_APPLICATION_STORE, migrations, n_migrations};
}

bool lag_store_check(const lag_database *database, uint32_t n_migrations, GError **error)
{
    struct lag_schema schema = schema_of(lag_store_migrations, n_migrations);

    return lag_schema_check(database, &schema, error);
}

bool lag_store_migrate(const lag_database *database, const char *const *migrations,
                       uint32_t n_migrations, GError **error)
{
    struct lag_schema schema = schema_of(migrations, n_migrations);

    return lag_schema_migrate(database, &schema, error);
}
