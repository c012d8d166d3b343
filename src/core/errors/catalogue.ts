import type { TextFacts } from './rendered';

/**
 * What the engine does about an error: `config` fails the run until a user changes something, `transient` is retried, `record` rejects one record,
 * `request` is the API caller's mistake, `stop` ends the work as requested, `bug` is a broken invariant.
 */
export type Treatment = 'config' | 'transient' | 'record' | 'request' | 'stop' | 'bug';

export interface ErrorSpec {
    readonly treat: Treatment;
    /** The message; `{name}` is replaced by the fact of that name. */
    readonly text: string;
    /**
     * Whether the message may contain values of records, which not every user may read: `quoted` in quotation marks or as numbers, `free` in
     * foreign text at its end. Default: the message has none.
     */
    readonly values?: 'quoted' | 'free';
    /**
     * For rejects that are not records: they cannot be corrected and replayed, because they are only the input from
     * which records would be made.
     */
    readonly isReplayable?: false;
}

/** Every error that Flow reports. Codes are never reused or renamed; `docs/reference/errors.md` is generated from this. */
export const ERRORS = {
    // Definitions and configuration
    DEFINITION_MALFORMED: { treat: 'config', text: 'The pipeline definition is malformed: {problem}.' },
    DEFINITION_INVALID: {
        treat: 'config',
        text: 'The pipeline definition has {count|1 error|# errors}: {summary}',
    },
    ADAPTER_NOT_FOUND: { treat: 'config', text: 'No {kind} has the code "{code}". {hint}' },
    ADAPTER_DUPLICATE: {
        treat: 'config',
        text: 'Two adapters of kind {kind} have the code or alias "{code}": {where}.',
    },
    ADAPTER_REFUSED: { treat: 'config', text: 'The adapter is not registered: {problem}.' },
    OPTION_INVALID: { treat: 'config', text: 'FlowPlugin option {option}: {problem}.' },
    FORBIDDEN: { treat: 'config', text: '{who} lacks the permission {permission}, which {what} needs.' },
    ACTOR_GONE: {
        treat: 'config',
        text: 'The user that the run acts for ({who}) no longer exists or has no access to the channel.',
    },
    CONFIG_FILE_INVALID: { treat: 'config', text: 'The file "{file}" of FlowPlugin option configPath {problem}.' },
    CONNECTION_NOT_FOUND: { treat: 'config', text: 'The channel has no connection {which}. {hint}' },
    CONNECTION_INVALID: { treat: 'config', text: 'The connection "{code}" cannot be used: {problem}.' },
    SECRET_NOT_FOUND: { treat: 'config', text: 'The channel has no secret {which}. {hint}' },
    SECRET_UNREADABLE: { treat: 'config', text: 'The secret "{code}" cannot be read: {problem}.' },
    SECRET_HOST_NOT_ALLOWED: {
        treat: 'config',
        text: 'Secret {code} may not be sent to {host}. {hint}',
    },
    MASTER_KEY_INVALID: {
        treat: 'config',
        text: 'The environment variable {variable} {problem}; allowed: 32 bytes as 64 hexadecimal digits or as base64, for example the output of "openssl rand -hex 32".',
    },
    CHANNEL_NOT_FOUND: {
        treat: 'config',
        text: '{what} uses the channel token "{token}", which no channel has. Known tokens: {known}.',
    },
    STOCK_LOCATION_NOT_FOUND: { treat: 'config', text: 'The channel has no stock location "{name}"; {known}.' },
    PRICE_STRATEGY_UNSUPPORTED: {
        treat: 'config',
        text: "The shop's ProductVariantPriceUpdateStrategy ({strategy}) does not return a list of prices.",
    },
    DATABASE_UNSUPPORTED: {
        treat: 'config',
        text: 'Flow works on PostgreSQL, MariaDB, MySQL and SQLite (better-sqlite3); the shop uses "{type}".',
    },
    MIGRATION_DUPLICATE: {
        treat: 'config',
        text: "The shop's migration {where} creates tables of Flow ({tables}), which Flow's own migrations create. No migration was run. If {where} has never run on any database, delete it. Otherwise remove only its statements about these tables.",
    },
    DATABASE_REFUSED: { treat: 'config', values: 'free', text: 'The database rejected a statement: {problem}.' },
    OUTPUT_TOO_LARGE: {
        treat: 'config',
        text: 'Operator {op} would create {count} records from a batch of {batch}; {field} allows {allowed}.',
    },

    CLIENT_MISSING: {
        treat: 'config',
        text: '"{code}" needs the package {package}, which is not installed: npm install {package}@{version}',
    },
    EXPORT_TOO_LARGE: { treat: 'config', text: 'The exported file is too large: {problem}.' },

    // Records
    RECORD_INVALID: { treat: 'record', values: 'quoted', text: 'Field "{path}": {problem}.' },
    FILE_NOT_READ: {
        treat: 'record',
        values: 'quoted',
        isReplayable: false,
        text: 'The file {path} was not read: {problem}.',
    },
    VALUE_TOO_LARGE: {
        treat: 'record',
        text: 'Field "{path}": operator {op} would make {what} of more than {allowed} characters (plugin option records.{option}).',
    },
    RECORD_REFUSED: { treat: 'record', values: 'free', text: 'The database rejected the record: {problem}.' },
    SERVICE_REFUSED: { treat: 'record', values: 'free', text: 'The shop rejected the record: {problem}.' },
    TARGET_REFUSED: { treat: 'record', values: 'free', text: 'The target rejected the record: {problem}.' },
    VALIDATION_FAILED: { treat: 'record', values: 'quoted', text: '{summary}' },
    SCRIPT_FAILED: { treat: 'record', values: 'free', text: 'The script failed: {problem}.' },
    SCRIPT_TIMEOUT: { treat: 'record', text: 'The script did not end within {timeoutMs} ms.' },
    OPERATOR_FAILED: { treat: 'record', values: 'free', text: 'Operator {op} (number {position}): {problem}.' },

    // Scripts and hooks
    SCRIPT_INVALID: { treat: 'config', text: 'The script cannot be run: {problem}.' },
    SCRIPT_PROCESS_FAILED: {
        treat: 'transient',
        text: 'The process that scripts run in could not be started: {problem}.',
    },
    HOOK_FAILED: { treat: 'config', values: 'free', text: 'Hook {number} of {stage} ({hook}) failed: {problem}.' },

    // The source
    SINK_FAILED: { treat: 'transient', values: 'free', text: 'The sink "{code}" failed: {problem}.' },
    SINK_RESULT_INVALID: { treat: 'config', text: 'The sink "{code}" {problem}.' },
    CHECKPOINT_REFUSED: {
        treat: 'config',
        values: 'quoted',
        text: 'The source cannot resume from the saved position: {problem}.',
    },
    QUERY_REFUSED: { treat: 'config', text: 'The query was not run: {problem}.' },
    QUERY_FAILED: { treat: 'config', values: 'free', text: '{host} rejected the query: {problem}.' },
    PAGE_LIMIT: {
        treat: 'config',
        text: 'The source has more than the {pages} pages that {field} allows. The pages up to the limit are loaded, the rest is not.',
    },
    PAGES_ENDLESS: { treat: 'config', values: 'quoted', text: 'The pages of {host} never end: {problem}.' },
    SOURCE_MALFORMED: { treat: 'config', values: 'quoted', text: 'The source is malformed at {where}: {problem}.' },

    // Servers, networks and databases
    DATABASE_LOST: { treat: 'transient', text: 'The database does not respond: {problem}.' },
    OUTBOUND_BLOCKED: { treat: 'config', text: 'The request to {host} was not sent: {problem}.' },
    OUTBOUND_ORIGIN: { treat: 'config', text: 'The request to {host} was not sent: {problem}.' },
    OUTBOUND_TOO_LARGE: {
        treat: 'config',
        text: 'The connection to {host} was closed because of {what} of more than {maxBytes} bytes.',
    },
    OUTBOUND_TIMEOUT: {
        treat: 'transient',
        text: '{host} {what} within {timeoutMs} ms; tried {attempts} time(s).',
    },
    REMOTE_BUSY: { treat: 'transient', text: '{host} {problem}; tried {attempts} time(s).' },
    REMOTE_REFUSED: { treat: 'config', text: '{host} {problem}.' },
    REMOTE_MALFORMED: { treat: 'config', values: 'quoted', text: 'The response of {host} cannot be read: {problem}.' },
    REMOTE_FILE_NOT_FOUND: { treat: 'config', text: '{host} has no file {path}.' },
    REMOTE_FILE_EXISTS: { treat: 'config', text: '{host} already has a file {path}. It was not changed.' },
    REMOTE_FILE_CHANGED: {
        treat: 'config',
        text: 'The file {path} of {host} changed while it was read: {problem}. The rest of it is not loaded.',
    },
    REMOTE_FILE_TOO_LARGE: {
        treat: 'config',
        text: 'The file {path} of {host} is too large: {problem}; the plugin option security.maxRemoteFileBytes allows {maxBytes} bytes.',
    },
    STORAGE_FAILED: { treat: 'transient', text: 'The file storage could not {what}: {problem}.' },
    ASSETS_UNSTORABLE: {
        treat: 'config',
        text: 'The shop cannot store images: add AssetServerPlugin to its plugins, or set assetOptions.assetStorageStrategy.',
    },
    BLOB_NOT_FOUND: { treat: 'config', text: 'The file storage has no content for the key {key}.' },
    LOAD_UNPREPARED: { treat: 'transient', text: 'Data that the batch depends on has changed in the shop.' },
    LEASES_UNREACHABLE: { treat: 'transient', text: 'The lease cannot be read from Redis: {problem}.' },
    DATABASE_BUSY: { treat: 'transient', text: 'The database is busy (deadlock, lock or serialization): {problem}.' },

    // Runs
    VALIDATION_ABORTED: {
        treat: 'config',
        values: 'quoted',
        text: 'Record {seq} of {source} is not valid, and step "{step}" ends the run at the first such record. {summary} (rule {rule})',
    },
    RUN_CANCELLED: { treat: 'stop', text: 'The run was cancelled.' },
    WORKER_STOPPED: { treat: 'stop', text: 'The worker is shutting down; another worker continues the run.' },
    LEASE_LOST: { treat: 'stop', text: 'Another worker has taken over the run.' },
    ERROR_BUDGET_EXCEEDED: {
        treat: 'config',
        text: '{rejected} of {read} records were rejected; errorHandling.{limit} allows {allowed}.',
    },
    RECORDS_LOST: {
        treat: 'bug',
        text: 'Step "{stepKey}" received {came} records, and only {ended} of them have a result, so the run failed. Start it again to read its source again, and report this to the developers of Flow or of the step\'s adapter.',
    },
    NO_PROGRESS: {
        treat: 'config',
        text: '{deaths} workers in a row stopped without a response while they processed {place}, and none of them made progress. Check the memory and the logs of the workers, then resume or cancel the run.',
    },

    // The API's callers
    PIPELINE_NOT_FOUND: { treat: 'request', text: 'No pipeline of this channel has this id.' },
    REVISION_NOT_FOUND: { treat: 'request', text: 'The pipeline has no revision with this id.' },
    REVISION_CONFLICT: {
        treat: 'request',
        text: '{what} "{code}" has changed since you read it (it is at version {current}, you have version {given}). Read it again and repeat your change.',
    },
    PIPELINE_STATE_CONFLICT: { treat: 'request', text: 'Pipeline "{code}" cannot be {action}: {problem}.' },
    CODE_FIRST_READ_ONLY: {
        treat: 'request',
        text: '{what} "{code}" is defined in the shop\'s code and is read-only here. Change it there.',
    },
    CODE_TAKEN: { treat: 'request', text: 'The code "{code}" is {problem}.' },
    IN_USE: { treat: 'request', text: '{what} "{code}" is used by {users}. Remove it there first.' },
    INPUT_INVALID: { treat: 'request', text: '{problem}.' },
    RECORD_LIMIT: {
        treat: 'request',
        text: 'The body has more than {max} records. Send at most {max} in one request, or raise the option webhooks.maxRecords.',
    },
    CROSS_SITE: {
        treat: 'request',
        text: 'Requests from another site ({origin}) may not use the session cookie. Send a bearer token and no cookie.',
    },
    RECORD_ERROR_NOT_OPEN: {
        treat: 'request',
        text: 'Some of the {count} records are no longer open: someone else is replaying them or has ignored them.',
    },
    RUN_NOT_FOUND: { treat: 'request', text: 'No run of this channel has this id.' },
    HOOK_CHAIN_TOO_LONG: {
        treat: 'config',
        text: 'Pipeline "{code}" is not started by a hook: {count} pipelines have already started one another ({chain}), and at most {max} may do so (option hooks.maxChain).',
    },
    PIPELINE_NOT_RUNNABLE: { treat: 'request', text: 'Pipeline "{code}" cannot be started: {problem}.' },
    REMOTE_ACTION_NOT_FOUND: {
        treat: 'request',
        text: 'No file action of this channel has this id. It may already be done.',
    },
    FILE_NOT_FOUND: { treat: 'request', text: 'No file of this channel has this id.' },
    IMPORT_DRAFT_NOT_FOUND: { treat: 'request', text: 'You have no unfinished import with this id in this channel.' },
    FEED_NOT_FOUND: { treat: 'request', text: 'No feed of this channel has this id.' },
    FEED_UNKNOWN: { treat: 'request', text: 'This address has no feed.' },
    FILE_EXPIRED: {
        treat: 'request',
        text: 'The file "{filename}" expired at {at}. Upload it again with a later expiry, or as persistent.',
    },
    FILE_CORRUPT: {
        treat: 'config',
        text: 'The content of the file "{filename}" is not what was uploaded: {problem}. It is not delivered. Delete it and upload it again.',
    },
    FILE_TYPE_MISMATCH: {
        treat: 'request',
        text: 'The file "{filename}" was rejected: {problem}; allowed: {allowed}.',
    },
    FILE_EMPTY: { treat: 'request', text: 'The file "{filename}" is empty; allowed: at least one byte.' },
    FILE_UNREADABLE: { treat: 'request', text: 'The file "{filename}" cannot be read: {problem}.' },
    IMPORT_SOURCES_BUSY: {
        treat: 'request',
        text: 'This server is already reading {count} sources of imports, its maximum, and others are waiting. Try again in a moment.',
    },
    IMPORT_SOURCES_OF_USER_BUSY: {
        treat: 'request',
        text: 'You are already reading {count} sources of imports, the maximum of a user, and others are waiting. Try again when they have ended.',
    },
    FILE_PREVIEW_BUSY: {
        treat: 'request',
        text: 'This server is already creating {count} file previews, its maximum. Try again in a moment.',
    },
    FILE_PREVIEW_TIMEOUT: {
        treat: 'request',
        text: 'The preview of the file "{filename}" did not finish within {seconds} s, because the file is too large. Pipelines can still read it.',
    },
    FILE_LIMIT: {
        treat: 'request',
        text: 'The channel has {count} files; allowed: at most {allowed}. Delete some, or let them expire.',
    },
    BODY_TOO_LARGE: { treat: 'request', text: 'The {what} is too large; allowed: at most {maxBytes} bytes.' },
    MEDIA_TYPE_UNSUPPORTED: { treat: 'request', text: "The request's {what} is {value}; allowed: {allowed}." },
    RATE_LIMITED: {
        treat: 'request',
        text: 'There were {count} {what} in the last minute, which is the maximum. The next one is possible in {seconds} s.',
    },
    WEBHOOK_REFUSED: {
        treat: 'request',
        text: 'The request was rejected: authentication failed, or this address has no webhook.',
    },
    WEBHOOK_UNAVAILABLE: {
        treat: 'request',
        text: 'The request cannot be accepted now: {problem}. Send it again in {seconds} s.',
    },
    IDEMPOTENCY_CONFLICT: {
        treat: 'request',
        text: 'An earlier request with a different body used this idempotency key. Use another key, or send the same body.',
    },
    UNAUTHENTICATED: {
        treat: 'request',
        text: 'The request has no session of a user; log in and send its token or cookie.',
    },
    RUN_STATE_CONFLICT: { treat: 'request', text: 'The run is {status}; only {allowed} runs can be {action}.' },

    QUERY_TOO_COSTLY: {
        treat: 'request',
        text: 'The operation costs {cost}; allowed: {maxCost} (option api.maxCost). Its most expensive field is {field}, which costs {ofField}. Request fewer rows (options.take) or fewer fields, or send several operations.',
    },
    ANSWER_TOO_LARGE: {
        treat: 'request',
        text: 'The response is larger than the allowed {allowed} {what}: {came} so far, and at least {more} more of {where}. Request smaller pages (options.take), fewer fields, or each field once.',
    },
    ANSWER_BUSY: {
        treat: 'request',
        text: 'The server is busy with other large responses: with {where}, they would exceed the {allowed} characters that it keeps at a time. Try again, or request less.',
    },
    STEP_TEST_BUSY: {
        treat: 'request',
        text: 'This server is already running {count} step tests, its maximum, and others are waiting. Try again in a moment.',
    },
    STEP_TEST_TIMEOUT: {
        treat: 'request',
        text: 'The step test did not finish within {ms} ms. Use fewer records or shorter timeouts.',
    },
    TRIAL_PROCESS_FAILED: {
        treat: 'request',
        text: 'The process for step tests could not be started: {problem}.',
    },
    TRIAL_PROCESS_LOST: {
        treat: 'request',
        text: 'The test needs more than {mib} MiB of memory, or its process was ended ({how}). Use fewer records or a smaller file.',
    },
    STEP_TEST_TOO_LARGE: {
        treat: 'request',
        text: 'The result of the step test is larger than {most}. Use fewer records.',
    },

    EFFECT_UNKNOWN: {
        treat: 'config',
        text: 'Step "{stepKey}" returns effects of the unknown kind "{kind}"; allowed: {allowed}.',
    },

    BUG: { treat: 'bug', values: 'free', text: 'Internal error in Flow: {problem}.' },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** The facts that an error of this code must carry: one for each placeholder of its text. */
export type ErrorFacts<C extends ErrorCode> = TextFacts<(typeof ERRORS)[C]['text']>;
