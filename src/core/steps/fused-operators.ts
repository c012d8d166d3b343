import { SizeCounter } from '../adapter/bounds';
import { DROP, type RecordFn, type RecordLocation, type RecordResult } from '../adapter/operator';
import type { StepLog } from '../adapter/context';
import { type RecordWalk, walkOf } from '../adapter/record-walk';
import type { JsonObject } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import { flowError, isFlowError, type FlowError } from '../errors/flow-error';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import { warnOfRecord } from './record-warning';
import type { OperatorCall } from '../schema/operator-calls';
import type { CalledOperators, OffloadedOperators } from './offloaded-operators';
import type { ReadPaths, Reader } from './read-paths';
import { ordinalsOf, type Invocation } from './step';
import { clause } from '../errors/rendered';
import { thrownReason, WordedError } from '../errors/worded-error';

/** A record operator of a transform step, ready to work. */
export interface CompiledRecordOperator extends Reader {
    readonly form: 'record';
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
    readonly fn: RecordFn;
    /** What the operators of the step have produced of the current record; one tally for all of them. */
    readonly tally?: SizeCounter;
    /** Of one that works in another process. */
    readonly away?: OffloadedOperator;
}

/** Where an operator runs, and the arguments for compiling it there. */
export interface OffloadedOperator extends Omit<CalledOperators, 'calls'> {
    readonly call: OperatorCall;
    readonly elsewhere: OffloadedOperators;
}

interface FusedOperatorsEnv {
    readonly stepKey: string;
    readonly visit: Invocation;
    readonly pace: EventLoopYield;
    readonly log: StepLog;
    /** Called for each rejected record. */
    reject(index: number, error: FlowError): void;
}

/** Where a record resumes. */
interface Start {
    /** The operator that processes it next. */
    readonly from: number;
    /** The result of that operator, if it is already known. */
    readonly known?: RecordResult;
}
const FIRST: Start = { from: 0 };

/** One batch on its way through operators that are fused into one loop. */
export class FusedOperators {
    readonly out: FlowRecord[] = [];
    /** The dropped records, in their form at that point. */
    readonly dropped: FlowRecord[] = [];
    expanded = 0;
    filtered = 0;
    private readonly fns: readonly RecordFn[];
    private readonly walks: ReadonlyArray<RecordWalk | undefined>;
    /** The paths that the operators read; undefined once all of them were found. */
    private readonly reads: ReadonlyArray<ReadPaths | undefined> | undefined;
    private readonly keysetPosition: Place;
    private readonly tally: SizeCounter;

    constructor(
        private readonly operators: readonly CompiledRecordOperator[],
        private readonly batch: Batch,
        private readonly env: FusedOperatorsEnv,
    ) {
        this.fns = operators.map(({ fn }) => fn);
        this.walks = this.fns.map(walkOf);
        const reads = operators.map(operator => operator.reads?.[0]);
        if (reads.some(one => one !== undefined && one.missing.length > 0)) this.reads = reads;
        this.keysetPosition = new Place(operators, batch, env);
        this.tally = operators.find(({ tally }) => tally)?.tally ?? new SizeCounter();
    }

    /**
     * Processes the next record, once the previous one is done. If any piece of a record fails, the whole record is
     * rejected, so that its replay makes each piece once. Returns a promise if a record takes so long that the event
     * loop has to turn meanwhile: a pattern may take a tenth of a second over a long text, and a record may need many
     * of them.
     */
    pass(index: number): Promise<void> | undefined {
        const { keysetPosition } = this;
        keysetPosition.index = index;
        keysetPosition.piece = 0;
        this.tally.begin();
        const record = this.batch[index]!;
        try {
            return this.passOne(record, record.data, FIRST)?.catch((error: unknown) => this.refuse(error));
        } catch (error) {
            this.refuse(error);
            return undefined;
        }
    }

    private refuse(error: unknown): void {
        const { index, at } = this.keysetPosition;
        this.env.reject(index, explainedError(this.operators[at]!, error));
    }

    /** From an operator on, which has its turn already. */
    private passOne(record: FlowRecord, given: JsonObject, { from, known }: Start): Promise<void> | undefined {
        const {
            fns,
            walks,
            reads,
            keysetPosition,
            env: { pace },
        } = this;
        let data = given;
        let made = known;
        for (let i = from; i < fns.length; i++) {
            if (i > from && pace.isDue) return this.later(record, data, i);
            keysetPosition.at = i;
            const walk = walks[i];
            if (reads !== undefined && made === undefined) reads[i]?.look(data);
            if (walk && made === undefined) {
                const steps = walk(data, keysetPosition);
                let step = steps.next();
                for (; !step.done; step = steps.next()) if (pace.isDue) return this.walkOn(record, steps, i);
                made = step.value;
            }
            const result: RecordResult = made ?? fns[i]!(data, keysetPosition);
            made = undefined;
            if (result === DROP) {
                this.filtered++;
                this.dropped.push({ data, origin: record.origin });
                return undefined;
            }
            if (Array.isArray(result)) return this.passPieces(record, result as readonly JsonObject[], i + 1);
            data = result as JsonObject;
        }
        this.out.push(data === record.data ? record : { data: wholeBatch(data), origin: record.origin });
        return undefined;
    }

