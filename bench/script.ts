import type { JsonObject } from '../src/core/value/json';
import { Sandbox } from '../src/io/sandbox/sandbox';
import { supplierRow } from './supplier-rows';
import type { Row } from './report';

const USUAL_RECORDS = 20_000;
const BATCH = 1000;
/** Batches before the measurement: the process starts, and V8 compiles the engine. */
const WARM = 5;

const ONE_LINE = {
    batch: 'return records.map(record => ({ ...record, price: Math.round(record.amount * 100) }));',
    record: 'record.price = Math.round(record.amount * 100); return record;',
};

/**
 * Executes a one-line script over batches of 1,000, in both modes. Returns the records per second of the median batch,
 * so that a busy machine matters less.
 */
export async function benchScript(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const sandbox = new Sandbox();
    const batches = Math.max(1, Math.round(records / BATCH));
    const rows = Array.from({ length: BATCH }, (_, i) => supplierRow(i));
    const order = { records: rows, context: {}, timeoutMs: 60_000, signal: new AbortController().signal };
    const modes: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
        ['script, batch mode', () => sandbox.batch({ ...order, code: ONE_LINE.batch, isRead: true })],
        [
            'script, record by record',
            () => sandbox.each({ ...order, code: ONE_LINE.record, indexes: rows.map((_, index) => index) }),
        ],
    ];
    const measured: Row[] = [];
    for (const [bench, run] of modes) {
        for (let i = 0; i < WARM; i++) await run();
        const times: number[] = [];
        for (let i = 0; i < batches; i++) {
            const start = performance.now();
            await run();
            times.push(performance.now() - start);
        }
        const middle = times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
        measured.push(
            rowOf(`${bench} (${middle.toFixed(1)} ms a batch)`, {
                records: batches * BATCH,
                recordsPerSecond: BATCH / (middle / 1000),
            }),
        );
    }
    sandbox.rest();
    const byHand = (record: JsonObject): JsonObject => ({
        ...record,
        price: Math.round(Number(record['amount']) * 100),
    });
    const start = performance.now();
    for (let i = 0; i < batches; i++) rows.map(byHand);
    return [
        ...measured,
        rowOf('the same within this process', {
            records: batches * BATCH,
            recordsPerSecond: (batches * BATCH) / ((performance.now() - start) / 1000),
        }),
    ];
}

function rowOf(bench: string, { records, recordsPerSecond }: Pick<Row, 'records' | 'recordsPerSecond'>): Row {
    return {
        bench,
        database: '–',
        records,
        recordsPerSecond,
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: null,
        ratioToVendure: null,
    };
}
