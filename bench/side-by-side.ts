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

/** Each is measured so often, in turns, and its best time counts: what else the machine does meanwhile hits one turn, not one kind of work. */
const ROUNDS = 3;
const MOST_RECORDS = 4_000;

const codeOf = (concurrency: number, round: number): string => `bench-import-by-${concurrency}-${round}`;
const recordsOf = (records: number): number => Math.min(records, MOST_RECORDS);

export function sideBySidePipelines(records: number): readonly PipelineSource[] {
    return Array.from({ length: ROUNDS }, (_, round) =>
        CONCURRENCIES.map(concurrency =>
            importPipeline({
                code: codeOf(concurrency, round),
                series: `BY${concurrency}R${round}`,
                records: recordsOf(records),
                batchSize: BATCH,
                concurrency,
            }),
        ),
    ).flat();
}

/**
 * Imports with batches side by side, and the same rows in raw SQL on as many connections: what the server gains by a second connection is the
 * most that a second batch can gain.
 */
export async function benchSideBySide(shop: BenchShop, given: number): Promise<readonly Row[]> {
    const records = recordsOf(given);
    const best = new Map<string, Omit<Side, 'first'>>();
    const keep = (what: string, side: Omit<Side, 'first'>): void => {
        const known = best.get(what);
        if (!known || side.seconds < known.seconds) best.set(what, side);
    };
    for (let round = 0; round < ROUNDS; round++) {
        for (const connections of CONNECTIONS) {
            await untilIdle(shop.app);
            const measured = await measure(() => rawImport(shop, { records, connections, round }));
            keep(`raw insert, ${connections} at a time`, { records, ...measured });
        }
        for (const concurrency of CONCURRENCIES) {
            await untilIdle(shop.app);
            const measured = await measure(() => run(shop.app, codeOf(concurrency, round)));
            keep(`import, ${concurrency} at a time`, { records, ...measured, seconds: measured.value });
        }
    }
    const rowsOf = (what: string, numbers: readonly number[]): readonly Row[] => {
        const rows: Row[] = [];
        for (const n of numbers) {
            const name = `${what}, ${n} at a time`;
            rows.push(rowOf(name, { ...best.get(name)!, first: rows[0] }));
        }
        return rows;
    };
    return [...rowsOf('raw insert', CONNECTIONS), ...rowsOf('import', CONCURRENCIES)];
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

interface RawImport {
    readonly records: number;
    readonly connections: number;
    readonly round: number;
}

/** Each connection inserts the next batch that nobody has begun. */
async function rawImport({ target }: BenchShop, { records, connections, round }: RawImport): Promise<void> {
    const shops = await Promise.all(Array.from({ length: connections }, () => openRaw(target)));
    let next = 0;
    try {
        await Promise.all(
            shops.map(async shop => {
                while (next < records) {
                    const from = next;
                    next += BATCH;
                    await shop.insert(series(`RAW${connections}R${round}`, from, Math.min(records, next)));
                }
            }),
        );
    } finally {
        await Promise.all(shops.map(shop => shop.close()));
    }
}
