import type { PipelineSource } from '../src';
import { measure } from './meter';
import { importPipeline } from './pipelines';
import { series } from './products';
import { openRaw } from './raw';
import type { Row } from './report';
import { run, untilIdle } from './runs';
import type { BenchShop } from './shop';

/** The batch size that pipelines have when they say nothing: two batches of it hold 400 locks. */
const BATCH = 100;
const CONCURRENCIES = [1, 2, 4] as const;
const CONNECTIONS = [1, 2, 4] as const;

const codeOf = (concurrency: number): string => `bench-import-by-${concurrency}`;

export function sideBySidePipelines(records: number): readonly PipelineSource[] {
    return CONCURRENCIES.map(concurrency =>
        importPipeline({
            code: codeOf(concurrency),
            series: `BY${concurrency}`,
            records,
            batchSize: BATCH,
            concurrency,
        }),
    );
}

/**
 * Imports with batches side by side, and the same rows in raw SQL on as many connections: what the server gains by a second connection is the
 * most that a second batch can gain.
 */
export async function benchSideBySide(shop: BenchShop, records: number): Promise<readonly Row[]> {
    const raw: Row[] = [];
    for (const connections of CONNECTIONS) {
        const { seconds, ...measured } = await measure(() => rawImport(shop, records, connections));
        raw.push(rowOf(`raw insert, ${connections} at a time`, { records, seconds, ...measured, first: raw[0] }));
    }
    const imports: Row[] = [];
    for (const concurrency of CONCURRENCIES) {
        const measured = await measure(() => run(shop.app, codeOf(concurrency)));
        await untilIdle(shop.app);
        const seconds = measured.value;
        imports.push(rowOf(`import, ${concurrency} at a time`, { ...measured, records, seconds, first: imports[0] }));
    }
    return [...raw, ...imports];
}

interface Side {
    readonly records: number;
    readonly seconds: number;
    readonly statements: number;
    readonly peakRssMb: number;
    /** The same, one at a time. */
    readonly first: Row | undefined;
}

function rowOf(bench: string, { records, seconds, statements, peakRssMb, first }: Side): Row {
    const recordsPerSecond = records / seconds;
    return {
        bench,
        database: 'postgres',
        records,
        recordsPerSecond,
        statementsPerRecord: statements / records,
        peakRssMb,
        ratioToRaw: null,
        ratioToVendure: null,
        ratioToOne: first === undefined ? 1 : recordsPerSecond / first.recordsPerSecond,
    };
}

/** Each connection inserts the next batch that nobody has begun. */
async function rawImport({ target }: BenchShop, records: number, connections: number): Promise<void> {
    const shops = await Promise.all(Array.from({ length: connections }, () => openRaw(target)));
    let next = 0;
    try {
        await Promise.all(
            shops.map(async shop => {
                while (next < records) {
                    const from = next;
                    next += BATCH;
                    await shop.insert(series(`RAW${connections}`, from, Math.min(records, next)));
                }
            }),
        );
    } finally {
        await Promise.all(shops.map(shop => shop.close()));
    }
}
