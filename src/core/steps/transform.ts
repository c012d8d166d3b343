import { DROP, type RecordFn } from '../adapter/operator';
import type { JsonObject } from '../data/json';
import type { Batch, FlowRecord } from '../data/record';
import { flowError, isFlowError, type FlowError } from '../errors/flow-error';
import type { Step, StepResult } from './step';
import { rejecter } from './step';

/** An operator of a transform step, ready to work. */
export interface CompiledOperator {
    readonly op: string;
    readonly fn: RecordFn;
}

const STRIDE = 64;

/** Operators fused into one loop over the batch. */
export function transformStep(key: string, operators: readonly CompiledOperator[]): Step {
    return {
        key,
        open: async ({ pace }) => async (batch, visit) => {
            const fused = new Fused(operators, rejecter(key, batch, visit));
            for (let from = 0; from < batch.length; from += STRIDE) {
                if (pace.isDue) await pace.turn();
                fused.pass(batch, from);
            }
            return fused.result();
        },
    };
}

/** One batch on its way through the operators of a step. */
class Fused {
    private readonly fns: readonly RecordFn[];
    private readonly out: FlowRecord[] = [];
    private readonly rejects: Array<StepResult['rejects'][number]> = [];
    private expanded = 0;
    private filtered = 0;
    /** The operator at work, for the message of what it throws. */
    private at = 0;

    constructor(
        private readonly operators: readonly CompiledOperator[],
        private readonly reject: ReturnType<typeof rejecter>,
    ) {
        this.fns = operators.map(({ fn }) => fn);
    }

    /** A stride of records. A record of which any piece fails is rejected whole, so that its replay makes each piece once. */
    pass(batch: Batch, from: number): void {
        const to = Math.min(from + STRIDE, batch.length);
        for (let index = from; index < to; index++) {
            const record = batch[index]!;
            try {
                this.passOne(record);
            } catch (error) {
                this.rejects.push(this.reject(index, this.explain(error)));
            }
        }
    }

    result(): StepResult {
        const { expanded, filtered, rejects } = this;
        return { out: this.out, counts: { expanded, filtered, rejected: rejects.length }, rejects };
    }

    private passOne(record: FlowRecord): void {
        const { fns } = this;
        let data = record.data;
        for (let i = 0; i < fns.length; i++) {
            this.at = i;
            const result = fns[i]!(data);
            if (result === DROP) {
                this.filtered++;
                return;
            }
            if (Array.isArray(result)) {
                this.spread(record, this.passPieces(result as readonly JsonObject[], i + 1));
                return;
            }
            data = result as JsonObject;
        }
        this.out.push(data === record.data ? record : { data: whole(data), origin: record.origin });
    }

    /** What the operators from `next` on make of several objects. */
    private passPieces(pieces: readonly JsonObject[], next: number): Pieces {
        let done: Pieces = { data: pieces, dropped: 0, made: pieces.length };
        for (let i = next; i < this.fns.length; i++) {
            this.at = i;
            const data: JsonObject[] = [];
            let { dropped, made } = done;
            for (const piece of done.data) {
                const result = this.fns[i]!(piece);
                if (result === DROP || (Array.isArray(result) && result.length === 0)) {
                    dropped++;
                } else if (Array.isArray(result)) {
                    made += result.length - 1;
                    for (const one of result as readonly JsonObject[]) data.push(one);
                } else {
                    data.push(result as JsonObject);
                }
            }
            done = { data, dropped, made };
        }
        return done;
    }

    /** Counts as a whole: what ends in nothing was filtered, the rest was expanded by what it has become more. */
    private spread({ origin }: FlowRecord, { data, dropped, made }: Pieces): void {
        const records = data.map(piece => ({ data: whole(piece), origin }));
        if (made === 0) {
            this.filtered++;
        } else {
            this.expanded += made - 1;
            this.filtered += dropped;
        }
        for (const record of records) this.out.push(record);
    }

    private explain(thrown: unknown): FlowError {
        if (isFlowError(thrown) && thrown.treat === 'record') return thrown;
        const problem = thrown instanceof Error ? thrown.message : String(thrown);
        return flowError('OPERATOR_FAILED', { op: this.operators[this.at]!.op, position: this.at + 1, problem }, { cause: thrown });
    }
}

interface Pieces {
    readonly data: readonly JsonObject[];
    readonly dropped: number;
    /** How many pieces there have been, those dropped later included. */
    readonly made: number;
}

/** A custom operator without types may answer anything; nothing but objects goes on. */
function whole(data: JsonObject): JsonObject {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new TypeError('it answered no object');
    return data;
}
