import { flowError, type FlowError } from '../../core/errors/flow-error';

/**
 * A row with more characters (its line end counts as one) probably has a quote that was never closed. The limit also
 * bounds memory.
 */
export const MAX_ROW_LENGTH = 4 * 1024 * 1024;

/** SOURCE_MALFORMED for a row that is too long. */
export function rowTooLong(line: number): FlowError {
    return rowMalformed(line, `the row is longer than ${MAX_ROW_LENGTH} characters; a quote may not be closed`);
}

/** SOURCE_MALFORMED, with the line of the row. */
export function rowMalformed(line: number, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where: `line ${line}`, problem });
}
