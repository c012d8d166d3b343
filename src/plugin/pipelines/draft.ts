import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { issueAsJson } from '../../core/pipeline/issues';
import type { CheckLimits } from '../../core/pipeline/parse';
import { readingInput } from '../../core/pipeline/read-input';
import type { YieldingTask } from '../../core/concurrency/yielding-task';

/** What a new pipeline begins with: somebody can start it, and nothing follows yet. */
export const FIRST_DRAFT: JsonObject = {
    version: 1,
    steps: [{ key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } }],
    edges: [],
};

/**
 * A definition as somebody wrote it, faults of its steps included; only what could not be stored is refused. Throws
 * DEFINITION_MALFORMED for what is no JSON object, INPUT_INVALID for one that is too large, too deep or has a forbidden key.
 */
export function* readingDraft(input: unknown, { maxValues }: Pick<CheckLimits, 'maxValues'>): YieldingTask<JsonObject> {
    const { value, issues } = yield* readingInput(input, maxValues);
    if (value !== undefined && issues.length === 0) return value;
    const details = { issues: issues.map(issueAsJson) };
    const malformed = issues.find(({ code }) => code === 'DEFINITION_MALFORMED');
    if (malformed) throw flowError('DEFINITION_MALFORMED', { problem: malformed.message }, { details });
    throw flowError(
        'INPUT_INVALID',
        {
            problem: issues
                .map(({ message }) => message)
                .slice(0, 3)
                .join('; '),
        },
        { details },
    );
}
