import type { Client as PgClient } from 'pg';
import { calledFunctions } from './parsed-select';

/** Volatile functions that only read, or that only this session could notice. Any other one may write. */
const HARMLESS = [
    'clock_timestamp',
    'timeofday',
    'random',
    'random_normal',
    'gen_random_uuid',
    'gen_random_bytes',
    'gen_salt',
    'uuidv4',
    'uuidv7',
    'uuid_generate_v1',
    'uuid_generate_v1mc',
    'uuid_generate_v4',
    'currval',
    'lastval',
    'current_query',
    'pg_blocking_pids',
    'pg_collation_actual_version',
    'pg_current_wal_flush_lsn',
    'pg_current_wal_insert_lsn',
    'pg_current_wal_lsn',
    'pg_database_size',
    'pg_indexes_size',
    'pg_is_in_recovery',
    'pg_last_committed_xact',
    'pg_last_wal_receive_lsn',
    'pg_last_wal_replay_lsn',
    'pg_last_xact_replay_timestamp',
    'pg_partition_ancestors',
    'pg_partition_tree',
    'pg_relation_size',
    'pg_table_size',
    'pg_tablespace_size',
    'pg_total_relation_size',
    'pg_xact_commit_timestamp',
    'pg_xact_status',
    'txid_status',
];

/** Functions of these names that are volatile. One with an argument of the type "internal" cannot be called by a query. */
const VOLATILE = `SELECT DISTINCT p.proname AS name FROM pg_catalog.pg_proc p
    WHERE (p.proname = ANY($1) OR (p.proname = ANY($2) AND p.pronargs > 0 AND p.pronargs - p.pronargdefaults <= 1))
    AND p.provolatile = 'v' AND NOT 'internal'::regtype = ANY(p.proargtypes) AND NOT p.proname = ANY($3)
    ORDER BY 1 LIMIT 1`;

/** Whether the role can write to anything other than its own temporary tables. */
const CAN_WRITE = `SELECT r.rolsuper
    OR has_database_privilege(current_database(), 'CREATE')
    OR EXISTS (SELECT 1 FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_(temp|toast)' AND has_schema_privilege(n.oid, 'CREATE'))
    OR EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'f')
        AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        AND c.relnamespace NOT IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname IN ('pg_catalog', 'information_schema'))) AS yes
    FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`;

/**
 * Why a query may not call its functions, as the end of a sentence. A role that can write may call only volatile
 * functions of the list. A role that can only read may call any: the server prevents it from writing.
 */
export async function volatileProblem(client: Pick<PgClient, 'query'>, sql: string): Promise<string | undefined> {
    const { calls, attributes } = await calledFunctions(sql);
    if (calls.length === 0 && attributes.length === 0) return undefined;
    const { rows } = await client.query<{ name: string }>({ text: VOLATILE, values: [calls, attributes, HARMLESS] });
    const [found] = rows;
    if (!found) return undefined;
    const { rows: rights } = await client.query<{ yes: boolean }>(CAN_WRITE);
    if (rights[0]?.yes === false) return undefined;
    return `it calls ${found.name}(), which is volatile and may do more than read. Connect as a role that can only read, or declare a function of your own STABLE`;
}
