import type { LogLevel } from '../adapter/context';
import type { Change } from '../adapter/loader';
import type { JsonObject, JsonValue } from '../data/json';
import type { Batch } from '../data/record';
import type { Counters } from './counters';
import type { LoadStore, Position, Reject, RunPorts } from './ports';
import type { ProbedOperator, StepProbe } from './probe';

/** What a load step would do about one record. */
export interface TrialChange {
    readonly stepKey: string;
    readonly seq: number;
    readonly change: Change;
}

export interface TrialLine {
    readonly level: LogLevel;
    readonly stepKey: string | undefined;
    readonly message: string;
    readonly facts?: JsonObject;
}

/** What one operator made of the records that came to it. */
export interface TrialOperator extends ProbedOperator {
    readonly before: readonly JsonObject[];
    readonly after: readonly JsonObject[];
}

/** What a run leaves behind that leaves nothing behind: no position, no memory beyond itself, nothing written. */
export class Trial {
    readonly rejects: Reject[] = [];
    readonly changes: TrialChange[] = [];
    readonly log: TrialLine[] = [];
    private readonly memos = new Map<string, JsonValue>();

    /** Everything but reading what loads plan with is memory. */
    ports(read: LoadStore['read']): RunPorts {
        const { memos } = this;
        return {
            positions: {
                load: async () => ({ positions: {} as Record<string, Position>, counters: {} as Counters }),
                commit: async commit => {
                    for (const { stepKey, key, value } of commit.memos) memos.set(memoOf(stepKey, key), value);
                },
            },
            memory: {
                recall: async (stepKey, keys) => new Map(keys.flatMap(key => {
                    const value = memos.get(memoOf(stepKey, key));
                    return value === undefined ? [] : [[key, value] as const];
                })),
            },
            rejects: { addAll: async rejects => void this.rejects.push(...rejects) },
            loads: { read, commit: () => Promise.reject(new TypeError('a trial commits nothing')) },
            journal: {
                emit: event => {
                    if (event.type === 'log') this.log.push(event);
                    if (event.type === 'change.planned') this.changes.push(event);
                },
                flush: async () => undefined,
            },
            progress: () => undefined,
        };
    }
}

function memoOf(stepKey: string, key: string): string {
    return JSON.stringify([stepKey, key]);
}

/** Keeps what a step and its operators were seen to do, over all batches. */
export class TrialProbe implements StepProbe {
    readonly in: JsonObject[] = [];
    readonly out: JsonObject[] = [];
    readonly branches = new Map<string, JsonObject[]>();
    private readonly seen = new Map<number, { readonly op: string; readonly before: JsonObject[]; readonly after: JsonObject[] }>();

    constructor(readonly stepKey: string) {}

    came(batch: Batch): void {
        this.in.push(...dataOf(batch));
    }

    gave(batch: Batch, branches?: ReadonlyMap<string, Batch>): void {
        this.out.push(...dataOf(batch));
        for (const [name, records] of branches ?? []) this.branches.set(name, [...(this.branches.get(name) ?? []), ...dataOf(records)]);
    }

    operator({ op, position }: ProbedOperator, before: Batch, after: Batch): void {
        const known = this.seen.get(position) ?? { op, before: [], after: [] };
        known.before.push(...dataOf(before));
        known.after.push(...dataOf(after));
        this.seen.set(position, known);
    }

    /** In the order of the step. */
    get operators(): readonly TrialOperator[] {
        return [...this.seen].sort(([one], [other]) => one - other).map(([position, seen]) => ({ position, ...seen }));
    }
}

function dataOf(batch: Batch): readonly JsonObject[] {
    return batch.map(({ data }) => data);
}
