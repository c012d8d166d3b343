import { Bounds, DEFAULT_LIMITS, LIMITS_OF_VALUES } from '../core/adapter/bounds';
import { Registry } from '../core/adapter/registry';
import { systemClock } from '../core/concurrency/clock';
import type { JsonObject, JsonValue } from '../core/value/json';
import { type FlowRecord, originOf } from '../core/data/record';
import type { FlowError } from '../core/errors/flow-error';
import { operators } from '../core/operators';
import { operatorEnv } from '../core/steps/compile-operators';
import { parseWith } from '../core/schema/issues';
import type { LogLevel, StepLog } from '../core/adapter/context';
import type { BatchOperator, OperatorContext, OperatorEnv, RecordLocation } from '../core/adapter/operator';
import { contextWith } from './context';
import { frozenBatch } from './frozen';

/** Operators outside of a run are compiled as if the run started at the beginning of 1970. */
export const ENV: OperatorEnv = operatorEnv({
    env: { clock: { ...systemClock, now: () => 0 }, runId: 'run', stepKey: 'step' },
    registry: Registry.of(operators),
    place: 'step',
    bounds: new Bounds('operator', LIMITS_OF_VALUES),
});
export const TEST_LOCATION: RecordLocation = { seq: 0, id: 'source/0', warn: () => undefined };

/** What became of a batch. */
interface BatchResult {
    readonly out: readonly FlowRecord[];
    readonly rejected: ReadonlyArray<{ readonly record: FlowRecord; readonly error: FlowError }>;
    /** Records that continued. */
    readonly warned: BatchResult['rejected'];
    readonly log: ReadonlyArray<{
        readonly level: LogLevel;
        readonly message: string;
        readonly facts: JsonObject | undefined;
    }>;
    readonly remembered: ReadonlyArray<{ readonly seq: number; readonly key: string; readonly value: JsonValue }>;
    readonly turns: number;
}

interface BareBatchCall {
    readonly operator: BatchOperator;
    readonly args: unknown;
}

/** Runs a batch operator on frozen records as a run would, without a shop or a network. */
export async function runBatch(
    { operator, args }: BareBatchCall,
    records: readonly JsonObject[],
    part: Partial<OperatorContext> = {},
): Promise<BatchResult> {
    const parsed = parseWith(operator.config, args);
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    const result = {
        rejected: [] as Array<BatchResult['rejected'][number]>,
        warned: [] as Array<BatchResult['rejected'][number]>,
        log: [] as Array<BatchResult['log'][number]>,
        remembered: [] as Array<BatchResult['remembered'][number]>,
        turns: 0,
    };
    const line =
        (level: LogLevel) =>
        (message: string, facts?: JsonObject): void =>
            void result.log.push({ level, message, facts });
    const log: StepLog = { debug: line('DEBUG'), info: line('INFO'), warn: line('WARN'), error: line('ERROR') };
    const adapter = contextWith({ log, ...part });
    const cx: OperatorContext = {
        ...adapter,
        recall: async () => new Map(),
        gone: async () => new Set(),
        remember: (record, key, value) => void result.remembered.push({ seq: record.origin.seq, key, value }),
        reject: (record, error) => void result.rejected.push({ record, error }),
        warn: (record, error) => void result.warned.push({ record, error }),
        derive: (data, from) => ({ data, origin: originOf(from) }),
        turn: async () => void result.turns++,
        place: { runId: 'run', stepKey: 'step', sourceKey: 'source', batchNo: 0, visit: 0 },
        limits: DEFAULT_LIMITS,
        ...part,
    };
    const batch = frozenBatch(records);
    const fn = await operator.open(parsed.value, adapter);
    const out = await fn(batch, cx);
    return { ...result, out };
}
