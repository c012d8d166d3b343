import { ERRORS, type ErrorCode, type ErrorSpec, type Treatment } from './catalogue';

/** What helps against most errors that the engine treats in the same way. */
const BY_TREATMENT: Readonly<Record<Treatment, string>> = {
    config: 'Put right what the message names, and start the run again.',
    transient: 'It may have passed by now: start the run again, and look at the other system where it comes back.',
    record: 'Correct the record and replay it, or change the step that rejects it and then replay it.',
    request: 'Put right what the message names, and ask again.',
    stop: 'Nothing has to be put right; start the run again where it should not have ended.',
    bug: 'Report it, with the log of the run; starting it again helps where the cause has passed.',
};

/** What helps against one, where more can be said. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
    DEFINITION_INVALID: 'Open the pipeline, put right what its problems name, and publish it.',
    DEFINITION_MALFORMED: 'Open the pipeline and save its definition again.',
    ADAPTER_NOT_FOUND:
        'Write the code of an adapter that there is, or add the plugin that brings it to this shop and its workers.',
    FORBIDDEN:
        'Add this permission to a role of the user that the run acts for, or let a user who has it publish or start the pipeline.',
    ACTOR_GONE: 'Let a user that there is publish the pipeline or start the run, which then acts for that user.',
    CONNECTION_NOT_FOUND: 'Make the connection in this channel, or name another one in the step.',
    CONNECTION_INVALID: 'Correct the settings of the connection, and test it.',
    SECRET_NOT_FOUND: 'Make the secret in this channel, or name another one.',
    SECRET_UNREADABLE: 'Set the secret again, or give the workers the environment variable that it names.',
    SECRET_HOST_NOT_ALLOWED:
        "Add the host to the allowed hosts of the secret, which needs ManageFlowSecrets, or a change of the shop's code for a secret that is defined there. Or send the secret to an allowed host.",
    MASTER_KEY_INVALID: 'Give the server and all workers the same FLOW_MASTER_KEY, and start them again.',
    STOCK_LOCATION_NOT_FOUND: 'Make the stock location in the shop, or name another one in the step.',
    DATABASE_REFUSED: 'Look at the statement in the log, and at whether all migrations of the shop have run.',
    OUTPUT_TOO_LARGE: 'Raise the limit that the message names, or have the operator make fewer records of one.',
    RECORD_INVALID:
        'Correct the field in the record and replay it, or have a step before this one bring it into shape.',
    FILE_NOT_READ:
        'Correct the file, or how the step reads it, and write the file again: then it is read. Then ignore this record.',
    VALUE_TOO_LARGE: 'Shorten the field, or raise the option that the message names.',
    VALIDATION_FAILED: 'Correct what the rule found and replay the record, or change the rule if it is too strict.',
    SERVICE_REFUSED: 'Correct what the shop says of the record and replay it.',
    TARGET_REFUSED: 'Correct what the target says of the record and replay it.',
    RECORD_REFUSED: 'Correct the value that the database does not take, and replay the record.',
    SCRIPT_FAILED: 'Correct the script, publish the pipeline, and replay the rejected records.',
    SCRIPT_TIMEOUT: 'Make the script do less for one record, or raise its timeout; then replay the record.',
    HOOK_FAILED: 'Correct the hook, or set failOnError: false if the run should continue without it.',
    CHECKPOINT_REFUSED: 'Set resetCheckpoint in the step, so that the source is read from its beginning.',
    QUERY_REFUSED: 'Write the query as the message says, and publish the pipeline.',
    QUERY_FAILED: 'Try the query with the same user in a client of the database, and correct it there.',
    PAGE_LIMIT: 'Raise the limit that the message names, or have the source answer less.',
    SOURCE_MALFORMED: 'Correct the source at the place that the message names; nothing after it was read.',
    OUTBOUND_BLOCKED: 'Add the host to the option security.allowedHostnames if requests to it are allowed.',
    OUTBOUND_ORIGIN: 'Ask the host that the connection names, or make a connection for the other one.',
    OUTBOUND_TOO_LARGE: 'Ask for less at a time: smaller pages, fewer fields.',
    OUTBOUND_TIMEOUT:
        'Look at whether the other system answers, and raise the timeout of the connection where it is only slow.',
    REMOTE_BUSY: 'Start the run again later, or lower throughput.rateLimitRps if it sends too many requests.',
    REMOTE_REFUSED: 'Look at what the other system says, and test the connection: credentials and rights first.',
    REMOTE_MALFORMED: 'Look at what the other system answers: the address may be another one than that of its API.',
    REMOTE_FILE_NOT_FOUND: 'Look at whether the file is still there, and at the rights of the user of the connection.',
    REMOTE_FILE_EXISTS: 'Move the file that is there away, or name another folder in the step.',
    REMOTE_FILE_CHANGED:
        'Have the file written under another name and renamed when it is whole; then start the run again.',
    REMOTE_FILE_TOO_LARGE: 'Have the file cut into smaller ones, or raise the option that the message names.',
    DATABASE_LOST: 'Check whether the database responds; the run then continues by itself.',
    DATABASE_BUSY: 'Start the run again; lower throughput.batchSize where it comes back.',
    STORAGE_FAILED: 'Look at whether the storage of files can be written to and has room.',
    BLOB_NOT_FOUND: 'Upload the file again, and name it in the step.',
    ASSETS_UNSTORABLE: 'Give the shop a storage of pictures, as the message says.',
    VALIDATION_ABORTED:
        'Correct the record at its source, or have the step set such records aside instead of ending the run.',
    ERROR_BUDGET_EXCEEDED:
        'Look at the record errors: one cause has most of them as a rule. Put it right at the source or in the pipeline, then start the run again.',
    NO_PROGRESS:
        'Check the memory and the logs of the workers. Lower throughput.batchSize if they run out of memory. Then resume the run, or cancel it.',
    RUN_CANCELLED: 'A user cancelled it; start it again to load the rest.',
};

/** Whether what was rejected with this code is a record, which can be corrected and replayed. */
export function isReplayable(code: string): boolean {
    const specs: Readonly<Record<string, ErrorSpec>> = ERRORS;
    return !Object.hasOwn(specs, code) || specs[code]!.isReplayable !== false;
}

/** What can be done about an error, in a sentence or two. */
export function remedyOf(code: string): string {
    const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
    if (known === undefined) return BY_TREATMENT.record;
    return BY_CODE[known] ?? BY_TREATMENT[ERRORS[known].treat];
}
