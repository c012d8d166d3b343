import { DEFAULT_LIMITS, type RecordLimits } from '../../../core/adapter/bounds';
import { noNetwork } from '../../../core/adapter/outbound';
import { noResources } from '../../../core/adapter/no-resources';
import type { BatchLocation, OperatorContext } from '../../../core/adapter/operator';
import { Registry } from '../../../core/adapter/registry';
import { type Clock, systemClock } from '../../../core/concurrency/clock';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { type Batch, type FlowRecord, originOf } from '../../../core/data/record';
import { flowError, isFlowError } from '../../../core/errors/flow-error';
import { operators } from '../../../core/operators';
import { compileOperators } from '../../../core/steps/compile-operators';
import { EventLoopYield } from '../../../core/concurrency/event-loop-yield';
import { parseConfig } from '../../../core/steps/parse-config';
import type { CalledOperators } from '../../../core/steps/offloaded-operators';
import { explainedError, FusedOperators } from '../../../core/steps/fused-operators';
import type { Invocation } from '../../../core/steps/step';
import { MessageSizeLimit } from './message-size-limit';
import { LogLines } from './log-lines';
import { type JobContext, errorMessage } from './messages';

/** The settings of a job with operators. */
interface OperatorSettings extends CalledOperators {
    readonly visit: Pick<Invocation, 'sourceKey' | 'batchNo' | 'number'>;
    readonly place?: BatchLocation;
    readonly mode?: OperatorContext['mode'];
}

const registry = Registry.of(operators);

/** Applies record operators in sequence. Sends the result of each record, its rejection, and its log lines. */
export async function recordsJob({ settings, items, send }: JobContext): Promise<JsonObject> {
    const { calls, env, limits, visit } = settings as unknown as OperatorSettings;
    const clock: Clock = { ...systemClock, now: () => env.startedAt };
    const compiled = compileOperators(
        calls.map(({ call }) => call),
        { registry, env: { ...env, clock }, place: env.stepKey, limits: given(limits) },
    ).map((operator, index) => {
        if (operator.form === 'record') return { ...operator, position: calls[index]!.position };
        throw flowError('BUG', {
            problem: `${operator.op} was sent as an operator that works on one record at a time`,
        });
    });
    const batch = recordsOf(items);
    const pace = new EventLoopYield({ clock: systemClock });
    const lines = new LogLines(send);
    const fusedOperators = new FusedOperators(compiled, batch, {
        stepKey: env.stepKey,
        visit: { ...visit, earlier: [] },
        pace,
        log: lines.log,
        reject: (index, error) => lines.write({ reject: index, error: errorMessage(error) }),
    });
    const held = new MessageSizeLimit();
    for (const [index, { data }] of batch.entries()) {
        if (pace.isDue) await pace.turn();
        const passing = fusedOperators.pass(index);
        if (passing) await passing;
        for (const made of fusedOperators.out.splice(0)) {
            held.take(made.data);
            lines.write(made.data === data ? { from: index } : { from: index, data: made.data });
        }
        await lines.sent();
    }
    const reads = compiled.flatMap(operator => operator.reads ?? []).map(one => one.report());
    return { expanded: fusedOperators.expanded, filtered: fusedOperators.filtered, reads };
}

/** Applies one batch operator. Sends the resulting records, each with the records that it was made of, and the rejections. */
export async function batchJob({ settings, items, send }: JobContext): Promise<JsonObject> {
    const { calls, env, limits, place, mode = 'preview' } = settings as unknown as OperatorSettings;
    const { call } = calls[0]!;
    const operator = registry.get('operator', call.op);
    if (operator.form !== 'batch') throw flowError('BUG', { problem: `${call.op} was sent as a batch operator` });
    const batch = recordsOf(items);
    const known = new Map(batch.map((record, index) => [record, index]));
    const made = new Map<FlowRecord, readonly number[]>();
    const pace = new EventLoopYield({ clock: systemClock });
    const lines = new LogLines(send);
    const alien = (): never => {
        throw flowError('BUG', { problem: `${call.op} requires a service that this process does not have` });
    };
    const adapter = {
        ...noResources,
        stepKey: env.stepKey,
        mode,
        signal: new AbortController().signal,
        log: lines.log,
        clock: { ...systemClock, now: () => env.startedAt },
        outbound: noNetwork,
        platform: undefined,
    };
    const cx: OperatorContext = {
        ...adapter,
        recall: alien,
        gone: alien,
        remember: alien,
        reject: (record, error) => lines.write({ reject: known.get(record)!, error: errorMessage(error) }),
        warn: (record, error) => lines.write({ warn: known.get(record)!, error: errorMessage(error) }),
        derive: (data, from) => {
            const record = { data, origin: originOf(from, batch[0]?.origin.seq) };
            made.set(
                record,
                from.map(one => known.get(one)!),
            );
            return record;
        },
        turn: async () => {
            if (pace.isDue) await pace.turn();
        },
        place: place!,
        limits: given(limits) ?? DEFAULT_LIMITS,
    };
    const fn = await operator.open(parseConfig(call.op, operator.config, call.args), adapter);
    const held = new MessageSizeLimit();
    for (const record of await answerOf(operator.code, calls[0]!.position, () => fn(batch, cx))) {
        const same = known.get(record);
        if (same === undefined) held.take(record.data);
        lines.write(same === undefined ? { of: made.get(record) ?? [], data: record.data } : { same });
        await lines.sent();
    }
    await lines.sent();
    return {};
}

/** An unexpected error of an operator rejects its batch, as in a run. */
async function answerOf(op: string, position: number, work: () => Batch | Promise<Batch>): Promise<Batch> {
    try {
        return await work();
    } catch (error) {
        throw isFlowError(error) ? error : explainedError({ op, position }, error);
    }
}

function recordsOf(items: readonly JsonValue[]): readonly FlowRecord[] {
    return items.map(item => {
        const [seq, data] = item as readonly [number, JsonObject];
        return { data, origin: { seq } };
    });
}

/** JSON has no undefined, and null for infinite limits. */
function given(limits: RecordLimits | undefined | null): RecordLimits | undefined {
    return limits ?? undefined;
}
