import type { PipelineSource } from '../src';
import { type Measured, measure, median } from './meter';
import { importPipeline } from './pipelines';
import { series } from './products';
import { openRaw } from './raw';
import type { Row } from './report';
import { run, untilIdle } from './runs';
import { type BenchShop, openShop } from './shop';

/** The default batch size of pipelines: two batches of it hold 400 locks. */
const BATCH = 100;
const CONCURRENCIES = [1, 2, 4] as const;
const CONNECTIONS = [1, 2, 4] as const;

/**
 * The number of rounds. Imports and raw SQL take turns, and the median counts; gains are computed for each round. A
 * single round on two processors proves little.
 */
const ROUNDS = 5;
const MOST_RECORDS = 4_000;

const codeOf = (concurrency: number, round: number): string => `bench-import-by-${concurrency}-${round}`;
const recordsOf = (records: number): number => Math.min(records, MOST_RECORDS);

export function sideBySidePipelines(given: number): readonly PipelineSource[] {
    const records = recordsOf(given);
    return Array.from({ length: ROUNDS }, (_, round) =>
        CONCURRENCIES.map(concurrency =>
            importPipeline({
                code: codeOf(concurrency, round),
                series: `BY${concurrency}R${round}`,
                records,
                batchSize: BATCH,
                concurrency,
            }),
        ),
    ).flat();
}

/**
 * In a separate shop, compares imports with parallel batches and the same rows in raw SQL on as many connections. What
 * the server gains by a second connection is the most that a second batch can gain.
 */
export async function benchSideBySide(given: number, pipelines: readonly PipelineSource[]): Promise<readonly Row[]> {
    const records = recordsOf(given);
    const shop = await openShop('postgres', { pipelines });
    try {
        await shop.queues.start();
        return await inTurns(shop, records);
    } finally {
        await shop.close();
    }
}

async function inTurns(shop: BenchShop, records: number): Promise<readonly Row[]> {
    const sides = new Map<string, Side[]>();
    const keep = (what: string, side: Side): void => void sides.set(what, [...(sides.get(what) ?? []), side]);
    for (let round = 0; round < ROUNDS; round++) {
        for (const connections of CONNECTIONS) {
            await untilIdle(shop.app);
            keep(
                nameOf('raw insert', connections),
                await measure(() => rawImport(shop, { records, connections, round })),
            );
        }
        for (const concurrency of CONCURRENCIES) {
            await untilIdle(shop.app);
            const measured = await measure(() => run(shop.app, codeOf(concurrency, round)));
            keep(nameOf('import', concurrency), { ...measured, seconds: measured.value });
        }
    }
    const rowsOf = (what: string, numbers: readonly number[]): readonly Row[] =>
        numbers.map(n =>
            rowOf(nameOf(what, n), {
                records,
                turns: sides.get(nameOf(what, n))!,
                single: sides.get(nameOf(what, 1))!,
            }),
        );
    return [...rowsOf('raw insert', CONNECTIONS), ...rowsOf('import', CONCURRENCIES)];
}

const nameOf = (what: string, number: number): string => `${what}, ${number} at a time`;

/** One round. */
type Side = Pick<Measured<unknown>, 'seconds' | 'statements' | 'peakRssMb'>;

interface Sides {
    readonly records: number;
    readonly turns: readonly Side[];
    /** The same rounds, one batch at a time. */
    readonly single: readonly Side[];
}

function rowOf(bench: string, { records, turns, single }: Sides): Row {
    return {
        bench,
        database: 'postgres',
        records,
        recordsPerSecond: records / median(turns.map(({ seconds }) => seconds)),
        statementsPerRecord: median(turns.map(({ statements }) => statements)) / records,
        peakRssMb: Math.max(...turns.map(({ peakRssMb }) => peakRssMb)),
        ratioToRaw: null,
        ratioToVendure: null,
        ratioToOne: median(turns.map(({ seconds }, round) => single[round]!.seconds / seconds)),
    };
}

interface RawImport {
    readonly records: number;
    readonly connections: number;
    readonly round: number;
}

/** Each connection inserts the next batch that none has started. */
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
