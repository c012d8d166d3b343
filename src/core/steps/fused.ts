import { DROP, type RecordFn, type RecordPlace } from '../adapter/operator';
import type { JsonObject } from '../data/json';
import type { Batch, FlowRecord } from '../data/record';
import { flowError, isFlowError, type FlowError } from '../errors/flow-error';
import { ordinalsOf, type Visit } from './step';

/** A record operator of a transform step, ready to work. */
export interface CompiledRecordOperator {
    readonly form: 'record';
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
    readonly fn: RecordFn;
}

export interface FusedEnv {
    readonly stepKey: string;
    readonly visit: Visit;
    /** Hears of each record that is rejected. */
    reject(index: number, error: FlowError): void;
}

/** One batch on its way through operators that are fused into one loop. */
export class Fused {
    readonly out: FlowRecord[] = [];
    expanded = 0;
    filtered = 0;
    private readonly fns: readonly RecordFn[];
    private readonly place: Place;

    constructor(
        private readonly operators: readonly CompiledRecordOperator[],
        private readonly batch: Batch,
        private readonly env: FusedEnv,
    ) {
        this.fns = operators.map(({ fn }) => fn);
        this.place = new Place(operators, batch, env);
    }

    /** Some of the records. One of which any piece fails is rejected whole, so that its replay makes each piece once. */
    pass(from: number, to: number): void {
        const { place, batch } = this;
        for (let index = from; index < to; index++) {
            place.index = index;
            try {
                this.passOne(batch[index]!);
            } catch (error) {
                this.env.reject(index, explained(this.operators[place.at]!, error));
            }
        }
    }

    private passOne(record: FlowRecord): void {
        const { fns, place } = this;
        let data = record.data;
        place.piece = 0;
        for (let i = 0; i < fns.length; i++) {
            place.at = i;
            const result = fns[i]!(data, place);
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
        const { place } = this;
        let done: Pieces = { data: pieces, dropped: 0, made: pieces.length };
        for (let i = next; i < this.fns.length; i++) {
            place.at = i;
            place.piece = 0;
            const data: JsonObject[] = [];
            let { dropped, made } = done;
            for (const piece of done.data) {
                const result = this.fns[i]!(piece, place);
                place.piece++;
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
}

/** Why an operator could not do with a record. Anything that it throws without having meant to is a fault of its own. */
export function explained({ op, position }: { readonly op: string; readonly position: number }, thrown: unknown): FlowError {
    if (isFlowError(thrown) && thrown.treat === 'record') return thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return flowError('OPERATOR_FAILED', { op, position, problem }, { cause: thrown });
}

/** The record at work. One object for all of them, since it is made anew for nothing but the few operators that ask. */
class Place implements RecordPlace {
    index = 0;
    /** Which of the operators is at work. */
    at = 0;
    /** Which of the objects that the record has become. */
    piece = 0;
    private ordinals: readonly number[] | undefined;

    constructor(
        private readonly operators: readonly CompiledRecordOperator[],
        private readonly batch: Batch,
        private readonly env: Pick<FusedEnv, 'stepKey' | 'visit'>,
    ) {}

    get seq(): number {
        return this.batch[this.index]!.origin.seq;
    }

    get id(): string {
        const { stepKey, visit } = this.env;
        this.ordinals ??= ordinalsOf(this.batch);
        const numbers = [this.operators[this.at]!.position, this.seq, visit.number, this.ordinals[this.index]!, this.piece];
        return JSON.stringify([stepKey, visit.sourceKey, ...numbers]);
    }
}

interface Pieces {
    readonly data: readonly JsonObject[];
    readonly dropped: number;
    /** How many pieces there have been, those dropped later included. */
    readonly made: number;
}

/** A custom operator without types may answer anything; nothing but objects goes on. */
export function whole(data: JsonObject): JsonObject {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new TypeError('it answered no object');
    return data;
}
