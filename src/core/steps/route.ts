import type { Batch, FlowRecord, Origin } from '../data/record';
import { flowError, type FlowError, isFlowError } from '../errors/flow-error';
import type { AsyncCondition } from './async-condition';
import { DEFAULT_BRANCH, type RouteMode } from './route-config';
import type { Reject } from '../ports/ports';
import { warnOfRecord } from './record-warning';
import { rejecter, type Step, type StepEnv, type StepFn } from './step';

/** The compiled branches of a ROUTE step. */
export interface Routing {
    readonly mode: RouteMode;
    readonly branches: ReadonlyArray<{ readonly name: string; readonly test: AsyncCondition }>;
    /** The branches that have an edge. A record of another branch has reached its end. */
    readonly ways: ReadonlySet<string>;
}

/** Sends records to different branches. A record that takes several of them becomes several records. */
export function routeStep(key: string, routing: Routing): Step {
    return { key, touches: 'nothing', open: async env => routed(key, routing, env) };
}

function routed(stepKey: string, { mode, branches, ways }: Routing, { pace, adapter: { log } }: StepEnv): StepFn {
    return async (batch: Batch, visit) => {
        const refuse = rejecter(stepKey, batch, visit);
        const lists = new Map<string, FlowRecord[]>([...ways].map(name => [name, []]));
        const rejects: Reject[] = [];
        const failed: Origin[] = [];
        let [expanded, filtered] = [0, 0];
        let seq = 0;
        const { sourceKey } = visit;
        const doubts = {
            warn: (path: string, problem: string) =>
                warnOfRecord(log, { by: 'ROUTE', seq, sourceKey }, { path, problem }),
        };
        for (const [index, record] of batch.entries()) {
            const names: string[] = [];
            ({ seq } = record.origin);
            try {
                for (const { name, test } of branches) {
                    // At each branch: a record with a long text and a costly pattern may take as long as thousands of others.
                    if (pace.isDue) await pace.turn();
                    const met = test(record.data, pace, doubts);
                    if (!(typeof met === 'boolean' ? met : await met)) continue;
                    names.push(name);
                    if (mode === 'FIRST') break;
                }
            } catch (thrown) {
                rejects.push(refuse(index, unjudged(thrown)));
                failed.push(record.origin);
                continue;
            }
            if (names.length === 0) names.push(DEFAULT_BRANCH);
            const taken = names.map(name => lists.get(name)).filter(list => list !== undefined);
            if (taken.length === 0) filtered++;
            else expanded += taken.length - 1;
            for (const list of taken) list.push(record);
        }
        return {
            out: [...lists.values()].flat(),
            routed: lists,
            counts: { expanded, filtered, rejected: rejects.length },
            rejects,
            failed,
        };
    };
}

/** Returns the record error of a text that exceeds the limit of a pattern. Any other error is a bug in the condition. */
function unjudged(thrown: unknown): FlowError {
    if (isFlowError(thrown) && thrown.treat === 'record') return thrown;
    throw flowError(
        'BUG',
        { problem: `a condition failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` },
        { cause: thrown },
    );
}
