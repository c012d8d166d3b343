import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { byHand, supplierRow } from './operators';
import type { Row } from './report';
import { runThroughExecutor } from './through-executor';

const USUAL_RECORDS = 200_000;
const ROUNDS = 4;
/** What ten times the records may need on top (the bar). */
const HEADROOM_MB = 64;

/** Five operators through the whole executor (source, batches, counters, commit line) beside the hand-written loop. */
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
        bench, database: '–', records: count, recordsPerSecond: 0, statementsPerRecord: null, peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: null, ratioToVendure: null, ...rest,
    });
    const rate = (ms: number): number => records / (ms / 1000);
    return [
        row('loop by hand', records, { recordsPerSecond: rate(hand) }),
        row('executor, five operators', records, { recordsPerSecond: rate(executor), ratioToRaw: hand / executor }),
        ...memory().map(m => row(m.name, m.records, { recordsPerSecond: m.rate, peakRssMb: m.peakRssMb })),
    ];
}

/** The rows are made in the loop, as the executor's source makes them. */
function loopByHand(records: number): number {
    const start = performance.now();
    let kept: unknown;
    for (let i = 0; i < records; i++) kept = byHand(supplierRow(i));
    if (kept === undefined) throw new Error('Nothing came out.');
    return performance.now() - start;
}

interface Memory {
    readonly name: string;
    readonly records: number;
    readonly rate: number;
    readonly peakRssMb: number;
}

/** The least heap under which 10,000 pass, then 100,000 under that and 64 MB. */
function memory(): readonly Memory[] {
    let limit = 16;
    let small = child(10_000, limit);
    while (!small) small = child(10_000, (limit += 4));
    const large = child(100_000, limit + HEADROOM_MB);
    if (!large) throw new Error(`100,000 records did not pass under ${limit + HEADROOM_MB} MB of heap.`);
    return [
        { name: `heap of ${limit} MB`, ...small },
        { name: `heap of ${limit + HEADROOM_MB} MB`, ...large },
    ];
}

function child(records: number, heapMb: number): Omit<Memory, 'name'> | undefined {
    const script = path.join(__dirname, 'memory-child.ts');
    try {
        const text = execFileSync(process.execPath, [`--max-old-space-size=${heapMb}`, '-r', '@swc-node/register', script, String(records)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
        return JSON.parse(text) as Omit<Memory, 'name'>;
    } catch {
        // Out of heap: the answer is "no".
        return undefined;
    }
}
