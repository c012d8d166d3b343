import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup } from '../../core/schema/groups';
import type { JsonValue } from '../../core/value/json';
import { connectionCode, wholeNumber, withRules } from '../../core/schema/fields';
import { type CheckedSelect, checkSelect, MAX_QUERY } from '../../io/database/select-guard';
import { checkServer, pool, serverFields, ssl } from '../connections/database-fields';
import { DATABASE_ALIASES, DATABASE_TYPES, type DatabaseType, DIALECTS } from '../connections/database-target';

const MAX_PARAMETERS = 1_000;
const MAX_TEXT = 100_000;

const columnName = (title: string, description: string) => z.string().min(1).max(255).meta({ title, description });

const pagination = withRules(
    z.strictObject({
        enabled: z.boolean().default(true).meta({ title: 'Enabled', description: 'Reads the query in pages.' }),
        type: z.enum(['OFFSET', 'CURSOR']).default('OFFSET').meta({
            title: 'Type',
            description:
                'OFFSET skips a number of rows. CURSOR continues after the last row: it stays fast, and rows that are added or deleted in the meantime do not cause losses.',
            aliases: {},
        }),
        pageSize: wholeNumber(
            { min: 1, max: 100_000 },
            { title: 'Page size', description: 'The number of rows per statement.' },
        ).default(1_000),
        cursorColumn: columnName(
            'Cursor column',
            'For CURSOR: the column of the query that orders the rows. Several rows may have the same value, but it must not be NULL.',
        ).optional(),
        cursorTieBreakerColumn: columnName(
            'Tie breaker column',
            'For CURSOR: a second column with unique and constant values, for rows with the same value in the first column. Must not be NULL.',
        ).optional(),
        maxPages: wholeNumber(
            { min: 1, max: 1_000_000 },
            {
                title: 'Most pages',
                description:
                    'The maximum number of pages per run. With incremental, the next run continues there; without it, more pages fail the run.',
            },
        ).optional(),
    }),
    ({ enabled, type, cursorColumn, cursorTieBreakerColumn }, issue) => {
        if (enabled !== true || type !== 'CURSOR') return;
        if (cursorColumn === undefined) issue('cursorColumn', clause`is missing; pagination of type CURSOR needs it`);
        if (cursorTieBreakerColumn === undefined)
            issue('cursorTieBreakerColumn', clause`is missing; pagination of type CURSOR needs it`);
        else if (cursorTieBreakerColumn === cursorColumn)
            issue(
                'cursorTieBreakerColumn',
                clause`is "${cursorColumn}" as cursorColumn is; allowed: another column, which is unique`,
            );
    },
);

const incremental = z.strictObject({
    enabled: z.boolean().default(false).meta({
        title: 'Enabled',
        description:
            'Each run continues after the last row read by the last completed run. Requires pagination of type CURSOR.',
    }),
    column: columnName('Column', 'Must be the same as pagination.cursorColumn.').optional(),
});

const databaseType = z.enum(DATABASE_TYPES).optional().meta({
    title: 'Database type',
    description: 'PostgreSQL, MySQL (also MariaDB) or SQLite. Default: the type of the connection.',
    aliases: DATABASE_ALIASES,
});

