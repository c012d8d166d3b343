import { deepStrictEqual } from 'node:assert';
import { Bounds, LIMITS_OF_VALUES } from '../src/core/adapter/bounds';
import { operators } from '../src/core/operators';
import { systemClock } from '../src/core/concurrency/clock';
import type { JsonObject } from '../src/core/value/json';
import { DROP, type Operator, type OperatorEnv, type RecordFn } from '../src/core/adapter/operator';
import { Registry } from '../src/core/adapter/registry';
import { operatorEnv } from '../src/core/steps/compile-operators';
import { outsideOperators as outside } from '../src/adapters';
import { benchBatches } from './batches';
import { type Article, article, type Duel, DUELS } from './duels';
import { benchLookup } from './lookup';
import { ratePerSecond } from './rate';
import type { Row } from './report';
import { byHand, FIVE, supplierRow } from './supplier-rows';

const USUAL_RECORDS = 200_000;
const SLICE = 2000;

const ENV: OperatorEnv = operatorEnv({
    env: { clock: { ...systemClock, now: () => 0 }, runId: 'run', stepKey: 'step' },
    registry: Registry.of(operators),
    bounds: new Bounds('bench', LIMITS_OF_VALUES),
    place: 'step',
});
const PLACE = { seq: 0, id: 'source/0', warn: () => undefined };

export function compiled(op: string, args: JsonObject): RecordFn {
    const operator: Operator = operators.find(candidate => candidate.code === op)!;
    if (operator.form !== 'record') throw new Error(`${op} works on batches.`);
    return operator.compile(operator.config.parse(args), ENV);
}

export function fused(
    calls: ReadonlyArray<{ readonly op: string; readonly args: JsonObject }>,
): (row: JsonObject) => JsonObject {
    const functions = calls.map(({ op, args }) => compiled(op, args));
    return row => {
        let data = row;
        for (const one of functions) {
            const out = one(data, PLACE);
            if (out === DROP || Array.isArray(out)) throw new Error('The five neither drop nor expand.');
            data = out as JsonObject;
        }
        return data;
    };
}

/** The records per second of each. They take turns in short slices, so that all run under the same conditions. */
export function race(
    contestants: ReadonlyArray<(row: JsonObject) => unknown>,
    records: number,
    rowOf = supplierRow,
): readonly number[] {
    const rows = Array.from({ length: SLICE }, (_, i) => rowOf(i));
    const slices = Math.max(Math.ceil(records / SLICE), 20);
    const times = contestants.map(() => [] as number[]);
    for (let slice = 0; slice < slices; slice++) {
        contestants.forEach((contestant, k) => {
            const out: unknown[] = [];
            const start = performance.now();
            for (const row of rows) out.push(contestant(row));
            times[k]!.push(performance.now() - start);
            if (out.length !== SLICE) throw new Error('Records were lost.');
        });
    }
    return times.map(all => ratePerSecond(all, SLICE));
}

/** Compares an operator with the same logic by hand. Both must return the same result. */
function duel(code: string, { args, byHand }: Duel, records: number): readonly [number, number] {
    const operator = compiled(code, args);
    for (let i = 0; i < 200; i++)
        deepStrictEqual(
            operator(article(i), PLACE),
            byHand(article(i)),
            `${code} and the same by hand have different results`,
        );
    const [one, hand] = race([row => operator(row, PLACE), row => byHand(row as Article)], records, article);
    return [one!, hand!];
}

/** Operators that other benches measure, with the names of these. */
const ELSEWHERE: Readonly<Record<string, string>> = {
    imageResize: 'media',
    imageConvert: 'media',
    pdfGenerate: 'media',
    script: 'script',
};

/**
 * Compares all operators, those of one record and those of a batch, with the same logic by hand. Also lists the
 * operators that no bench measures yet.
 */
export async function benchOperators(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const row = (bench: string, recordsPerSecond: number, ratioToRaw: number | null): Row => ({
        bench,
        database: '–',
        records,
        recordsPerSecond,
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw,
        ratioToVendure: null,
    });
    const rows = Object.entries(DUELS).map(([code, fight]) => {
        const [one, hand] = duel(code, fight, records);
        return row(code, one, one / hand);
    });
    const [hand, five] = race([byHand, fused(FIVE)], records);
    rows.push(
        row('five by hand', hand!, null),
        row('five fused', five!, five! / hand!),
        ...(await benchBatches(records)),
        ...(await benchLookup()),
    );
    const measured = new Set([...rows.map(({ bench }) => bench.split(/[ ,]/, 1)[0]), ...Object.keys(ELSEWHERE)]);
    const others = [...operators, ...outside].filter(({ code }) => !measured.has(code));
    return [...rows, ...others.map(({ code }) => row(`${code}: not measured yet`, 0, null))];
}
