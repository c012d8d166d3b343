import { type FlowError, flowError } from '../errors/flow-error';

/** What a step of a step test may hand on at a time, and have to show in all, in characters as `weightOf` counts them. */
export const TRIAL_CHARS = 4 * 1024 * 1024;
/** So many records may come to one place of a step; GraphQL goes through all of a list without a turn of the event loop. */
export const TRIAL_RECORDS = 10_000;

/** What ends a step test that has more. */
export function tooMuchTried(): FlowError {
    return flowError('STEP_TEST_TOO_LARGE', { most: `${TRIAL_CHARS / 1024 / 1024} MiB` });
}

/** What ends a step test with more records at one place. */
export function tooManyTried(): FlowError {
    return flowError('STEP_TEST_TOO_LARGE', { most: `${TRIAL_RECORDS} records at one place` });
}
