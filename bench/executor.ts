import { childUnder, leastHeap } from './child';
import { byHand, supplierRow } from './supplier-rows';
import type { Row } from './report';
import { runThroughExecutor } from './through-executor';

const USUAL_RECORDS = 200_000;
const ROUNDS = 4;
/** The additional memory that ten times the records may need. */
const HEADROOM_MB = 64;

/**
 * Compares five operators through the whole executor (source, batches, counters, commit line) with the hand-written
 * loop.
 */
export async function benchExecutor(records = USUAL_RECORDS): Promise<readonly Row[]> {
    let hand = Infinity;
    let executor = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
        hand = Math.min(hand, loopByHand(records));
        const start = performance.now();
        await runThroughExecutor(records);
        executor = Math.min(executor, performance.now() - start);
    }
    const row = (bench: string, count: number, rest: Partial<Row>): Row => ({
        bench,
        database: '–',
        records: count,
        recordsPerSecond: 0,
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: null,
        ratioToVendure: null,
        ...rest,
    });
    const rate = (ms: number): number => records / (ms / 1000);
    return [
        row('loop by hand', records, { recordsPerSecond: rate(hand) }),
        row('executor, five operators', records, { recordsPerSecond: rate(executor), ratioToRaw: hand / executor }),
        ...memory().map(m => row(m.name, m.records, { recordsPerSecond: m.rate, peakRssMb: m.peakRssMb })),
    ];
}

/** The rows are created in the loop, as the executor's source creates them. */
function loopByHand(records: number): number {
    const start = performance.now();
    let kept: unknown;
    for (let i = 0; i < records; i++) kept = byHand(supplierRow(i));
    if (kept === undefined) throw new Error('No record was returned.');
    return performance.now() - start;
}

interface Memory {
    readonly records: number;
    readonly rate: number;
    readonly peakRssMb: number;
}

/** Finds the smallest heap for 10,000 records, then runs 100,000 with that heap and 64 MB more. */
function memory(): ReadonlyArray<Memory & { readonly name: string }> {
    const script = 'memory-child.ts';
    const { heapMb, result } = leastHeap<Memory>({ script, argument: '10000' });
    const limit = heapMb + HEADROOM_MB;
    const large = childUnder<Memory>({ script, argument: '100000', heapMb: limit });
    if (!large) throw new Error(`100,000 records need more than ${limit} MB of heap.`);
    return [
        { name: `heap of ${heapMb} MB`, ...result },
        { name: `heap of ${limit} MB`, ...large },
    ];
}