    private async later(record: FlowRecord, data: JsonObject, from: number): Promise<void> {
        await this.turn();
        await this.passOne(record, data, { from });
    }

    private turn(): Promise<void> {
        return this.tally.during(() => this.env.pace.turn());
    }

    private async walkOn(record: FlowRecord, steps: Generator<void, RecordResult, void>, at: number): Promise<void> {
        await this.passOne(record, record.data, { from: at, known: await this.walked(steps) });
    }

    private async walked(steps: Generator<void, RecordResult, void>): Promise<RecordResult> {
        const { pace } = this.env;
        for (;;) {
            if (pace.isDue) await this.turn();
            const step = steps.next();
            if (step.done) return step.value;
        }
    }

    /** What the operators from `next` on make of several objects. */
    private async passPieces(record: FlowRecord, pieces: readonly JsonObject[], next: number): Promise<void> {
        const {
            fns,
            walks,
            reads,
            keysetPosition,
            env: { pace },
        } = this;
        let done: Pieces = { data: pieces, dropped: 0, made: pieces.length };
        for (let i = next; i < fns.length; i++) {
            keysetPosition.at = i;
            keysetPosition.piece = 0;
            const data: JsonObject[] = [];
            let { dropped, made } = done;
            for (const piece of done.data) {
                if (pace.isDue) await this.turn();
                const walk = walks[i];
                reads?.[i]?.look(piece);
                const result = walk ? await this.walked(walk(piece, keysetPosition)) : fns[i]!(piece, keysetPosition);
                keysetPosition.piece++;
                if (result === DROP || (Array.isArray(result) && result.length === 0)) {
                    dropped++;
                    this.dropped.push({ data: piece, origin: record.origin });
                } else if (Array.isArray(result)) {
                    made += result.length - 1;
                    for (const one of result as readonly JsonObject[]) data.push(one);
                } else {
                    data.push(result as JsonObject);
                }
            }
            done = { data, dropped, made };
        }
        this.spread(record, done);
    }

    /**
     * Counts the record as a whole: if nothing is left, it was filtered; otherwise its additional pieces were expanded.
     */
    private spread({ origin }: FlowRecord, { data, dropped, made }: Pieces): void {
        const records = data.map(piece => ({ data: wholeBatch(piece), origin }));
        if (made === 0) {
            this.filtered++;
        } else {
            this.expanded += made - 1;
            this.filtered += dropped;
        }
        for (const record of records) this.out.push(record);
    }
}

/** The reason why an operator failed on a record. An error that the operator did not throw deliberately is a bug of the operator. */
export function explainedError(
    { op, position }: { readonly op: string; readonly position: number },
    thrown: unknown,
): FlowError {
    if (isFlowError(thrown) && thrown.treat === 'record') return thrown;
    return flowError('OPERATOR_FAILED', { op, position, problem: thrownReason(thrown) }, { cause: thrown });
}

/** The place of the current record. One object serves all records, because only a few operators read it. */
class Place implements RecordLocation {
    index = 0;
    /** The index of the active operator. */
    at = 0;
    /** Which of the objects that the record has become. */
    piece = 0;
    private ordinals: readonly number[] | undefined;

    constructor(
        private readonly operators: readonly CompiledRecordOperator[],
        private readonly batch: Batch,
        private readonly env: Pick<FusedOperatorsEnv, 'stepKey' | 'visit' | 'log'>,
    ) {}

    get seq(): number {
        return this.batch[this.index]!.origin.seq;
    }

    get id(): string {
        const { stepKey, visit } = this.env;
        this.ordinals ??= ordinalsOf(this.batch);
        const numbers = [
            this.operators[this.at]!.position,
            this.seq,
            visit.number,
            this.ordinals[this.index]!,
            this.piece,
        ];
        return JSON.stringify([stepKey, visit.sourceKey, ...numbers]);
    }

    warn(path: string, problem: string): void {
        const { visit, log } = this.env;
        const warned = { by: this.operators[this.at]!.op, seq: this.seq, sourceKey: visit.sourceKey };
        warnOfRecord(log, warned, { path, problem });
    }
}

interface Pieces {
    readonly data: readonly JsonObject[];
    readonly dropped: number;
    /** How many pieces there have been, those dropped later included. */
    readonly made: number;
}

/** A custom operator without types may return anything; only objects continue. */
export function wholeBatch(data: JsonObject): JsonObject {
    if (typeof data !== 'object' || data === null || Array.isArray(data))
        throw new WordedError(clause`it did not return an object`);
    return data;
}
