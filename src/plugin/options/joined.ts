import { flowError } from '../../core/errors/flow-error';
import type { SchemaIssue } from '../../core/schema/issues';

/** The elements of one option, with the place that they come from: the plugin options, a connector or a file. */
export interface SourcedList<T> {
    readonly place: string;
    readonly list: readonly T[];
}

interface Named {
    readonly code: string;
    readonly channel?: string;
}

/** How the elements of an option are distinguished. */
export interface Identity {
    readonly option: string;
    /** The noun for one of them: "pipeline". */
    readonly what: string;
    /** Whether another channel may have one with the same code. */
    readonly perChannel: boolean;
}

/** All lists as one. Throws OPTION_INVALID for a duplicate code, with both places. */
export function joinLists<T extends Named>(
    lists: ReadonlyArray<SourcedList<T>>,
    { option, what, perChannel }: Identity,
): readonly T[] {
    const places = new Map<string, string>();
    const issues: SchemaIssue[] = [];
    for (const { place, list } of lists) {
        for (const { code, channel } of list) {
            const key = JSON.stringify(perChannel ? [code, channel] : [code]);
            const first = places.get(key);
            if (first === undefined) places.set(key, place);
            else {
                const where = first === place ? `twice in ${place}` : `twice, in ${first} and in ${place}`;
                const scope = perChannel ? ' within a channel' : '';
                issues.push({
                    path: option,
                    message: `the code "${code}" comes ${where}; each ${what} needs its own code${scope}`,
                });
            }
        }
    }
    if (issues.length > 0) throw optionInvalid(issues);
    return lists.flatMap(({ list }) => list);
}

/** OPTION_INVALID with all issues. */
export function optionInvalid(issues: readonly SchemaIssue[]): Error {
    const option = [...new Set(issues.map(issue => issue.path || 'object'))].join(', ');
    return flowError('OPTION_INVALID', { option, problem: issues.map(issue => issue.message).join('; ') });
}
