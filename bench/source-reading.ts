import { childUnder } from './child';
import { median } from './meter';
import { peakRssMb } from './peak';
import type { Row } from './report';

/** A heap that is large enough for all readers. */
const HEAP_MB = 256;
/** Odd, so that there is a median. */
const TURNS = 9;

/** The result of a process that reads a source. */
interface SourceAnswer {
    readonly count: number;
    readonly seconds: number;
    /** The processor time of all threads while it has read. */
    readonly cpuSeconds: number;
    readonly peakRssMb: number;
    /** Memory growth between a twentieth of the records and the end. */
    readonly grownMb: number;
}

/** A source, and the script that reads it in a separate process. */
export interface SourceBench {
    readonly source: string;
    /** A file in this folder. It is called with `{way, …order}`. */
    readonly script: string;
    readonly order: object;
    readonly records: number;
    /** The first one is the yardstick for the second. */
    readonly ways: readonly [byHand: string, byFlow: string];
}

/**
 * Reads the source in both ways, each time in a separate process, and reports the speed of each. Other work of the
 * machine varies from minute to minute, so only the two readings of one turn are compared. Their order changes from
 * turn to turn, and the median of all ratios counts. The processor time, which is less affected, is reported as well.
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

/** Reads pages to their end, and sends the result to the parent process. */
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
