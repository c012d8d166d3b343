import { childUnder } from './child';
import { median } from './meter';
import { peakRssMb } from './peak';
import type { Row } from './report';

/** A heap that none of them may outgrow. */
const HEAP_MB = 256;
/** Odd, so that there is a middle one. */
const TURNS = 9;

/** What a process that reads a source answers. */
interface SourceAnswer {
    readonly count: number;
    readonly seconds: number;
    /** Of all threads, while it has read. */
    readonly cpuSeconds: number;
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

/**
 * Reads it in both ways, each time in a process of its own, and tells how fast each was. What else the machine does comes and goes by minutes, so
 * only the two readings of one turn are held against each other, which of them goes first changes from turn to turn, and the middle one of all
 * turns' ratios counts. The processor's own time, which others disturb less, is told beside it.
 */
export function benchSource(bench: SourceBench): readonly Row[] {
    const { source, records, ways } = bench;
    const turns: Array<readonly [SourceAnswer, SourceAnswer]> = [];
    while (turns.length < TURNS) {
        const isFlowFirst = turns.length % 2 === 1;
        const early = isFlowFirst ? reading(bench, ways[1]) : undefined;
        const byHand = reading(bench, ways[0]);
        turns.push([byHand, early ?? reading(bench, ways[1])]);
    }
    const ofWay = (way: 0 | 1, of: (answer: SourceAnswer) => number): readonly number[] =>
        turns.map(turn => of(turn[way]));
    const ratios = (of: (answer: SourceAnswer) => number): readonly number[] =>
        turns.map(([byHand, byFlow]) => of(byHand) / of(byFlow));
    const [byWall, byCpu] = [ratios(({ seconds }) => seconds), ratios(({ cpuSeconds }) => cpuSeconds)];
    const spread = `${Math.min(...byWall).toFixed(2)} to ${Math.max(...byWall).toFixed(2)}`;
    console.log(`${source}: ${median(byCpu).toFixed(2)} by the processor's time; by the clock, turns have ${spread}`);
    return ([0, 1] as const).map(way => {
        const grown = Math.max(...ofWay(way, ({ grownMb }) => grownMb));
        console.log(`${source}, ${ways[way]}: memory grew by ${grown.toFixed(0)} MB from a twentieth to the end`);
        return {
            bench: ways[way],
            database: source,
            records,
            recordsPerSecond: records / median(ofWay(way, ({ seconds }) => seconds)),
            statementsPerRecord: null,
            peakRssMb: Math.max(...ofWay(way, answer => answer.peakRssMb)),
            ratioToRaw: way === 0 ? null : median(byWall),
            ratioToVendure: null,
        };
    });
}

function reading({ script, order, records }: SourceBench, way: string): SourceAnswer {
    const argument = JSON.stringify({ ...order, way, records });
    const answer = childUnder<SourceAnswer>({ heapMb: HEAP_MB, script, argument });
    if (!answer) throw new Error(`${way} needs a heap of more than ${HEAP_MB} MB.`);
    if (answer.count !== records) throw new Error(`${way} has read ${answer.count} of ${records} records.`);
    return answer;
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
    const used = process.cpuUsage();
    let count = 0;
    let early = 0;
    for await (const page of pages) {
        count += page.length;
        if (early === 0 && count >= records / 20) early = peakRssMb();
    }
    const peak = peakRssMb();
    const { user, system } = process.cpuUsage(used);
    return {
        count,
        seconds: (performance.now() - start) / 1_000,
        cpuSeconds: (user + system) / 1_000_000,
        peakRssMb: peak,
        grownMb: peak - early,
    };
}
