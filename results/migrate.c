/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/migrate.h"

#include "sim/laggard.h"

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

static const char *kind(int64_t application)
{
    if (application == LAG_APPLICATION_STORE)
        return "holds results of laggard run";
    if (application == LAG_APPLICATION_CALIBRATION)
        return "holds a calibration";
    return "is the database of another program";
}

/* Inside a transaction: another process may be making the file what it isn't yet. */
static bool check(const lag_database *database, const struct lag_schema *schema, GError **error)
{
    struct state state;

    if (!read_state(database, &state, error))
        return false;
    bool empty = state.application == 0 && state.version == 0 && state.n_tables == 0;
    if (state.application != schema->application && !empty) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s; %s", database->path,
                    kind(state.application), database->remedy);
        return false;
    }
    if (state.version >= 0 && state.version <= schema->n_migrations)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "%s: has version %" G_GINT64_FORMAT " of the schema, and this laggard knows up to "
                "%u; use a newer laggard, or %s",
                database->path, state.version, schema->n_migrations, database->remedy);
    return false;
}

bool lag_schema_check(const lag_database *database, const struct lag_schema *schema, GError **error)
{
    if (!lag_database_exec(database, "BEGIN", error))
        return false;
    bool good = check(database, schema, error);
    return lag_database_exec(database, "ROLLBACK", good ? error : NULL) && good;
}

/* What is missing, inside a transaction. */
static bool apply(const lag_database *database, const struct lag_schema *schema, GError **error)
{
    int64_t version;

    if (!check(database, schema, error) ||
        !lag_database_count(database, "PRAGMA user_version", &version, error))
        return false;
    for (int64_t i = version; i < schema->n_migrations; i++)
        if (!lag_database_exec(database, schema->migrations[i], error))
            return false;
    g_autofree char *marks = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %u",
                                             schema->application, schema->n_migrations);
    return lag_database_exec(database, marks, error) &&
           lag_database_exec(database, "COMMIT", error);
}

bool lag_schema_migrate(const lag_database *database, const struct lag_schema *schema,
                        GError **error)
{
    int64_t version;

    if (!lag_schema_check(database, schema, error) ||
        !lag_database_count(database, "PRAGMA user_version", &version, error))
        return false;
    if (version == schema->n_migrations)
        return true;
    if (!lag_database_exec(database, "BEGIN IMMEDIATE", error))
        return false;
    if (apply(database, schema, error)) /* another process may have been here */
        return true;
    lag_database_exec(database, "ROLLBACK", NULL);
    return false;
}
