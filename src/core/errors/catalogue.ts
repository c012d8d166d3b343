/**
 * What the engine does about an error (architecture, "Errors"): `config` fails the run until somebody changes something,
 * `transient` is retried, `record` rejects one record, `request` is the API caller's mistake, `stop` ends the work as asked,
 * `bug` is a broken invariant.
 */
export type Treatment = 'config' | 'transient' | 'record' | 'request' | 'stop' | 'bug';

export interface ErrorSpec {
    readonly treat: Treatment;
    /** The message; `{name}` is replaced by the fact of that name. */
    readonly text: string;
}

/** Every error that Flow reports. Codes are never reused or renamed; `docs/reference/errors.md` is generated from this. */
export const ERRORS = {
    // Definitions and configuration
    DEFINITION_MALFORMED: { treat: 'config', text: 'The pipeline definition is no valid JSON object: {problem}.' },
    DEFINITION_INVALID: { treat: 'config', text: 'The pipeline definition has {count} fault(s): {summary}' },
    ADAPTER_NOT_FOUND: { treat: 'config', text: 'No {kind} has the code "{code}". {hint}' },
    ADAPTER_DUPLICATE: { treat: 'config', text: 'Two adapters of kind {kind} have the code or alias "{code}".' },
    OPTION_INVALID: { treat: 'config', text: 'FlowPlugin option {option}: {problem}.' },
    FORBIDDEN: { treat: 'config', text: '{who} lacks the permission {permission}, which {what} needs.' },
    ACTOR_GONE: { treat: 'config', text: 'The user that the run acts for ({who}) does not exist any more or has no access to the channel.' },
    CHANNEL_NOT_FOUND: { treat: 'config', text: 'No channel has the token "{token}". Known: {known}.' },
    STOCK_LOCATION_NOT_FOUND: { treat: 'config', text: 'The channel has no stock location "{name}"; {known}.' },
    PRICE_STRATEGY_UNSUPPORTED: { treat: 'config', text: 'The shop\'s ProductVariantPriceUpdateStrategy ({strategy}) answers a promise; a bulk load can only ask one that answers at once.' },
    DATABASE_UNSUPPORTED: { treat: 'config', text: 'Flow works on PostgreSQL, MariaDB, MySQL and SQLite (better-sqlite3); the shop uses "{type}".' },
    DATABASE_REFUSED: { treat: 'config', text: 'The database refused a statement: {problem}.' },

    // Records
    RECORD_INVALID: { treat: 'record', text: 'Field "{path}": {problem}.' },
    RECORD_REFUSED: { treat: 'record', text: 'The database refused the record: {problem}.' },
    OPERATOR_FAILED: { treat: 'record', text: 'Operator {op} (number {position}): {problem}.' },

    // The source
    SOURCE_MALFORMED: { treat: 'config', text: 'The source is malformed at {where}: {problem}.' },

    // The world
    DATABASE_LOST: { treat: 'transient', text: 'The database does not answer: {problem}.' },
    DATABASE_BUSY: { treat: 'transient', text: 'The database is busy (deadlock, lock or serialization): {problem}.' },

    // Runs
    RUN_CANCELLED: { treat: 'stop', text: 'The run was cancelled.' },
    WORKER_STOPPED: { treat: 'stop', text: 'The worker shuts down; another one goes on with the run.' },
    LEASE_LOST: { treat: 'stop', text: 'Another worker has taken the run over.' },
    ERROR_BUDGET_EXCEEDED: { treat: 'config', text: '{rejected} of {read} records were rejected; errorHandling.{limit} allows {allowed}.' },
    NO_PROGRESS: { treat: 'config', text: 'The run was taken over {takeovers} times without one committed batch in between.' },

    // The API's callers
    PIPELINE_NOT_FOUND: { treat: 'request', text: 'No pipeline of this channel has the id "{id}".' },
    RUN_NOT_FOUND: { treat: 'request', text: 'No run of this channel has the id "{id}".' },
    PIPELINE_NOT_RUNNABLE: { treat: 'request', text: 'Pipeline "{code}" cannot be started: {problem}.' },
    RUN_STATE_CONFLICT: { treat: 'request', text: 'The run is {status}; only {allowed} runs can be {action}.' },

    BUG: { treat: 'bug', text: 'Something broke inside Flow: {problem}.' },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;

/** The facts that an error of this code must carry: one for each placeholder of its text. */
export type ErrorFacts<C extends ErrorCode> = { readonly [K in Placeholders<(typeof ERRORS)[C]['text']>]: string | number };
