/** One kind of log line, or a phrase that lines contain. */
export interface LogEventSpec {
    /** Default: WARN. */
    readonly level?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
    /** `{name}` is replaced by the fact of that name, and `{count|1 record|# records}` by the form for that number. */
    readonly text: string;
    /** The facts that are values of records, which not every user may read. */
    readonly values?: readonly string[];
    /** The facts that are texts with such values in quotation marks or as numbers. */
    readonly quoted?: readonly string[];
    /** For lines about single records: all of one step count as similar if they have the same error and field. */
    readonly isOfRecords?: true;
}

/** Every event that Flow logs. Codes are never reused or renamed. */
export const LOG_EVENTS = {
    // The run
    RUN_STARTED: { level: 'INFO', text: 'The run has started.' },
    RUN_TAKEN_OVER: {
        text: 'The worker of the run has died; it continues after its last committed batch (attempt {attempt}).',
    },
    RUN_CONTINUED: { level: 'DEBUG', text: 'The run continues.' },
    RUN_RESUMED: { level: 'INFO', text: 'The run was resumed by user {userId}.' },
    RUN_PAUSED: {
        level: 'INFO',
        text: 'The run is paused: {records|1 record waits|# records wait} at step "{step}".',
    },
    RUN_COMPLETED: { level: 'INFO', text: 'The run has completed: {outcome}.' },
    RUN_CANCELLED: { level: 'INFO', text: 'The run was cancelled.' },
    RUN_FAILED: { level: 'ERROR', text: 'The run has failed. {error}' },
    DRY_RUN_STARTED: { level: 'INFO', text: 'The dry run has started; nothing is written to the shop.' },
    DRY_RUN_RELEASED: { level: 'INFO', text: 'The worker has released the dry run; it starts again.' },
    DRY_RUN_LOST: {
        text: 'The worker of the dry run has died, so its plan is lost; the dry run starts again (attempt {attempt}).',
    },
    DRY_RUN_INCOMPLETE: { text: 'The dry run plans more than {most} {what}; it no longer knows of the first ones.' },
    STEP_FINISHED: { level: 'INFO', text: 'Step finished.' },
    RETRYING: { text: '{error} Trying again ({retry} of {of}).', isOfRecords: true },

    // The log itself
    MORE_LINES: { text: '{leftOut} more lines like this one were left out: {line}' },
    MORE_KINDS: {
        text: '{leftOut} more lines of kinds beyond the first {kinds} were left out, for example like this one: {line}',
    },
    LINES_LOST: { text: '{count} lines are missing here: the database did not keep up with the log.' },
    LINES_NOT_SHOWN: { text: '{count} more lines are not shown.' },

    // Gates
    GATE_APPROVED: { level: 'INFO', text: 'The gate "{step}" was approved by user {userId}.' },
    GATE_REJECTED: { level: 'INFO', text: 'The gate "{step}" was rejected by user {userId}.' },
    GATE_PASSED: {
        level: 'INFO',
        text: '{records|1 record continues|# records continue} after step "{step}": fewer records were rejected than it allows.',
    },
    GATE_NOTICE_FAILED: { text: 'The notification could not be sent. {error}' },

    // Hooks and scripts
    HOOK_LINE: { text: '{text}' },
    HOOK_FAILED: { text: '{error}', isOfRecords: true },
    END_HOOK_FAILED: { level: 'ERROR', text: '{error}' },
    WEBHOOK_HOOK_SKIPPED: {
        level: 'DEBUG',
        text: 'The WEBHOOK hook of {stage} is not sent, since nothing leaves the shop now.',
    },
    PIPELINE_HOOK_SKIPPED: {
        level: 'DEBUG',
        text: 'The TRIGGER_PIPELINE hook of {stage} starts nothing, since nothing leaves the run now.',
    },
    PIPELINE_STARTED: { level: 'DEBUG', text: 'The pipeline "{pipeline}" was started by its hook.' },
    PIPELINE_NOT_STARTED: {
        text: 'The pipeline "{pipeline}" was not started by its hook: it led to this run, by {chain}.',
    },
    CONSOLE_CUT: { text: 'The script has written {count} more lines.' },
    SCRIPT_SKIPPED_BATCH: { text: '{error} The batch of {records} records continues unchanged.', isOfRecords: true },
    SCRIPT_SKIPPED_RECORD: { text: '{error} Record {record} continues unchanged.', isOfRecords: true },
    SCRIPT_SKIPPED_MORE: { text: 'The script failed with {count} more records of the batch.' },

    // Records
    RECORD_REJECTED: { text: 'Record {record} of {source} is rejected. {error}', isOfRecords: true },
    RECORD_ACCEPTED: { text: 'Record {record} of {source} continues with a warning. {error}', isOfRecords: true },
    RULE_WARNING: { text: 'Record {record} of {source}: {problem}', quoted: ['problem'], isOfRecords: true },
    RECORD_WARNING: { text: 'Record {record} of {source}: {error}', isOfRecords: true },
    FIELDS_NOT_FOUND: {
        text: 'No record had these fields: {named}. Check the spelling and the order of the steps; an empty cell counts as missing.',
    },
    LOOKUPS_DONE: { level: 'DEBUG', text: 'Look-ups are done.' },
    LOOKUPS_FAILED: {
        text: '{failed} of {records} look-ups failed and got the default. The first: {error}',
        isOfRecords: true,
    },

    // Sources
    SOURCE_NOT_CLOSED: { text: 'The source could not be closed.', values: ['problem'] },
    SOURCE_PARTIAL: { text: 'The source was not read completely: it {why}.' },
    SOURCE_READ_ON: {
        text: 'The source is read on from where an earlier run, which did not complete, has left it, and what that run has loaded is not loaded again. With resetCheckpoint the step reads it from its beginning and loads all of it.',
    },
    SOURCE_READ_ON_LATER: {
        text: 'An earlier run did not complete and stopped before the end of the source. This dry run reads all of it; the next run continues from there.',
    },
    SOURCE_READ_AGAIN: {
        text: 'Run {run} has not completed, and its position is not taken up, because {why}: the source is read from its beginning. What {count|the step|the steps} {steps} {count|has|have} added for records that were loaded then is added again where they are in this source.',
    },
    POSITION_REJECTED: {
        text: 'The source cannot resume from the saved position. Its records are counted from the beginning up to there, and nothing is loaded twice.',
    },
    POSITION_REJECTED_READ_AGAIN: {
        text: 'The source cannot resume from the saved position. It is read again from the beginning.',
    },
    POSITION_REJECTED_ADDED_AGAIN: {
        text: 'The source cannot resume from the saved position. It is read again from the beginning. What {count|the step|the steps} {steps} {count|has|have} added for loaded records is added again if they are repeated.',
    },
    POSITION_MOVED: {
        text: '{who} has moved the saved position of the source in the meantime. The position is not changed, and the next run reads the records after it again.',
    },
    RECORDS_LEFT_AT_GATE: {
        text: 'Records that were read before the source failed, and are not loaded: {records}. The gate {gate} had not released them, and a failed run drops what its gates hold. The next run reads them again.',
    },
    RECORDS_LEFT_IN_BATCH: {
        text: 'Records that were read before the source failed, and are not loaded: {records}. A worker stopped while it loaded their batch, which can only be loaded again as a whole. The next run reads them again.',
    },
    SOURCE_ACTION_FAILED: {
        text: 'What the source wanted done after the run could not be done. The next run of the pipeline does it before it reads. {error}',
        isOfRecords: true,
    },
    MESSAGE_REFUSED: { text: 'The message {id} would start no run: {error}' },
    NAMELESS_MESSAGE_REFUSED: { text: 'A message without an id would start no run: {error}' },

    // Files
    FILE_CHECKED: { level: 'INFO', text: 'The file "{file}" is sound and is read now: {rows|1 record|# records}.' },
    FILE_NOT_FOUND: {
        level: 'ERROR',
        text: 'The file "{fileId}" does not exist or has expired, so nothing is read. Upload it again and set its id in fileId.',
    },
    FILE_EMPTY: { level: 'ERROR', text: 'The file "{file}" is empty; nothing is read.' },
    FILE_WITHOUT_RECORDS: { level: 'ERROR', text: 'The file "{file}" holds no records; nothing is read.' },
    REMOTE_FILE_CHECKED: {
        level: 'INFO',
        text: 'A file is sound and is read now: {rows|1 record|# records} in {file}.',
    },
    REMOTE_FILE_EMPTY: { text: 'The file {file} is empty; nothing is read of it.', isOfRecords: true },
    REMOTE_FILE_SKIPPED: { level: 'ERROR', text: 'A file of {host} is left out: {error}', isOfRecords: true },
    REMOTE_FILES_LEFT: {
        text: 'A run reads at most {most} files. {left|1 file is|# files are} left for the next run, which continues with {file}.',
    },
    REMOTE_FILE_UNFINISHED: {
        text: 'The file {file} is still being written and is not read. If it is abandoned, delete it.',
        values: ['file'],
    },
    FILE_NOT_DELETED: { text: '{file} has changed since it was read, so it is not deleted.', values: ['file'] },
    FILE_NOT_MOVED: { text: '{file} has changed since it was read, so it is not moved.', values: ['file'] },
    FILE_RENAMED: {
        text: '{to} is there already, so {file} was moved to {target}.',
        values: ['to', 'file', 'target'],
    },
    ENTRY_SKIPPED: { text: 'The entry {name} is skipped: it {problem}.', values: ['name'], quoted: ['problem'] },
    ENTRIES_SKIPPED: { text: '{count} more entries are skipped, like those before.' },
    FOLDER_TOO_DEEP: {
        text: 'The folder {folder} is more than {depth} folders deep and is left out.',
        values: ['folder'],
    },
    MORE_FILES: { text: '{count|1 more file is|# more files are} in the folder.' },
    LISTING_CUT: {
        text: 'The listing of {folder} ends here: it has more than {entries} entries or {pages} pages. The rest is not read.',
    },
    LISTING_UNCLEAR: {
        text: '{lines|1 line|# lines} of the listing of {folder} {lines|is|are} not understood and skipped, for example {example}.',
        values: ['example'],
    },
    HEADER_UNNAMED: {
        text: 'The header ({where}) has {count|a column|# columns} without a name, read as {names}.',
    },
    HEADER_AFTER_TITLE: {
        text: 'The header ({where}) has {count|a column|# columns} without a name, read as {names}; if there is a title above the table, remove it or set headerRow.',
    },
    HEADER_ONE_COLUMN: {
        text: 'The header ({where}) is one column, {column}, which holds {delimiter}: if that separates the columns, set delimiter to it.',
        values: ['column'],
    },
    ROWS_ONE_COLUMN: {
        text: 'The first row ({where}) is one column, {cell}, and the second row has {delimiter} as often: if that separates the columns, set delimiter to it.',
        values: ['cell'],
    },
    ROWS_LONGER: {
        text: 'Rows have empty cells after the columns of {owner}, for example {row}; those cells are ignored.',
    },
    COLUMN_INVISIBLE: {
        text: 'The column {column} has invisible characters around its name, which are left out.',
    },
    SHEET_COLUMN_UNNAMED: {
        text: 'The header (row {row}) has no name for column {column}, in which cell {cell} is the first with content; it is read as {name}.',
    },
    SHEET_AFTER_TITLE: {
        text: 'The header (row {row}) has no name for column {column}, in which cell {cell} is the first with content; it is read as {name}; if there is a title above the table, remove it or set headerRow.',
    },
    SHEET_ROW_SHORT: {
        text: 'The first row has no column {column}, in which cell {cell} is the first with content; it is read as {name}.',
    },
    LIST_WITHIN: {
        level: 'INFO',
        text: 'The source is one record, which holds the list {list} of {count} objects; where those are the records, set {option} to {path}.',
    },

    // APIs and databases
    PAGE_EMPTY: { text: 'Page {page} is empty after {read} records; by its server there are {total}.' },
    PAGE_ALONE: {
        text: 'The first page has {rows} records and says nothing of a next one, so it is taken for the only one.',
    },
    PAGES_REPEATED: { text: 'Page {page} and the next one repeat earlier pages, so reading ends before them.' },
    TOTAL_CHANGED: {
        text: "The server's total changed from {known} to {total} records: some were deleted during the reading, so others may have moved to a page that was read before.",
    },
    RESPONSE_ERRORS: {
        text: 'The response of page {page} has {errors} errors in addition to its records: {words}',
        values: ['words', 'codes'],
        isOfRecords: true,
    },
    PIM_FIELDS_MISSING: {
        text: "The PIM's schema has no {fields}. Substitutes are read where they exist; otherwise the shop keeps its values.",
    },
    DATABASE_RIGHTS: {
        text: 'The user that reads the database {excess}. Give the connection a user that may SELECT and nothing else.',
    },
    PAGES_LIMIT: {
        level: 'INFO',
        text: 'The run read the {pages} pages that pagination.maxPages allows; the next run continues there.',
    },

    // Loads
    BATCH_KEPT: {
        text: 'Batch {batch} of {source} was loaded before its run was interrupted, and was read again with different content. The first load is kept.',
    },
    FIELDS_NOT_LOADED: { text: 'Fields of the records that {loader} does not load: {fields}.' },
    BLANKS_LEFT_OUT: {
        text: 'Blanks round a text were left out in {records|one record|# records}, for example in field "{path}": {value}.',
        values: ['value'],
    },
    LOAD_NOTE: {
        text: '{what}: {records|one record|# records}, for example {example}.',
        quoted: ['what'],
        values: ['example'],
    },
    LOAD_NOTE_WHY: {
        text: '{what}: {records|one record|# records}, for example {example}, which {why}.',
        quoted: ['what', 'why'],
        values: ['example'],
    },
    PRICE_STRATEGY_SKIPPED: {
        text: "This load does not call the shop's own price strategies: prices for further channels are made as Vendure's default strategy would.",
    },
    ADDRESSES_REPLACED: {
        text: 'addresses: several records have the {field} {value}, and each replaces the addresses of the one before. For a file with one row for each address, set addressesMode to MERGE, or group the rows with groupBy.',
        values: ['value'],
    },
    PICTURE_UNAVAILABLE: { text: 'A picture cannot be fetched for now: {error}', values: ['error', 'address'] },
    MISSING_LEFT_ALONE: { text: 'What is missing was left alone: {why}.' },
    MISSING_TOO_MANY: {
        text: 'What is missing was left alone: {missing} of {known} that {scope} are missing in the source, and missing.maxShare allows {allowed}.',
    },
    MISSING_DONE: {
        level: 'INFO',
        text: 'Missing in the source: {missing} of {known} that {scope}; the action is {action}.',
    },
    MISSING_STAYS: { text: '{key} is missing in the source, and stays as it is. {error}', values: ['key'] },
    MISSING_STAYS_MORE: { text: 'So it is with {count} more that are missing.' },

    // Sinks
    RECORDS_REPLACED: {
        text: 'Several records of one batch have the identity {identity}: each replaces the one before it. Choose a field that differs from record to record.',
        values: ['identity'],
    },
    INDEX_REBUILT: { level: 'INFO', text: 'The index "{index}" was rebuilt and has replaced the old one.' },
    INDEX_DROPPED: { level: 'INFO', text: 'The index "{index}" is dropped: an earlier rebuild has left it.' },
    INDEX_KEPT: { text: 'The index "{index}" stays as it was, and what was to take its place is dropped: {why}.' },
    RABBITMQ_HTTP_DEPRECATED: {
        text: 'RABBITMQ_HTTP is deprecated: it sends one request a message. Use RABBITMQ.',
    },
    CIRCUIT_OPEN: { text: 'The circuit breaker is open: {error}' },
    CIRCUIT_CLOSED: { level: 'INFO', text: 'The circuit breaker is closed: {host} answers again.' },
    HTML_RECEIVED: {
        text: '{host} answered {status} with a page of HTML. The records count as delivered; see whether the address is the one that takes them.',
    },
    FILE_NOT_WRITTEN: { text: 'No file was written, and the last one stays as it is: {why}.' },
    FILE_WRITTEN: { level: 'INFO', text: 'Wrote {records} records ({bytes} bytes) into {path} of {host}.' },
    EXPORT_WRITTEN: {
        level: 'INFO',
        text: 'Wrote {records} records ({bytes} bytes) into file {file} of the export "{export}".',
    },

    // What is wrong with triggers
    WEBHOOK_OPEN: { text: 'Anyone who knows its address can start runs: authentication is set to NONE.' },
    SECRET_MISSING: { text: 'It rejects all requests: the channel has no secret "{secret}".' },
    EVENTS_GIVEN_UP: { text: '{count} events have started no run, and are tried no more.' },
    SCHEDULE_RESTS: { text: 'It rests, since runs could not be created five times in a row.' },
    MESSAGES_STOPPED: { text: 'No messages come in: {problem}' },
    MESSAGES_REFUSED: {
        text: '{count} messages have started no run, the last one in the last 24 hours; they {fate}.',
    },
    MESSAGES_DROPPED: { text: 'were rejected; name a deadLetterQueue to keep such messages' },
    MESSAGES_KEPT: { text: 'are in "{queue}" with the reason' },
    TRIGGER_INVALID: { text: 'It starts nothing, since its settings are not allowed: {problem}.' },
    FILES_NOT_WATCHED: {
        text: 'Its folder is not watched: {most} FILE triggers are in force before it, and no more are watched.',
    },
    FILES_UNREACHABLE: { text: 'The folder is not watched at the moment: {error}' },
    LISTING_TOO_SLOW: { text: 'it could not be listed within {minutes} minutes.' },
    FILES_LEFT_OUT: { text: '{notes}' },
    FILES_FAILED: {
        text: 'The runs of these files have not completed, and the files will be tried again: {files}.',
    },

    // Phrases, also as facts by their text
    SUCCESS: { text: 'SUCCESS' },
    PARTIAL: { text: 'PARTIAL' },
    HAS_CHANGES_ONLY: { text: 'reads what has changed, and not all that there is' },
    HAS_BEEN_READ_ON: { text: 'was read on from where an earlier run has left it' },
    HAS_NO_FILE: { text: 'has no file' },
    HAS_NOTHING_TO_READ: { text: 'has no file to read' },
    HAS_NO_FILE_WITH_RECORDS: { text: 'has no file with records' },
    HAS_EMPTY_FILE: { text: 'has an empty file' },
    HAS_NO_RECORDS: { text: 'has a file without records' },
    HAS_MORE_FILES: { text: 'has more files than a run reads' },
    HAS_UNLISTED_FILES: { text: 'has files that were not listed' },
    HAS_LINKS: { text: 'has links that are not followed' },
    HAS_UNFINISHED_FILES: { text: 'has files that are still being written' },
    RIGHTS_SUPERUSER: { text: 'is a superuser, whom READ ONLY transactions keep from little' },
    RIGHTS_FILES: { text: "may reach the server's own files and programs ({files})" },
    RIGHTS_PRIVILEGES: {
        text: "has the privilege {rights}, by which queries reach the server's own files or settings",
    },
    FIELD_PROBLEM: { text: 'Field "{path}": {problem}' },
    HEADER: { text: 'the header' },
    FIRST_ROW: { text: 'the first row' },
    ANOTHER_RUN: { text: 'Another run' },
    RUN: { text: 'Run {run}' },
    USER: { text: 'A user' },
    LOADED_BY_STEP: { text: 'this step has loaded' },
    NAMED_BY_FILTERS: { text: 'the filters name' },
    RECORDS_PROVIDED: { text: 'the run was given its records' },
    RUN_HAS_REJECTED: { text: 'the run has rejected records' },
    SOURCE_NOT_READ: { text: 'the source "{source}" was not read in this run' },
    SOURCE_IN_PART: { text: 'the source "{source}" {why}' },
    KEYS_UNKNOWN: {
        text: 'records were dropped before their keys were known; drop them after the step that sets their keys',
    },
    MOVED_BY_COMPLETED: { text: 'only a run that has completed moves it' },
    OTHER_KEY: { text: 'it belongs to another {what}' },
    CHECKPOINT_RESET: { text: 'resetCheckpoint is set' },
    KEY_UNKNOWN: { text: 'what it belongs to is not known any more' },
    PICTURES_SKIPPED: { text: 'Records were loaded without a picture' },
    PARENTS_CREATED: { text: 'Parent collections were created' },
    PRICES_MISSING: { text: 'New variants without a price in {currency} cost 0' },
    PRICES_MISSING_DISABLED: { text: 'Variants without a price in {currency} are disabled' },
} as const satisfies Record<string, LogEventSpec>;

export type LogCode = keyof typeof LOG_EVENTS;

/** The English text of a phrase without facts. Dashboards translate a fact that is one. */
export function phrase(code: LogCode): string {
    return LOG_EVENTS[code].text;
}