/** The configuration of `database`. */
export const databaseConfig = withRules(
    z.strictObject({
        connectionCode: connectionCode(DATABASE_TYPES, {
            title: 'Connection',
            description: 'A saved connection. Settings of the step override it.',
            typeField: 'databaseType',
        }).optional(),
        databaseType,
        ...inGroup(GROUPS.server, {
            ...serverFields,
            database: serverFields.database.unwrap().max(4096).optional().meta({
                title: 'Database',
                description:
                    "The name of the database. For SQLite: the path of its file (only in pipelines that the shop's code defines), or :memory:.",
            }),
            ssl: ssl.optional().meta({ title: 'TLS', description: 'How the connection is encrypted.' }),
        }),
        query: z.string().min(1).max(MAX_QUERY).meta({
            title: 'Query',
            description:
                'One SELECT without comments and without a semicolon. Write parameters as $1, $2 … (PostgreSQL) or ?.',
            widget: 'textarea',
        }),
        parameters: z
            .array(z.union([z.string().max(MAX_TEXT), z.number(), z.boolean(), z.null()]))
            .max(MAX_PARAMETERS)
            .default([])
            .meta({
                title: 'Parameters',
                description: 'The values of the query parameters, in order.',
                widget: 'json',
            }),
        pagination: pagination.optional().meta({
            title: 'Pagination',
            description: 'Reads the query in pages. Without pagination, one statement reads all rows as a stream.',
        }),
        incremental: incremental
            .prefault({})
            .meta({ title: 'Incremental', description: 'Reads only what is new since the last completed run.' }),
        queryTimeoutMs: wholeNumber(
            { min: 1, max: 300_000 },
            {
                title: 'Query timeout',
                description: 'The time limit of one statement in milliseconds. Default: 30,000. SQLite has no limit.',
            },
        ).optional(),
        pool: pool.optional().meta({
            title: 'Pool',
            description: 'The size of the connection pool and how long idle connections are kept.',
        }),
    }),
    (given, issue) => {
        const {
            connectionCode: code,
            databaseType: type,
            pagination: pages,
            incremental: since,
            query,
            parameters,
        } = given;
        if (code === undefined && type === undefined)
            issue('databaseType', clause`is missing; give it, or the code of a connection (connectionCode)`);
        if (type === 'SQLITE') checkFile(given, issue);
        else {
            checkServer(given, { isWhole: code === undefined }, issue);
            if (code === undefined && given.connectionStringSecretCode === undefined && given.database === undefined)
                issue('database', clause`is missing; give the name of the database`);
        }
        if (typeof query === 'string' && query.length <= MAX_QUERY) checkQuery({ query, parameters, type }, issue);
        if (since?.enabled === true) {
            const cursor = pages?.enabled === true && pages.type === 'CURSOR' ? pages.cursorColumn : undefined;
            if (cursor === undefined)
                issue(
                    'incremental.enabled',
                    clause`is true; allowed: with pagination of type CURSOR, whose place is what is kept`,
                );
            else if (since.column === undefined) issue('incremental.column', clause`is missing; incremental needs it`);
            else if (since.column !== cursor)
                issue(
                    'incremental.column',
                    clause`is "${since.column}"; allowed: pagination.cursorColumn, which is "${cursor}"`,
                );
        }
    },
);

export type DatabaseConfig = z.output<typeof databaseConfig>;

/** Fields of a server, which a file does not have. */
const OF_SERVERS = [
    'host',
    'port',
    'username',
    'passwordSecretCode',
    'connectionStringSecretCode',
    'ssl',
    'queryTimeoutMs',
] as const;

function checkFile(given: Readonly<Record<string, unknown>>, issue: (path: string, problem: FactText) => void): void {
    for (const field of OF_SERVERS)
        if (given[field] !== undefined) issue(field, clause`is not for SQLite, which is a file`);
    if (given['connectionCode'] === undefined && given['database'] === undefined)
        issue('database', clause`is missing; give the path of the file, or :memory:`);
}

interface GivenQuery {
    readonly query: string;
    readonly parameters: unknown;
    readonly type: unknown;
}

/** A connection's type is known when the step is run; until then a query may be one of either language. */
function checkQuery({ query, parameters, type }: GivenQuery, issue: (path: string, problem: FactText) => void): void {
    const types = (DATABASE_TYPES as readonly unknown[]).includes(type) ? [type as DatabaseType] : DATABASE_TYPES;
    const judgements = types.map(one => checkSelect(query, DIALECTS[one]));
    const sound = judgements.filter((judgement): judgement is CheckedSelect => !('problem' in judgement));
    const [first] = judgements;
    if (sound.length === 0 && first && 'problem' in first)
        return issue('query', clause`cannot be run: ${first.problem}`);
    if (!Array.isArray(parameters)) return;
    const values = parameters as readonly JsonValue[];
    if (sound.some(judged => judged.parameters === values.length)) return;
    issue('parameters', countProblem(values.length, sound[0]!.parameters));
}

/** Said of a number of values that the query does not take. */
function countProblem(given: number, desired: number): FactText {
    return clause`has ${given} values; allowed: ${desired}, as many as the query takes`;
}
