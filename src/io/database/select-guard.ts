import { type FactText, clause } from '../../core/errors/rendered';
import type { SqlDialect, SqlToken } from './sql-tokens';
import { sqlTokensOf } from './sql-tokens';

/** A query that may be read, and what is needed to wrap it. */
export interface CheckedSelect {
    readonly sql: string;
    /** How many values it takes. */
    readonly parameters: number;
    /** It sorts its rows itself, at its outermost level. */
    readonly isSorted: boolean;
    /** It limits its rows itself, at its outermost level. */
    readonly isLimited: boolean;
}

/** A query that may be read, or why not, as the end of a sentence about it. */
type SelectCheck = CheckedSelect | { readonly problem: FactText };

/** Longer ones are programs. */
export const MAX_QUERY = 100_000;

/**
 * Functions with effects other than their rows, by the beginning of their names (`…*`) or whole. Functions that a
 * READ ONLY transaction stops are listed too if the database's own message would confuse users.
 */
const REFUSED_FUNCTIONS: Readonly<Record<SqlDialect, readonly string[]>> = {
    postgres: [
        'pg_sleep*',
        'pg_advisory_*',
        'pg_try_advisory_*',
        'set_config',
        'pg_notify',
        'lo_creat*',
        'lo_from_bytea',
        'lo_import*',
        'lo_export',
        'lo_unlink',
        'lo_put',
        'lo_get',
        'lo_open',
        'lo_close',
        'lo_lseek*',
        'lo_tell*',
        'lo_truncate*',
        'loread',
        'lowrite',
        'nextval',
        'setval',
        'pg_read_*',
        'pg_ls_*',
        'pg_stat_file',
        'pg_file_*',
        'pg_logdir_ls',
        'pg_terminate_backend',
        'pg_cancel_backend',
        'pg_reload_conf',
        'pg_rotate_logfile*',
        'pg_promote',
        'pg_switch_*',
        'pg_create_*',
        'pg_drop_*',
        'pg_copy_*',
        'pg_start_backup',
        'pg_stop_backup',
        'pg_backup_*',
        'pg_wal_replay_*',
        'pg_export_snapshot',
        'pg_log_*',
        'pg_logical_*',
        'pg_replication_*',
        'pg_import_system_collations',
        'pg_stat_reset*',
        'pg_stat_statements_reset',
        'pg_stat_clear_snapshot',
        'pg_stat_force_next_flush',
        'pg_prewarm',
        'autoprewarm_*',
        'binary_upgrade_*',
        'pg_stop_making_pinned_objects',
        'setseed',
        'pg_extension_config_dump',
        'pg_nextoid',
        'pg_truncate_visibility_map',
        'pg_buffercache_evict*',
        'pg_background_*',
        'pg_sync_replication_slots',
        'pg_restore_*',
        'pg_clear_*',
        'heap_force_*',
        'bytea_import',
        'xslt_process',
        'brin_summarize_*',
        'brin_desummarize_range',
        'gin_clean_pending_list',
        'dblink*',
        'postgres_fdw_*',
        'query_to_xml*',
        'cursor_to_xml*',
        'table_to_xml*',
        'schema_to_xml*',
        'database_to_xml*',
        'ts_stat',
        'ts_rewrite',
        'crosstab*',
        'connectby',
        'xpath_table',
        'plpgsql_call_handler',
        'http',
        'http_get',
        'http_post',
        'http_put',
        'http_patch',
        'http_delete',
        'http_head',
        'http_set_curlopt',
        'http_reset_curlopt',
    ],
    mysql: [
        'sleep',
        'benchmark',
        'get_lock',
        'release_lock',
        'release_all_locks',
        'load_file',
        'master_pos_wait',
        'source_pos_wait',
        'master_gtid_wait',
        'wait_for_executed_gtid_set',
        'wait_until_sql_thread_after_gtids',
        'wsrep_sync_wait_upto_gtid',
        'nextval',
        'setval',
        'sys_exec',
        'sys_eval',
        'sys_set',
        'sys_get',
        'spider_*',
        'group_replication_*',
        'asynchronous_connection_failover_*',
        'service_*_locks',
        'keyring_*',
        'audit_log_*',
        'load_rewrite_rules',
        'flush_rewrite_rules',
        'mysql_firewall_*',
        'set_firewall_*',
        'version_tokens_*',
        'gen_blocklist',
    ],
    sqlite: ['load_extension', 'readfile', 'writefile', 'edit', 'fts3_tokenizer', 'fsdir', 'eval'],
};

const PATTERNS = Object.fromEntries(
    Object.entries(REFUSED_FUNCTIONS).map(([dialect, names]) => [
        dialect,
        new RegExp(`^(?:${names.map(name => name.replaceAll('*', '.*')).join('|')})$`, 'is'),
    ]),
) as Readonly<Record<SqlDialect, RegExp>>;

/**
 * Words that no reading query has outside of quotation marks. In MySQL's language these are reserved, so they cannot
 * be names; the other two languages are parsed, which shows what their words do.
 */
const REFUSED_WORDS: Readonly<Record<SqlDialect, readonly string[]>> = {
    postgres: ['INTO'],
    mysql: ['INTO', 'OUTFILE', 'DUMPFILE', 'UPDATE', 'DELETE', 'CALL', 'LOCK', 'PROCEDURE', 'LOAD', 'DROP', 'ALTER'],
    sqlite: ['INTO'],
};

