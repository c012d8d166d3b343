import type { JsonObject } from '../../core/value/json';
import { byName } from '../../core/data/own-properties';
import { type Counters, countsOf } from '../../core/progress/counters';
import type { JournalEvent } from '../../core/ports/ports';

/** What a load of a dry run would do about a record. */
export type PlannedChange = Extract<JournalEvent, { type: 'change.planned' }>;

/** What a load step would do. */
export interface PlannedCounts {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly unchanged: number;
    readonly rejected: number;
}

/** One record that would be written: the fields that differ, before and after. */
export interface DryRunDifference {
    readonly stepKey: string;
    readonly seq: number;
    readonly action: string;
    readonly key: string;
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
}

/** The report of a dry run, in its stored form. */
export interface DryRunReport {
    readonly steps: Readonly<Record<string, PlannedCounts>>;
    /** The first ones; all of them are rows of flow_difference. */
    readonly differences: readonly DryRunDifference[];
    /** How many there are. */
    readonly differencesTotal: number;
}

const KEPT = 50;

/** Collects the first differences of a dry run, over all of its slices. */
export class PlannedChanges {
    /** Whether there is something that has not been stored. */
    isNew = false;
    private readonly differences = new Map<string, DryRunDifference>();

    add(planned: PlannedChange): void {
        const difference = this.differences.size < KEPT ? differenceOf(planned) : undefined;
        if (!difference) return;
        this.differences.set(keyOf(difference), difference);
        this.isNew = true;
    }

    /** The part that users may see before the run has ended. */
    soFar(): Pick<DryRunReport, 'differences'> {
        return { differences: [...this.differences.values()] };
    }

    report(counters: Counters, loads: readonly string[]): DryRunReport {
        const steps = byName<PlannedCounts>();
        let differencesTotal = 0;
        for (const stepKey of loads) {
            const { created, updated, deleted, unchanged, rejected } = countsOf(counters, stepKey);
            steps[stepKey] = { created, updated, deleted, unchanged, rejected };
            differencesTotal += created + updated + deleted;
        }
        return { steps, differences: [...this.differences.values()], differencesTotal };
    }
}

/** Undefined if nothing would be written. */
export function differenceOf({ stepKey, seq, change }: PlannedChange): DryRunDifference | undefined {
    if (change.action === 'unchanged' || change.action === 'reject') return undefined;
    const before = 'before' in change ? change.before : null;
    const after = 'after' in change ? change.after : null;
    return { stepKey, seq, action: change.action.toUpperCase(), key: change.key, before, after };
}

/** A batch that is tried again brings the same differences. */
function keyOf({ stepKey, seq, action, key }: Pick<DryRunDifference, 'stepKey' | 'seq' | 'action' | 'key'>): string {
    return JSON.stringify([stepKey, seq, action, key]);
}
