import type { JsonObject } from '../value/json';
import type { EventLoopYield } from '../work/event-loop-yield';
import { compileConditions, type Condition, type Doubts } from '../operators/logic/condition';

/** Like a Test, but returns a promise if the event loop has to turn between two of its conditions. */
export type PatientTest = (
    data: JsonObject,
    pace: Pick<EventLoopYield, 'isDue' | 'turn'>,
    doubts: Doubts,
) => boolean | Promise<boolean>;

/** As `compileConditions`. A list may hold a hundred patterns, of which a long text may keep each busy for a tenth of a second. */
export function compilePatiently(list: readonly Condition[]): PatientTest {
    return whileMet(list.map(patient), true);
}

function patient(one: Condition): PatientTest {
    if ('all' in one) return compilePatiently(one.all);
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
function whileMet(tests: readonly PatientTest[], expected: boolean): PatientTest {
    if (tests.length === 1) return tests[0]!;
    const from = (start: number, ...asked: Parameters<PatientTest>): ReturnType<PatientTest> => {
        const [, pace] = asked;
        for (let i = start; i < tests.length; i++) {
            if (i > start && pace.isDue) return pace.turn().then(() => from(i, ...asked));
            const met = tests[i]!(...asked);
            if (typeof met !== 'boolean')
                return met.then(isMet => (isMet === expected ? from(i + 1, ...asked) : isMet));
            if (met !== expected) return met;
        }
        return expected;
    };
    return (...asked) => from(0, ...asked);
}
