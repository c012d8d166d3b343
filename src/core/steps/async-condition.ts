import type { JsonObject } from '../value/json';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import { compileConditions, type Condition, type ComparisonWarnings } from '../operators/logic/condition';

/** Like a Test, but returns a promise if the event loop has to turn between two of its conditions. */
export type AsyncCondition = (
    data: JsonObject,
    pace: Pick<EventLoopYield, 'isDue' | 'turn'>,
    comparisonWarnings: ComparisonWarnings,
) => boolean | Promise<boolean>;

/**
 * Like `compileConditions`. A list may contain a hundred patterns, each of which a long text may keep busy for a tenth
 * of a second.
 */
export function compileAsyncCondition(list: readonly Condition[]): AsyncCondition {
    return whileMet(list.map(patient), true);
}

function patient(one: Condition): AsyncCondition {
    if ('all' in one) return compileAsyncCondition(one.all);
    if ('any' in one) return whileMet(one.any.map(patient), false);
    if (!('not' in one)) {
        const test = compileConditions([one]);
        return (data, _, doubts) => test(data, doubts);
    }
    const test = patient(one.not);
    return (data, pace, doubts) => {
        const met = test(data, pace, doubts);
        return typeof met === 'boolean' ? !met : met.then(isMet => !isMet);
    };
}

/** Continues while the tests return `expected`; the first other result decides. */
function whileMet(tests: readonly AsyncCondition[], expected: boolean): AsyncCondition {
    if (tests.length === 1) return tests[0]!;
    const from = (start: number, ...requested: Parameters<AsyncCondition>): ReturnType<AsyncCondition> => {
        const [, pace] = requested;
        for (let i = start; i < tests.length; i++) {
            if (i > start && pace.isDue) return pace.turn().then(() => from(i, ...requested));
            const met = tests[i]!(...requested);
            if (typeof met !== 'boolean')
                return met.then(isMet => (isMet === expected ? from(i + 1, ...requested) : isMet));
            if (met !== expected) return met;
        }
        return expected;
    };
    return (...requested) => from(0, ...requested);
}
