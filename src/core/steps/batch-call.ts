import type { RecordLimits } from '../adapter/bounds';
import type { OperatorContext } from '../adapter/operator';
import type { JsonObject } from '../value/json';
import { type Batch, type FlowRecord, type Origin, originOf } from '../data/record';
import { type FlowError, isFlowError } from '../errors/flow-error';
import type { StateEntry } from '../progress/state-entries';
import { wholeBatch } from './fused-operators';
import { PartState } from './part-state';
import type { StepEnv, Invocation } from './step';
import { clause } from '../errors/rendered';
import { WordedError } from '../errors/worded-error';

/** Replaces the batch index of a record that was made of several records, or of none. */
export const DERIVED_RECORD = -1;

interface BatchCallEnv {
    readonly stepKey: string;
    readonly visit: Invocation;
    readonly env: StepEnv;
    /** The name under which the operator remembers. */
    readonly part: string;
    readonly limits: RecordLimits;
}

/** A record of the call and what is wrong with it. */
interface Faulty {
    readonly record: FlowRecord;
    readonly input: number;
    readonly error: FlowError;
}

/** One call of a batch operator: its access to the run, and its results. */
export class BatchCall {
    readonly context: OperatorContext;
    private readonly state: PartState;
    private readonly refused = new Map<FlowRecord, FlowError>();
    private readonly warnings: Array<readonly [FlowRecord, FlowError]> = [];
    /** For each known record, the index of the input record that it was made of. */
    private readonly known: Map<FlowRecord, number>;
    private byOrigin: Map<Origin, number> | undefined;

    constructor(
        private readonly batch: Batch,
        private readonly inputs: readonly number[],
        private readonly at: BatchCallEnv,
    ) {
        this.known = new Map(batch.map((record, index) => [record, inputs[index]!]));
        this.state = new PartState(at);
        const { visit, env, stepKey, limits } = at;
        const {
            run: { runId },
            adapter,
            pace,
        } = env;
        this.context = {
            ...adapter,
            recall: (keys, scope) => this.state.recall(keys, scope),
            gone: async records => (await env.gone?.(records)) ?? new Set(),
            remember: (record, key, value) => this.state.remember(record, key, value),
            reject: (record, error) => {
                if (!this.refused.has(record)) this.refused.set(record, error);
            },
            warn: (record, error) => void this.warnings.push([record, error]),
            derive: (data, from) => this.derive(data, from),
            turn: async () => {
                if (pace.isDue) await pace.turn();
            },
            place: { runId, stepKey, sourceKey: visit.sourceKey, batchNo: visit.batchNo, visit: visit.number },
            limits,
        };
    }

    get memos(): readonly StateEntry[] {
        return this.state.memos;
    }

    get rejected(): readonly Faulty[] {
        return [...this.refused].map(([record, error]) => ({ record, input: this.inputOf(record), error }));
    }

    /** Warnings about records that continue. */
    get warned(): readonly Faulty[] {
        return this.warnings.map(([record, error]) => ({ record, input: this.inputOf(record), error }));
    }

    /**
     * The result without rejected records, and the origin of each record. An operator without types may return
     * anything.
     */
    read(answer: Batch): { readonly out: Batch; readonly made: readonly number[] } {
        if (!Array.isArray(answer)) throw new WordedError(clause`it did not return a list of records`);
        const out = (answer as Batch).filter(record => !this.refused.has(record));
        for (const record of out) {
            if (typeof record !== 'object' || record === null || typeof record.origin?.seq !== 'number')
                throw new WordedError(clause`it returned something that is not a record`);
            wholeBatch(record.data);
        }
        return { out, made: out.map(record => this.inputOf(record)) };
    }

    /**
     * The error of all records of the batch; undefined for an error that was not meant to be shown. Throws errors that
     * concern more than the batch.
     */
    failure(thrown: unknown): FlowError | undefined {
        if (this.at.env.adapter.signal.aborted) throw thrown;
        if (!isFlowError(thrown)) return undefined;
        if (thrown.treat !== 'record') throw thrown;
        return thrown;
    }

    private derive(data: JsonObject, from: readonly FlowRecord[]): FlowRecord {
        const record = { data, origin: originOf(from, this.batch[0]?.origin.seq) };
        const inputs = new Set(from.map(one => this.inputOf(one)));
        this.known.set(record, inputs.size === 1 ? [...inputs][0]! : DERIVED_RECORD);
        return record;
    }

    /** For a record made without `derive`, its origin identifies the input, if only one record of the batch has that origin. */
    private inputOf(record: FlowRecord): number {
        const known = this.known.get(record);
        if (known !== undefined) return known;
        this.byOrigin ??= this.inputsByOrigin();
        return this.byOrigin.get(record.origin) ?? DERIVED_RECORD;
    }

    private inputsByOrigin(): Map<Origin, number> {
        const inputs = new Map<Origin, number>();
        this.batch.forEach(({ origin }, index) => {
            const input = this.inputs[index]!;
            inputs.set(origin, (inputs.get(origin) ?? input) === input ? input : DERIVED_RECORD);
        });
        return inputs;
    }
}
