import type { RecordLimits } from '../adapter/bounds';
import type { AdapterContext } from '../adapter/context';
import type { BatchFn } from '../adapter/operator';
import type { Batch, FlowRecord, Origin } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import { growth } from '../progress/counters';
import type { StateEntry } from '../progress/state-entries';
import type { Reject } from '../ports/ports';
import { BatchCall, DERIVED_RECORD } from './batch-call';
import { type OffloadedOperator, type CompiledRecordOperator, explainedError, FusedOperators } from './fused-operators';
import type { Reader } from './read-paths';
import { rejecter, type Rejecter, type StepEnv, type StepResult, type Invocation } from './step';

/** A batch operator of a transform step. */
export interface CompiledBatchOperator extends Reader {
    readonly form: 'batch';
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
    /** The name of its memos: it stays the same when other operators are added before or after it. */
    readonly part: string;
    readonly limits: RecordLimits;
    open(cx: AdapterContext): BatchFn | Promise<BatchFn>;
}

export interface OpenBatchOperator extends CompiledBatchOperator {
    readonly fn: BatchFn;
}

export type TransformationStage =
    OpenBatchOperator | { readonly form: 'fused'; readonly operators: readonly CompiledRecordOperator[] };

interface StepTransformationEnv {
    readonly stepKey: string;
    readonly visit: Invocation;
    readonly env: StepEnv;
}

/**
 * One batch on its way through a step with batch operators. For each record it is known from which incoming record it was made. If the record
 * fails, that incoming record is rejected whole, and nothing else that was made of it continues. A record that was made of several is rejected
 * alone, in its current form.
 */
export class StepTransformation {
    /** What the batch has become so far. */
    records: Batch;
    /** For each of the records, which of the batch it was made of; MADE for several or none. */
    private inputs: readonly number[];
    private readonly reject: Rejecter;
    private readonly rejected = new Set<number>();
    readonly rejects: Reject[] = [];
    /** Warnings about records that continue. */
    readonly warnings: Reject[] = [];
    private readonly failed: Origin[] = [];
    private readonly memos: StateEntry[] = [];
    private readonly dropped: FlowRecord[] = [];
    private expanded = 0;
    private filtered = 0;
    /** The number of records that do not continue because they share an origin with a rejected one. */
    private lost = 0;

    constructor(
        private readonly batch: Batch,
        private readonly at: StepTransformationEnv,
    ) {
        this.records = batch;
        this.inputs = batch.map((_, index) => index);
        this.reject = rejecter(at.stepKey, batch, at.visit);
    }

    async pass(transformationStage: TransformationStage): Promise<void> {
        if (this.records.length === 0) return;
        if (transformationStage.form === 'fused') await this.passFused(transformationStage.operators);
        else await this.passBatch(transformationStage);
    }

    result(): StepResult {
        const { records: out, rejects, warnings, failed, memos: stateEntries, dropped, lost } = this;
        // A record that does not continue was counted as expanded first; that count is reverted as far as possible.
        const expanded = Math.max(0, this.expanded - lost);
        const filtered = this.filtered + Math.max(0, lost - this.expanded);
        return {
            out,
            counts: { expanded, filtered, rejected: rejects.length },
            rejects,
            warnings,
            failed,
            memos: stateEntries,
            dropped,
        };
    }

    private async passFused(operators: readonly CompiledRecordOperator[]): Promise<void> {
        const [first] = operators;
        if (first?.away) await this.passAway(operators, first.away);
        else await this.passHere(operators);
    }

