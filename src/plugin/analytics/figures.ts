import { durationPercentiles } from '../../core/progress/durations';
import type { EndResult } from '../entities/run-statistics';

/** What some runs that have ended come to. */
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
    /** From the first start to the end, waits for an approval included, in milliseconds; null where none has begun. */
    readonly medianMs: number | null;
    readonly p95Ms: number | null;
    readonly p99Ms: number | null;
}

/** Runs that lasted about as long. Databases answer sums as texts. */
export interface DurationRow {
    readonly duration: number | string;
    readonly runs: number | string;
}

/** Runs of one result. */
export interface ResultRow {
    readonly result: EndResult;
    readonly runs: number | string;
    readonly recordsRead: number | string;
    readonly recordsLoaded: number | string;
    readonly recordsRejected: number | string;
}

/** Adds runs up. */
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
