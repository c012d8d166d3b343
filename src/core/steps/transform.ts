import type { AdapterContext } from '../adapter/context';
import type { Batch } from '../data/record';
import { asFlowError } from '../errors/flow-error';
import { type CompiledRecordOperator, FusedOperators } from './fused-operators';
import {
    type CompiledBatchOperator,
    type OpenBatchOperator,
    StepTransformation,
    type TransformationStage,
} from './step-transformation';
import type { StepTap } from './step-tap';
import { StepReads } from './read-paths';
import { rejecter, type Step, type StepEnv, type StepFn, type StepResult, type Invocation } from './step';

/** An operator of a transform step, ready to be opened. */
export type CompiledOperator = CompiledRecordOperator | CompiledBatchOperator;

/** Adjacent record operators are fused into one loop; batch operators separate the loops. */
export function transformStep(key: string, operators: readonly CompiledOperator[], tap?: StepTap): Step {
    if (tap) return { key, touches: 'nothing', open: env => staged(key, operators, { ...env, probe: tap }) };
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
        const rejected: number[] = [];
        const rejects: Array<StepResult['rejects'][number]> = [];
        const fusedOperators = new FusedOperators(operators, batch, {
            stepKey,
            visit,
            pace,
            log,
            reject: (index, error) => {
                rejected.push(index);
                rejects.push(refuse(index, error));
            },
        });
        for (let index = 0; index < batch.length; index++) {
            // At each record: one with a long text and a costly pattern may take as long as thousands of others.
            if (pace.isDue) await pace.turn();
            const passing = fusedOperators.pass(index);
            if (passing) await passing;
        }
        const { out, dropped, expanded, filtered } = fusedOperators;
        return {
            out,
            counts: { expanded, filtered, rejected: rejects.length },
            rejects,
            failed: rejected.map(index => batch[index]!.origin),
            dropped,
            memos: reads.news(batch),
        };
    };
}

async function staged(
    stepKey: string,
    operators: readonly CompiledOperator[],
    { probe, ...env }: StepEnv & { readonly probe?: StepTap },
): Promise<StepFn> {
    const open = await Promise.all(operators.map(operator => opened(operator, env.adapter)));
    const reads = await StepReads.open(stepKey, operators, env);
    const stages = probe ? open.map(alone) : stagesOf(open);
    return async (batch: Batch, invocation: Invocation) => {
        const stepTransformation = new StepTransformation(batch, { stepKey, visit: invocation, env });
        const told: Array<() => void> = [];
        try {
            for (const [index, stage] of stages.entries()) {
                const { records: before, rejects, warnings } = stepTransformation;
                const [rejected, warned] = [rejects.length, warnings.length];
                await stepTransformation.pass(stage);
                const issues = [...rejects.slice(rejected), ...warnings.slice(warned)];
                // Not later: operators that grow would be waited for, each with all that it has made.
                if (probe)
                    told.push(
                        probe.operator(open[index]!, { before, after: stepTransformation.records, faults: issues }),
                    );
            }
        } catch (error) {
            // A transient error is retried, and the retry reports these results.
            if (asFlowError(error).treat === 'transient') for (const takeBack of told) takeBack();
            throw error;
        }
        for (const stage of stages) if (stage.form === 'batch') env.memory.left(stage.part, invocation);
        const result = stepTransformation.result();
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
function alone(operator: CompiledRecordOperator | OpenBatchOperator): TransformationStage {
    return operator.form === 'batch' ? operator : { form: 'fused', operators: [operator] };
}

function stagesOf(
    operators: ReadonlyArray<CompiledRecordOperator | OpenBatchOperator>,
): readonly TransformationStage[] {
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
