import { ERRORS, type ErrorCode, type ErrorSpec, type Treatment } from './catalogue';

/** What helps against most errors that the engine treats in the same way. */
const BY_TREATMENT: Readonly<Record<Treatment, string>> = {
    config: 'Fix the problem in the message, then start the run again.',
    transient: 'This may be temporary: start the run again. If it happens again, check the other system.',
    record: 'Correct the record and replay it, or change the step that rejects it and then replay it.',
    request: 'Fix the problem in the message, then try again.',
    stop: 'No action is needed. Start the run again if it should not have ended.',
    bug: 'Report this with the log of the run. Starting it again helps if the cause was temporary.',
};

/** What helps against one, where more can be said. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
    DEFINITION_INVALID: 'Open the pipeline, fix the problems it lists, and publish it.',
    DEFINITION_MALFORMED: 'Open the pipeline and save its definition again.',
    ADAPTER_NOT_FOUND:
        'Use the code of an existing adapter, or add the plugin that provides it to this shop and its workers.',
    FORBIDDEN:
        'Add this permission to a role of the user that the run acts for, or have a user with this permission publish or start the pipeline.',
    ACTOR_GONE: 'Have an existing user publish the pipeline or start the run. It then runs as that user.',
    CONNECTION_NOT_FOUND: 'Create the connection in this channel, or use another one in the step.',
    CONNECTION_INVALID: 'Correct the settings of the connection, and test it.',
    SECRET_NOT_FOUND: 'Create the secret in this channel, or use another one.',
    SECRET_UNREADABLE: 'Set the secret again, or set its environment variable on the workers.',
    SECRET_HOST_NOT_ALLOWED:
        "Add the host to the allowed hosts of the secret (this requires ManageFlowSecrets; a secret defined in the shop's code is changed there). Or send the secret to an allowed host.",
    MASTER_KEY_INVALID: 'Set the same FLOW_MASTER_KEY for the server and all workers, and restart them.',
    STOCK_LOCATION_NOT_FOUND: 'Create the stock location in the shop, or use another one in the step.',
    DATABASE_REFUSED: 'Check the statement in the log, and whether all migrations of the shop have run.',
    OUTPUT_TOO_LARGE: 'Raise the limit in the message, or make the operator create fewer records.',
    RECORD_INVALID: 'Correct the field in the record and replay it, or convert it in an earlier step.',
    FILE_NOT_READ:
        'Correct the file, or the way the step reads it, and provide the file again. Then ignore this record.',
    VALUE_TOO_LARGE: 'Shorten the field, or raise the option in the message.',
    VALIDATION_FAILED:
        'Correct the value that broke the rule and replay the record, or change the rule if it is too strict.',
    SERVICE_REFUSED: "Correct the record as the shop's message says, and replay it.",
    TARGET_REFUSED: "Correct the record as the target's message says, and replay it.",
    RECORD_REFUSED: 'Correct the value that the database rejects, and replay the record.',
    SCRIPT_FAILED: 'Correct the script, publish the pipeline, and replay the rejected records.',
    SCRIPT_TIMEOUT: 'Make the script faster, or raise its timeout. Then replay the record.',
    HOOK_FAILED: 'Correct the hook, or set failOnError: false if the run should continue without it.',
    CHECKPOINT_REFUSED: 'Set resetCheckpoint in the step to read the source from its beginning.',
    QUERY_REFUSED: 'Correct the query as the message says, and publish the pipeline.',
    QUERY_FAILED: 'Try the query with the same user in a database client, and correct it there.',
    PAGE_LIMIT: 'Raise the limit in the message, or make the source return less.',
    SOURCE_MALFORMED: 'Correct the source at the place in the message. Nothing after it was read.',
    OUTBOUND_BLOCKED: 'Add the host to the option security.allowedHostnames if requests to it are allowed.',
    OUTBOUND_ORIGIN: 'Use the host of the connection, or create a connection for the other host.',
    OUTBOUND_TOO_LARGE: 'Request less at a time: smaller pages, fewer fields.',
    OUTBOUND_TIMEOUT: 'Check whether the other system responds, and raise the timeout of the connection if it is slow.',
    REMOTE_BUSY: 'Start the run again later, or lower throughput.rateLimitRps if it sends too many requests.',
    REMOTE_REFUSED:
        'Check the message of the other system and test the connection: first the credentials and permissions.',
    REMOTE_MALFORMED: 'Check the response of the other system: the address may not be that of its API.',
    REMOTE_FILE_NOT_FOUND: "Check whether the file still exists, and the permissions of the connection's user.",
    REMOTE_FILE_EXISTS: 'Move the existing file, or use another folder in the step.',
    REMOTE_FILE_CHANGED:
        'Write the file under another name and rename it when it is complete. Then start the run again.',
    REMOTE_FILE_TOO_LARGE: 'Split the file into smaller ones, or raise the option in the message.',
    DATABASE_LOST: 'Check whether the database responds; the run then continues by itself.',
    DATABASE_BUSY: 'Start the run again. If the error returns, lower throughput.batchSize.',
    STORAGE_FAILED: 'Check whether the file storage is writable and has free space.',
    BLOB_NOT_FOUND: 'Upload the file again, and select it in the step.',
    ASSETS_UNSTORABLE: 'Configure the storage of images as the message says.',
    VALIDATION_ABORTED:
        'Correct the record at its source, or set the step to reject such records instead of ending the run.',
    ERROR_BUDGET_EXCEEDED:
        'Check the record errors: most of them usually have the same cause. Fix it at the source or in the pipeline, then start the run again.',
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
