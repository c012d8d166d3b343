import type { AdapterContext } from '../adapter/context';
import type { LookUp } from '../adapter/extractor';
import type { FlowRecord, Origin } from '../data/record';
import { flowError, isFlowError } from '../errors/flow-error';
import type { Reject } from '../ports/ports';
import { rejecter, type Step } from './step';

/**
 * An EXTRACT step with `seedMode: "LOOKUP"` that receives records. Each of them is replaced by the records that are
 * read for it, which get its number. If nothing is read for it, it is filtered.
 */
export function lookupStep(key: string, open: (cx: AdapterContext) => Promise<LookUp>): Step {
    return {
        key,
        touches: 'nothing',
        async open({ adapter, pace }) {
            const lookUp = await open(adapter);
            return async (batch, visit) => {
                const found = await lookUp(batch.map(({ data }) => data));
                if (found.length !== batch.length)
                    throw flowError('BUG', {
                        problem: `step "${key}" was given ${batch.length} records to look up, and has answered for ${found.length}`,
                    });
                const refuse = rejecter(key, batch, visit);
                const out: FlowRecord[] = [];
                const rejects: Reject[] = [];
                const failed: Origin[] = [];
                let [expanded, filtered] = [0, 0];
                for (const [index, answer] of found.entries()) {
                    if (pace.isDue) await pace.turn();
                    const { origin } = batch[index]!;
                    if (isFlowError(answer)) {
                        rejects.push(refuse(index, answer));
                        failed.push(origin);
                        continue;
                    }
                    for (const data of answer) out.push({ data, origin });
                    if (answer.length === 0) filtered++;
                    else expanded += answer.length - 1;
                }
                return { out, counts: { expanded, filtered, rejected: rejects.length }, rejects, failed };
            };
        },
    };
}
