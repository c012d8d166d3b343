import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { issueAsJson } from '../../core/pipeline/issues';
import type { CheckLimits } from '../../core/pipeline/parse';
import { issueFacts } from '../../core/schema/issues';
import { readingInput } from '../../core/pipeline/read-input';
import type { YieldingTask } from '../../core/concurrency/yielding-task';

/** The first draft of a new pipeline: a manual trigger without further steps. */
export const FIRST_DRAFT: JsonObject = {
    version: 1,
    steps: [{ key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } }],
    edges: [],
};

/**
 * A definition as the user wrote it, including invalid steps. It is rejected only if it cannot be stored. Throws DEFINITION_MALFORMED if it is not a JSON
 * object, and INPUT_INVALID if it is too large, too deep or has a forbidden key.
 */
export function* readingDraft(input: unknown, { maxValues }: Pick<CheckLimits, 'maxValues'>): YieldingTask<JsonObject> {
    const { value, issues } = yield* readingInput(input, maxValues);
    if (value !== undefined && issues.length === 0) return value;
    const details = { issues: issues.map(issueAsJson) };
    const malformed = issues.find(({ code }) => code === 'DEFINITION_MALFORMED');
    if (malformed) throw flowError('DEFINITION_MALFORMED', { problem: issueFacts([malformed]) }, { details });
    throw flowError('INPUT_INVALID', { problem: issueFacts(issues.slice(0, 3)) }, { details });
}
