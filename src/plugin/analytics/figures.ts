import { durationPercentiles } from '../../core/progress/durations';
import type { EndResult } from '../entities/run-statistics';

/** Statistics of runs that have ended. */
export interface RunFigures {
    readonly runs: number;
    readonly success: number;
    readonly partial: number;
    readonly empty: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly recordsRead: number;
    readonly recordsLoaded: number;
    readonly recordsRejected: number;
    /** The median duration from the first start to the end in milliseconds, including waits for approvals; null if no run was started. */
    readonly medianMs: number | null;
    readonly p95Ms: number | null;
    readonly p99Ms: number | null;
}

/** The number of runs in one bucket of durations. Databases return sums as texts. */
export interface DurationRow {
    readonly duration: number | string;
    readonly runs: number | string;
}

/** The runs with one result. */
export interface ResultRow {
    readonly result: EndResult;
    readonly runs: number | string;
    readonly recordsRead: number | string;
    readonly recordsLoaded: number | string;
    readonly recordsRejected: number | string;
}

/** Sums up the statistics of runs. */
export class Figures {
    private readonly results = new Map<EndResult, number>();
    private readonly durations = new Map<number, number>();
    private readonly records = { recordsRead: 0, recordsLoaded: 0, recordsRejected: 0 };

    addResult({ result, runs, recordsRead, recordsLoaded, recordsRejected }: ResultRow): void {
        increase(this.results, result, Number(runs));
        this.addRecords({
            recordsRead: Number(recordsRead),
            recordsLoaded: Number(recordsLoaded),
            recordsRejected: Number(recordsRejected),
        });
    }

    addDuration({ duration, runs }: DurationRow): void {
        increase(this.durations, Number(duration), Number(runs));
    }

    addAll(others: Figures): void {
        for (const [result, runs] of others.results) increase(this.results, result, runs);
        for (const [bucket, runs] of others.durations) increase(this.durations, bucket, runs);
        this.addRecords(others.records);
    }

    told(): RunFigures {
        const of = (result: EndResult): number => this.results.get(result) ?? 0;
        const [medianMs = null, p95Ms = null, p99Ms = null] = durationPercentiles(this.durations, [0.5, 0.95, 0.99]);
        return {
            runs: [...this.results.values()].reduce((sum, runs) => sum + runs, 0),
            success: of('SUCCESS'),
            partial: of('PARTIAL'),
            empty: of('EMPTY'),
            failed: of('FAILED'),
            cancelled: of('CANCELLED'),
            ...this.records,
            medianMs,
            p95Ms,
            p99Ms,
        };
    }

    private addRecords(more: Readonly<Figures['records']>): void {
        this.records.recordsRead += more.recordsRead;
        this.records.recordsLoaded += more.recordsLoaded;
        this.records.recordsRejected += more.recordsRejected;
    }
}

function increase<K>(counts: Map<K, number>, key: K, by: number): void {
    counts.set(key, (counts.get(key) ?? 0) + by);
}
