import { RUN } from '../test/kit/run-facts';
import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import Decimal from 'decimal.js';
import { LIMITS_OF_VALUES } from '../src/core/adapter/bounds';
import type { AdapterContext } from '../src/core/adapter/context';
import type { BatchOperator } from '../src/core/adapter/operator';
import { noResources } from '../src/core/adapter/no-resources';
import { noNetwork } from '../src/core/adapter/outbound';
import { systemClock } from '../src/core/concurrency/clock';
import type { JsonObject, JsonValue } from '../src/core/value/json';
import { aggregate } from '../src/core/operators/aggregation/aggregate';
import { deduplicateRecords } from '../src/core/operators/aggregation/deduplicate-records';
import { multiJoin } from '../src/core/operators/aggregation/multi-join';
import { deltaFilter } from '../src/core/operators/logic/delta-filter';
import { EventLoopYield } from '../src/core/concurrency/event-loop-yield';
import type { StepFn } from '../src/core/steps/step';
import { transformStep } from '../src/core/steps/transform';
import { type Article, article } from './duels';
import { nowhere } from './nowhere';
import { ratePerSecond } from './rate';
import type { Row } from './report';

const BATCH = 1000;
const WARM = 5;
const LEAST_SLICES = 20;
const LEVELS = Array.from({ length: 90 }, (_, level) => ({ level, shelf: `S-${level % 7}`, room: level % 3 }));
const LEVELS_BY_KEY: ReadonlyMap<number, JsonObject> = new Map(LEVELS.map(one => [one.level, one]));

type Rows = readonly Article[];

/** A batch operator with arguments, and the same logic written by hand for these arguments only. */
interface BatchDuel {
    readonly name: string;
    readonly operator: BatchOperator;
    readonly args: JsonObject;
    /** It keeps state from batch to batch. */
    readonly remembers?: boolean;
    /** Creates a function with its own state. */
    byHand(): (rows: Rows) => readonly unknown[];
}

const DUELS: readonly BatchDuel[] = [
    {
        name: 'aggregate, sum by group',
        operator: aggregate,
        args: { op: 'sum', source: 'price', target: 'total', groupBy: 'code' },
        byHand: () => rows => {
            const sums = new Map<string, Decimal>();
            for (const { code, price } of rows) sums.set(code, (sums.get(code) ?? new Decimal(0)).plus(price));
            return rows.map(row => ({ ...row, total: sums.get(row.code)!.toNumber() }));
        },
    },
    {
        name: 'deduplicateRecords, each key twice',
        operator: deduplicateRecords,
        args: { key: 'price' },
        byHand: () => rows => {
            const seen = new Set<string>();
            return rows.filter(({ price }) => !seen.has(price) && seen.add(price));
        },
    },
    {
        name: 'multiJoin, 90 on the right',
        operator: multiJoin,
        args: { leftKey: 'stock', rightKey: 'level', rightData: LEVELS },
        byHand: () => rows => rows.map(row => ({ ...row, ...LEVELS_BY_KEY.get(row.stock) })),
    },
    {
        name: 'deltaFilter, all new',
        operator: deltaFilter,
        args: { idPath: 'sku' },
        byHand: () => changedOf(new Map()),
    },
    {
        name: 'deltaFilter, none changed',
        operator: deltaFilter,
        args: { idPath: 'sku' },
        remembers: true,
        byHand: () => {
            const known = new Map<string, string>();
            return changedOf(known, known);
        },
    },
];

/** Returns the rows whose hash is unknown; `kept` stores the hashes. */
function changedOf(known: ReadonlyMap<string, string>, kept?: Map<string, string>): (rows: Rows) => Rows {
    return rows =>
        rows.filter(row => {
            const hash = createHash('sha1').update(JSON.stringify(row)).digest('base64');
            if (known.get(row.sku) === hash) return false;
            kept?.set(row.sku, hash);
            return true;
        });
}

/** Compares the operators on batches of 1,000, called as a step of a run calls them, with the same logic by hand. */
export async function benchBatches(records: number): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const duel of DUELS) {
        const [one, hand] = await fight(duel, records);
        rows.push({
            bench: duel.name,
            database: '–',
            records,
            recordsPerSecond: one,
            statementsPerRecord: null,
            peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
            ratioToRaw: one / hand,
            ratioToVendure: null,
        });
    }
    return rows;
}

/**
 * Returns the records per second of both, measured in turns. Both must return the same for a batch, on the first call
 * and later ones.
 */
async function fight(
    { operator, args, remembers = false, byHand }: BatchDuel,
    records: number,
): Promise<readonly [number, number]> {
    const rows = Array.from({ length: BATCH }, (_, i) => article(i));
    const step = await stepOf(operator, args, remembers);
    const hand = byHand();
    const times: [number[], number[]] = [[], []];
    const slices = Math.max(Math.ceil(records / BATCH), LEAST_SLICES);
    for (let slice = -WARM; slice < slices; slice++) {
        const batch = rows.map((data, seq) => ({ data, origin: { seq } }));
        const start = performance.now();
        const { out } = await step(batch, { sourceKey: 'rows', batchNo: 0, number: 0, earlier: [] });
        const middle = performance.now();
        const expected = hand(rows);
        const end = performance.now();
        if (slice < 0) {
            deepStrictEqual(
                out.map(({ data }) => data),
                expected,
                `${operator.code} and the same by hand have different results`,
            );
        } else {
            times[0].push(middle - start);
            times[1].push(end - middle);
        }
    }
    return [ratePerSecond(times[0], BATCH), ratePerSecond(times[1], BATCH)];
}

async function stepOf(operator: BatchOperator, args: JsonObject, remembers: boolean): Promise<StepFn> {
    const config = operator.config.parse(args);
    const step = transformStep('shape', [
        {
            form: 'batch',
            op: operator.code,
            position: 1,
            part: 'part',
            limits: LIMITS_OF_VALUES,
            open: cx => operator.open(config, cx),
        },
    ]);
    const nothing = (): void => undefined;
    const adapter: AdapterContext = {
        ...noResources,
        stepKey: 'shape',
        mode: 'live',
        signal: new AbortController().signal,
        clock: systemClock,
        platform: undefined,
        outbound: noNetwork,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    };
    const stored = new Map<string, JsonValue>();
    const memory = {
        recall: async (_from: unknown, _batch: unknown, keys: readonly string[]) =>
            new Map(keys.flatMap(key => (stored.has(key) ? [[key, stored.get(key)!]] : []))),
        left: nothing,
    };
    const pace = new EventLoopYield({ clock: systemClock });
    const env = {
        ...{ run: RUN, ports: nowhere, pace, memory, adapter },
        ...{ startedAt: 0, cameBefore: 0, atEnd: nothing, finishing: nothing, sweeping: nothing },
    };
    const run = await step.open(env);
    if (!remembers) return run;
    return async (batch, visit) => {
        const result = await run(batch, visit);
        for (const { key, value } of result.memos ?? []) stored.set(key, value);
        return result;
    };
}
