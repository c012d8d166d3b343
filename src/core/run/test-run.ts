import type { LogLevel } from '../adapter/context';
import { eventLine } from '../adapter/log-event';
import type { LogCode } from '../log/log-events';
import { logText } from '../log/log-text';
import type { Change } from '../adapter/loader';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch } from '../data/record';
import { START } from '../steps/extract';
import type { Counters } from '../progress/counters';
import type { LoadStore, SourceOffset, Reject, RunPorts } from '../ports/ports';
import type { TappedOperator, TappedBatch, StepTap } from '../steps/step-tap';
import type { TestRunBudget } from './test-run-budget';

/** What a load step would do with one record. */
export interface TestRunChange {
    readonly stepKey: string;
    readonly seq: number;
    readonly change: Change;
}

export interface TestRunLine {
    readonly level: LogLevel;
    readonly stepKey: string | undefined;
    readonly message: string;
    readonly facts?: JsonObject;
    /** Of an event of Flow. */
    readonly code?: LogCode;
}

/** A problem that an operator found in a record; a record with severity WARNING continued. */
interface OperatorIssue extends Pick<Reject, 'seq' | 'code' | 'message' | 'facts'> {
    readonly severity: 'ERROR' | 'WARNING';
    readonly path?: string;
    /** Where the record is in its source, if that is known: `line 17`. */
    readonly place?: string;
}

/** The result of one operator for its records. */
export interface TestRunOperator extends TappedOperator {
    readonly before: readonly JsonObject[];
    readonly after: readonly JsonObject[];
    /** The records that it rejected, and its warnings. */
    readonly faults: readonly OperatorIssue[];
}

/** Lines of a log beyond these are only counted. */
const MAX_LINES = 1_000;

/** The result of a run without side effects: it stores no position, keeps nothing in memory beyond itself, and writes nothing. */
export class TestRun {
    readonly rejects: Reject[] = [];
    /** The problems despite which records continued. */
    readonly warnings: Reject[] = [];
    readonly changes: TestRunChange[] = [];
    private readonly lines: TestRunLine[] = [];
    private linesLeftOut = 0;
    private readonly memos = new Map<string, JsonValue>();
    /** How many changes the bound has counted. */
    private weighed = 0;

    /** `bound` ends a trial that has more to show than a user could read. */
    constructor(private readonly budget?: TestRunBudget) {}

    get log(): readonly TestRunLine[] {
        if (this.linesLeftOut === 0) return this.lines;
        return [
            ...this.lines,
            { ...eventLine(logText('LINES_NOT_SHOWN', { count: this.linesLeftOut })), stepKey: undefined },
        ];
    }

    /** Everything but reading what loads plan with is memory. */
    ports(read: LoadStore['read']): RunPorts {
        const { memos: stateEntries } = this;
        return {
            positions: {
                load: async () => ({
                    positions: {} as Record<string, SourceOffset>,
                    counters: {} as Counters,
                    rejectedBefore: 0,
                }),
                commit: async commit => {
                    for (const { stepKey, key, value } of commit.memos) stateEntries.set(memoOf(stepKey, key), value);
                },
                restoreCheckpoint: async () => ({ position: START, isLeft: false, rejectedBefore: 0 }),
                isLeft: async () => false,
            },
            actions: { actions: async () => [], pending: async () => [], done: async () => undefined },
            memory: {
                keys: async () => [],
                recall: async (stepKey, keys) =>
                    new Map(
                        keys.flatMap(key => {
                            const value = stateEntries.get(memoOf(stepKey, key));
                            return value === undefined ? [] : [[key, value] as const];
                        }),
                    ),
            },
            rejects: { addAll: async rejects => rejects.forEach(reject => this.rejected(reject)) },
            loads: {
                effectKinds: [],
                read,
                commit: rejected,
                settle: rejected,
                serve: rejected,
                storedVerdicts: async () => undefined,
                isBegun: async () => false,
            },
            journal: {
                emit: event => {
                    if (event.type === 'log') this.said(event);
                    if (event.type === 'change.planned') this.changes.push(event);
                },
                // Checked here and not where the results are made, because nothing may be thrown there.
                flush: async () => {
                    for (const { change } of this.changes.slice(this.weighed))
                        this.budget?.take(change as unknown as JsonValue);
                    this.weighed = this.changes.length;
                },
            },
            progress: () => undefined,
        };
    }

    private rejected(reject: Reject): void {
        this.budget?.take(reject.payload);
        this.budget?.take([reject.message, (reject.faults ?? []) as unknown as JsonValue]);
        (reject.severity === 'WARNING' ? this.warnings : this.rejects).push(reject);
    }

    private said(line: TestRunLine): void {
        if (this.lines.length < MAX_LINES) this.lines.push(line);
        else this.linesLeftOut++;
    }
}

function rejected(): Promise<never> {
    return Promise.reject(new TypeError('a trial commits nothing'));
}

function memoOf(stepKey: string, key: string): string {
    return JSON.stringify([stepKey, key]);
}

/** Keeps the observed results of a step and its operators, over all batches. */
export class TestRunTap implements StepTap {
    readonly in: JsonObject[] = [];
    readonly out: JsonObject[] = [];
    readonly branches = new Map<string, JsonObject[]>();
    private readonly seen: Array<TappedOperator & TappedBatch> = [];

    constructor(
        readonly stepKey: string,
        private readonly budget?: TestRunBudget,
    ) {}

    came(batch: Batch): void {
        this.keep(batch, this.in);
    }

    gave(batch: Batch, branches?: ReadonlyMap<string, Batch>): void {
        this.keep(batch, this.out);
        for (const [name, records] of branches ?? []) {
            const kept = this.branches.get(name) ?? [];
            this.branches.set(name, kept);
            this.keep(records, kept);
        }
    }

    operator({ op, position }: TappedOperator, batch: TappedBatch): () => void {
        let weight = 0;
        this.budget?.assertFew(Math.max(batch.before.length, batch.after.length));
        for (const { data } of [...batch.before, ...batch.after]) weight += this.budget?.take(data) ?? 0;
        const seen = { op, position, ...batch };
        this.seen.push(seen);
        return () => {
            this.seen.splice(this.seen.indexOf(seen), 1);
            this.budget?.giveBack(weight);
        };
    }

    /** In the order of the step. */
    get operators(): readonly TestRunOperator[] {
        const all = new Map<number, TestRunOperator>();
        for (const { op, position, before, after, faults: issues } of this.seen) {
            const known = all.get(position) ?? { op, position, before: [], after: [], faults: [] };
            all.set(position, {
                ...known,
                before: [...known.before, ...before.map(({ data }) => data)],
                after: [...known.after, ...after.map(({ data }) => data)],
                faults: [...known.faults, ...issues.map(faultOf)],
            });
        }
        return [...all.values()].sort((one, other) => one.position - other.position);
    }

    private keep(batch: Batch, kept: JsonObject[]): void {
        this.budget?.assertFew(kept.length + batch.length);
        for (const { data } of batch) {
            this.budget?.take(data);
            kept.push(data);
        }
    }
}

function faultOf({ seq, code, severity, message, facts, path, place }: Reject): OperatorIssue {
    return {
        seq,
        code,
        severity: severity ?? 'ERROR',
        message,
        ...(facts && { facts }),
        ...(path !== undefined && { path }),
        ...(place !== undefined && { place }),
    };
}
