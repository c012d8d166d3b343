import { childUnder } from './child';
import { peakRssMb } from './peak';
import { ratePerSecond } from './rate';
import type { Row } from './report';

/** A heap that none of them may outgrow. */
const HEAP_MB = 256;
const ROUNDS = 3;

/** What a process that reads a source answers. */
interface SourceAnswer {
    readonly count: number;
    readonly seconds: number;
    readonly peakRssMb: number;
    /** From when it had read a twentieth to its end. */
    readonly grownMb: number;
}

/** A source, and what reads it in a process of its own. */
export interface SourceBench {
    readonly source: string;
    /** A file of this folder, which takes `{way, …order}`. */
    readonly script: string;
    readonly order: object;
    readonly records: number;
    /** First the one that the other is measured by. */
    readonly ways: readonly [byHand: string, byFlow: string];
}

/** Reads it in both ways in turn, and tells how fast each was. */
export function benchSource({ source, script, order, records, ways }: SourceBench): readonly Row[] {
    const times = ways.map((): number[] => []);
    const peaks = [0, 0];
    for (let round = 0; round < ROUNDS; round++)
        for (const [i, way] of ways.entries()) {
            const argument = JSON.stringify({ ...order, way, records });
            const answer = childUnder<SourceAnswer>({ heapMb: HEAP_MB, script, argument });
            if (!answer) throw new Error(`${way} needs a heap of more than ${HEAP_MB} MB.`);
            const { count, seconds, ...memory } = answer;
            if (count !== records) throw new Error(`${way} has read ${count} of ${records} records.`);
            times[i]!.push(seconds * 1_000);
            peaks[i] = memory.peakRssMb;
            console.log(
                `${source}, ${way}: memory grew by ${memory.grownMb.toFixed(0)} MB from a twentieth to the end`,
            );
        }
    const [raw, flow] = times.map(some => ratePerSecond(some, records)) as [number, number];
    return ways.map((way, i) => ({
        bench: way,
        database: source,
        records,
        recordsPerSecond: i === 0 ? raw : flow,
        statementsPerRecord: null,
        peakRssMb: peaks[i]!,
        ratioToRaw: i === 0 ? null : flow / raw,
        ratioToVendure: null,
    }));
}

/** Reads pages to their end, and says to whoever has started this process how it went. */
export function tellReading(pages: AsyncIterable<readonly unknown[]>, records: number): void {
    read(pages, records)
        .then(answer => process.stdout.write(JSON.stringify(answer), () => process.exit(0)))
        .catch((error: unknown) => {
            console.error(error);
            process.exit(1);
        });
}

async function read(pages: AsyncIterable<readonly unknown[]>, records: number): Promise<SourceAnswer> {
    const start = performance.now();
    let count = 0;
    let early = 0;
    for await (const page of pages) {
        count += page.length;
        if (early === 0 && count >= records / 20) early = peakRssMb();
    }
    const peak = peakRssMb();
    return { count, seconds: (performance.now() - start) / 1_000, peakRssMb: peak, grownMb: peak - early };
}
