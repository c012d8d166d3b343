import type { JsonObject, JsonValue } from '../value/json';
import { SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';
import { ISSUE_TEXTS } from '../schema/issue-texts';
import { issueAt } from '../schema/issues';
import type { IssueLocation, Issues } from './issues';

interface Limited {
    readonly issues: Issues;
    /** The maximum number of values in one configuration: a schema checks all of them in one stretch. */
    readonly maxConfigValues: number;
}

/** Whether a configuration is small enough for a schema; if not, it reports an error. */
export function* isSmallEnough(
    value: JsonObject,
    { path, ...place }: IssueLocation,
    { issues, maxConfigValues: most }: Limited,
): YieldingTask<boolean> {
    if (most === Infinity || (yield* countingValues(value, most)) <= most) return true;
    issues.add({
        code: 'DEFINITION_TOO_LARGE',
        ...place,
        ...issueAt(path, ISSUE_TEXTS.tooManyValuesOfConfig, { most }),
    });
    return false;
}

/** The number of values in a value, including itself. Counting stops above `most`. */
function* countingValues(value: JsonValue, most: number): YieldingTask<number> {
    let count = 1;
    if (typeof value !== 'object' || value === null) return count;
    for (const part of Object.values(value) as readonly JsonValue[]) {
        count += typeof part === 'object' ? yield* countingValues(part, most - count) : 1;
        if (count > most) return count;
        if (count % SMALL_STEPS === 0) yield;
    }
    return count;
}
