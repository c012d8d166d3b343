import { type FlowError, flowError } from '../errors/flow-error';

/** The maximum size of what a step of a step test may pass on at a time, and show in total, in characters as `weightOf` counts them. */
export const TEST_RUN_CHARS = 4 * 1024 * 1024;
/** The maximum number of records at one place of a step; GraphQL processes a whole list without a turn of the event loop. */
export const TEST_RUN_RECORDS = 10_000;

/** What ends a step test that has more. */
export function testRunTooLarge(): FlowError {
    return flowError('STEP_TEST_TOO_LARGE', { most: `${TEST_RUN_CHARS / 1024 / 1024} MiB` });
}

/** What ends a step test with more records at one place. */
export function tooManyTestRecords(): FlowError {
    return flowError('STEP_TEST_TOO_LARGE', { most: `${TEST_RUN_RECORDS} records at one place` });
}