/** Whether a function has other effects than its result. */
export function isForbiddenFunction(name: string, dialect: SqlDialect): boolean {
    return PATTERNS[dialect].test(name);
}

/** How a forbidden function is reported. */
export function forbiddenFunction(name: string): FactText {
    return clause`it calls ${name}(), which does more than read`;
}

/**
 * Checks by the query's text alone whether it is one SELECT that only reads. This is the first of three guards: a
 * real parser checks the query too where one covers the whole language, and the query runs in a READ ONLY transaction
 * that is rolled back.
 */
export function checkSelect(given: string, dialect: SqlDialect): SelectCheck {
    const sql = given.trim();
    if (sql.length > MAX_QUERY)
        return { problem: clause`it has ${sql.length} characters; allowed: at most ${MAX_QUERY}` };
    const lexed = sqlTokensOf(sql, dialect);
    if ('problem' in lexed) return lexed;
    const { tokens } = lexed;
    const [first] = tokens;
    if (!first || !isWord(first, 'SELECT')) return { problem: clause`it must begin with SELECT` };
    const problem = structureProblem(tokens) ?? wordProblem(tokens, dialect);
    if (problem !== undefined) return { problem };
    const parameters = parametersOf(tokens, dialect);
    if (typeof parameters !== 'number') return { problem: parameters };
    return { sql, parameters, ...outermost(tokens) };
}

function isWord({ kind, text }: SqlToken, word: string): boolean {
    return kind === 'word' && text.toUpperCase() === word;
}

function structureProblem(tokens: readonly SqlToken[]): FactText | undefined {
    let depth = 0;
    for (const { kind, text } of tokens) {
        if (kind !== 'mark') continue;
        if (text === ';') return clause`it holds a semicolon; allowed: one statement, without one at its end`;
        if (text === '(') depth++;
        if (text === ')' && --depth < 0) return clause`it closes a bracket that it has not opened`;
    }
    return depth === 0 ? undefined : clause`it opens a bracket that it does not close`;
}

function wordProblem(tokens: readonly SqlToken[], dialect: SqlDialect): FactText | undefined {
    const rejected = REFUSED_WORDS[dialect];
    for (const [i, token] of tokens.entries()) {
        const { kind, text } = token;
        if (kind !== 'word' && kind !== 'quoted') continue;
        const isCalled = tokens[i + 1]?.kind === 'mark' && tokens[i + 1]!.text === '(';
        if (isCalled && isForbiddenFunction(text, dialect)) return forbiddenFunction(text);
        if (kind !== 'word' || isQualified(tokens, i)) continue;
        const word = text.toUpperCase();
        if (rejected.includes(word)) return clause`it holds ${word}, which does more than read`;
        if (word === 'FOR' && locks(tokens[i + 1]))
            return clause`it locks rows (FOR ${tokens[i + 1]!.text.toUpperCase()})`;
        if (dialect === 'mysql' && word === 'VALUE' && isNext(tokens, i))
            return clause`it moves a sequence (NEXT VALUE FOR)`;
    }
    return undefined;
}

/** A name after the name of its table, which may be any word. */
function isQualified(tokens: readonly SqlToken[], i: number): boolean {
    const [dot, owner] = [tokens[i - 1], tokens[i - 2]];
    return dot?.kind === 'mark' && dot.text === '.' && (owner?.kind === 'word' || owner?.kind === 'quoted');
}

function locks(next: SqlToken | undefined): boolean {
    return next?.kind === 'word' && ['UPDATE', 'SHARE', 'NO', 'KEY'].includes(next.text.toUpperCase());
}

function isNext(tokens: readonly SqlToken[], i: number): boolean {
    return [tokens[i - 1], tokens[i + 1]].every((token, side) => token && isWord(token, side === 0 ? 'NEXT' : 'FOR'));
}

/** The number of values that the query takes, or what is wrong with its parameters. */
function parametersOf(tokens: readonly SqlToken[], dialect: SqlDialect): number | FactText {
    const requested = tokens.filter(({ kind }) => kind === 'parameter').map(({ text }) => text);
    if (dialect !== 'postgres') return requested.length;
    const positions = new Set(requested.map(text => Number(text.slice(1))));
    const highest = Math.max(0, ...positions);
    if (positions.has(0)) return clause`it holds $0; allowed: $1, $2 …`;
    if (highest > positions.size) {
        const missing = Array.from({ length: positions.size + 1 }, (_, i) => i + 1).find(n => !positions.has(n))!;
        return clause`it holds $${highest} and no $${missing}; allowed: $1, $2 … without a gap`;
    }
    return highest;
}

function outermost(tokens: readonly SqlToken[]): Pick<CheckedSelect, 'isSorted' | 'isLimited'> {
    let depth = 0;
    let isSorted = false;
    let isLimited = false;
    for (const [i, token] of tokens.entries()) {
        if (token.kind === 'mark') depth += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
        if (depth > 0) continue;
        if (isWord(token, 'ORDER') && tokens[i + 1] && isWord(tokens[i + 1]!, 'BY')) isSorted = true;
        if (isWord(token, 'LIMIT') || isWord(token, 'FETCH') || isWord(token, 'OFFSET')) isLimited = true;
    }
    return { isSorted, isLimited };
}