    private async passAway(
        operators: readonly CompiledRecordOperator[],
        { elsewhere, ...called }: OffloadedOperator,
    ): Promise<void> {
        const { records, inputs } = this;
        const { env, visit } = this.at;
        const { out, expanded, filtered, reads } = await elsewhere.records({
            ...called,
            calls: operators.map(({ away, position }) => ({ call: away!.call, position })),
            batch: records,
            visit,
            log: env.adapter.log,
            reject: (index, error) => {
                if (!this.refuse(records[index]!, inputs[index]!, error)) this.lost++;
            },
        });
        operators.flatMap(operator => operator.reads ?? []).forEach((one, index) => one.merge(reads[index]!));
        this.expanded += expanded;
        this.filtered += filtered;
        const kept = new Set(out.map(({ from }) => from));
        for (const [index, record] of records.entries()) if (!kept.has(index)) this.dropped.push(record);
        const made = out.map(({ from, data }) => {
            const record = records[from]!;
            return data === record.data ? record : { data, origin: record.origin };
        });
        this.lost += this.continueFrom(
            made,
            out.map(({ from }) => inputs[from]!),
        );
    }

    private async passHere(operators: readonly CompiledRecordOperator[]): Promise<void> {
        const { records, inputs } = this;
        const {
            env: {
                pace,
                adapter: { log },
            },
            stepKey,
            visit,
        } = this.at;
        const fusedOperators = new FusedOperators(operators, records, {
            stepKey,
            visit,
            pace,
            log,
            reject: (index, error) => {
                if (!this.refuse(records[index]!, inputs[index]!, error)) this.lost++;
            },
        });
        const made: number[] = [];
        for (let index = 0; index < records.length; index++) {
            if (pace.isDue) await pace.turn();
            const passing = fusedOperators.pass(index);
            if (passing) await passing;
            while (made.length < fusedOperators.out.length) made.push(inputs[index]!);
        }
        this.expanded += fusedOperators.expanded;
        this.filtered += fusedOperators.filtered;
        for (const record of fusedOperators.dropped) this.dropped.push(record);
        this.lost += this.continueFrom(fusedOperators.out, made);
    }

    private async passBatch(operator: OpenBatchOperator): Promise<void> {
        const { records, inputs } = this;
        const { env, stepKey, visit } = this.at;
        const { part, limits } = operator;
        const call = new BatchCall(records, inputs, { stepKey, visit, env, part, limits });
        let rejected = 0;
        for (const { data } of records) operator.reads?.[0]?.look(data);
        try {
            const { out, made } = call.read(await operator.fn(records, call.context));
            for (const { record, input, error } of call.rejected) if (this.refuse(record, input, error)) rejected++;
            for (const { record, error } of call.warned) this.warnings.push(this.reject.warning(record, error));
            for (const stateEntry of call.memos) this.memos.push(stateEntry);
            const kept = new Set(made);
            for (const [index, record] of records.entries())
                if (inputs[index] !== DERIVED_RECORD && !kept.has(inputs[index]!)) this.dropped.push(record);
            this.continueFrom(out, made);
        } catch (thrown) {
            const error = call.failure(thrown) ?? explainedError(operator, thrown);
            records.forEach((record, index) => {
                if (this.refuse(record, inputs[index]!, error)) rejected++;
            });
            this.continueFrom([], []);
        }
        env.memory.left(operator.part, visit);
        const { expanded, filtered } = growth(records.length - rejected, this.records.length);
        this.expanded += expanded;
        this.filtered += filtered;
    }

    /** False when the record that it comes from has been rejected before. */
    private refuse(record: FlowRecord, input: number, error: FlowError): boolean {
        if (input === DERIVED_RECORD) {
            this.rejects.push(this.reject.made(record, error));
            this.failed.push(record.origin);
            return true;
        }
        if (this.rejected.has(input)) return false;
        this.rejected.add(input);
        this.rejects.push(this.reject(input, error));
        this.failed.push(this.batch[input]!.origin);
        return true;
    }

    /** Answers how many do not. */
    private continueFrom(records: Batch, inputs: readonly number[]): number {
        if (this.rejected.size === 0) {
            this.records = records;
            this.inputs = inputs;
            return 0;
        }
        const stay = inputs.map(input => !this.rejected.has(input));
        this.records = records.filter((_, index) => stay[index]);
        this.inputs = inputs.filter((_, index) => stay[index]);
        return records.length - this.records.length;
    }
}
