import type { AdapterContext } from '../adapter/context';
import type { Batch } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import { type CompiledRecordOperator, Fused } from './fused';
import { type CompiledBatchOperator, type OpenBatchOperator, Shaping, type Stage } from './shaping';
import type { StepProbe } from './probe';
import { StepReads } from './read-paths';
import { rejecter, type Step, type StepEnv, type StepFn, type StepResult, type Visit } from './step';

/** An operator of a transform step, ready to be opened. */
export type CompiledOperator = CompiledRecordOperator | CompiledBatchOperator;

/** Adjacent record operators are fused into one loop; batch operators separate the loops. */
export function transformStep(key: string, operators: readonly CompiledOperator[], probe?: StepProbe): Step {
    if (probe) return { key, touches: 'nothing', open: env => staged(key, operators, { ...env, probe }) };
    const records = operators.filter(operator => operator.form === 'record');
    const remembers = records.length < operators.length;
    const isHere = records.length === operators.length && records.every(({ away }) => !away);
    return {
        key,
        touches: 'nothing',
        remembers,
        open: env => (isHere ? fusedOnly(key, records, env) : staged(key, operators, env)),
    };
}

/** By far the most steps. */
async function fusedOnly(stepKey: string, operators: readonly CompiledRecordOperator[], env: StepEnv): Promise<StepFn> {
    const {
        pace,
        adapter: { log },
    } = env;
    const reads = await StepReads.open(stepKey, operators, env);
    return async (batch, visit) => {
        const refuse = rejecter(stepKey, batch, visit);
        const refused: number[] = [];
        const rejects: Array<StepResult['rejects'][number]> = [];
        const fused = new Fused(operators, batch, {
            stepKey,
            visit,
            pace,
            log,
            reject: (index, error) => {
                refused.push(index);
                rejects.push(refuse(index, error));
            },
        });
        for (let index = 0; index < batch.length; index++) {
            // At each record: one with a long text and a costly pattern may take as long as thousands of others.
            if (pace.isDue) await pace.turn();
            const passing = fused.pass(index);
            if (passing) await passing;
        }
        const { out, dropped, expanded, filtered } = fused;
        return {
            out,
            counts: { expanded, filtered, rejected: rejects.length },
            rejects,
            failed: refused.map(index => batch[index]!.origin),
            dropped,
            memos: reads.news(batch),
        };
    };
}

async function staged(
    stepKey: string,
    operators: readonly CompiledOperator[],
    { probe, ...env }: StepEnv & { readonly probe?: StepProbe },
): Promise<StepFn> {
    const open = await Promise.all(operators.map(operator => opened(operator, env.adapter)));
    const reads = await StepReads.open(stepKey, operators, env);
    const stages = probe ? open.map(alone) : stagesOf(open);
    return async (batch: Batch, visit: Visit) => {
        const shaping = new Shaping(batch, { stepKey, visit, env });
        const told: Array<() => void> = [];
        try {
            for (const [index, stage] of stages.entries()) {
                const { records: before, rejects, warnings } = shaping;
                const [rejected, warned] = [rejects.length, warnings.length];
                await shaping.pass(stage);
                const faults = [...rejects.slice(rejected), ...warnings.slice(warned)];
                // Not later: operators that grow would be waited for, each with all that it has made.
                if (probe) told.push(probe.operator(open[index]!, { before, after: shaping.records, faults }));
            }
        } catch (error) {
            // // A transient error is retried, and the retry reports these results.
            if (asFlowError(error).treat === 'transient') for (const takeBack of told) takeBack();
            throw error;
        }
        for (const stage of stages) if (stage.form === 'batch') env.memory.left(stage.part, visit);
        const result = shaping.result();
        return { ...result, memos: [...(result.memos ?? []), ...reads.news(batch)] };
    };
}

async function opened(
    operator: CompiledOperator,
    cx: AdapterContext,
): Promise<CompiledRecordOperator | OpenBatchOperator> {
    return operator.form === 'record' ? operator : { ...operator, fn: await operator.open(cx) };
}

/** To be looked at one by one. */
function alone(operator: CompiledRecordOperator | OpenBatchOperator): Stage {
    return operator.form === 'batch' ? operator : { form: 'fused', operators: [operator] };
}

function stagesOf(operators: ReadonlyArray<CompiledRecordOperator | OpenBatchOperator>): readonly Stage[] {
    const stages: Array<OpenBatchOperator | { readonly form: 'fused'; readonly operators: CompiledRecordOperator[] }> =
        [];
    for (const operator of operators) {
        const last = stages[stages.length - 1];
        if (operator.form === 'batch') stages.push(operator);
        else if (last?.form === 'fused' && !last.operators[0]!.away === !operator.away) last.operators.push(operator);
        else stages.push({ form: 'fused', operators: [operator] });
    }
    return stages;
}
