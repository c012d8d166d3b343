import { deepStrictEqual } from 'node:assert';
import { operators } from '../src/core/operators';
import { systemClock } from '../src/core/data/clock';
import type { JsonObject } from '../src/core/data/json';
import { type CompileEnv, DROP, type Operator, type RecordFn } from '../src/core/adapter/operator';
import { type Article, article, DUELS } from './duels';
import type { Row } from './report';

const USUAL_RECORDS = 200_000;
const SLICE = 2000;

/** A supplier's row, as the operators get it. */
export function supplierRow(i: number): JsonObject {
    return { id: `A-${i}`, title: `  Trail Shoe No. ${i} Café  `, amount: `${(i % 500) + 0.95}`, brand: 'Nordfjell', colour: i % 2 ? 'Moss' : 'Slate', tags: 'a|b|c', stock: String(i % 90) };
}

/** The five of the bar, as calls. */
export const FIVE = [
    { op: 'map', args: { mapping: { sku: 'id', name: 'title', price: 'amount', brand: 'brand', colour: 'colour' } } },
    { op: 'trim', args: { path: 'name' } },
    { op: 'slugify', args: { source: 'name', target: 'slug' } },
    { op: 'toCents', args: { source: 'price', target: 'price' } },
    { op: 'template', args: { template: '${brand}: ${name}', target: 'label' } },
] as const;

/** The same by hand, as somebody would write it who needs just this: one new object a record. */
export function byHand(row: JsonObject): JsonObject {
    const name = String(row['title']).trim();
    const [units = '0', fraction = ''] = String(row['amount']).split('.');
    const slug = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
    const digits = `${fraction}000`;
    const price = Number(units) * 100 + Number(digits.slice(0, 2)) + (Number(digits[2]) >= 5 ? 1 : 0);
    return { sku: row['id']!, name, price, brand: row['brand']!, colour: row['colour']!, slug, label: `${String(row['brand'])}: ${name}` };
}

const ENV: CompileEnv = { clock: { ...systemClock, now: () => 0 }, runId: 'run', stepKey: 'step' };
const PLACE = { seq: 0, id: 'source/0' };

export function compiled(op: string, args: JsonObject): RecordFn {
    const operator: Operator = operators.find(candidate => candidate.code === op)!;
    if (operator.form !== 'record') throw new Error(`${op} works on batches.`);
    return operator.compile(operator.config.parse(args), ENV);
}

export function fused(calls: ReadonlyArray<{ readonly op: string; readonly args: JsonObject }>): (row: JsonObject) => JsonObject {
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

/**
 * Records a second of each. They take turns in short slices, so that all see the same machine, and the quicker quarter of the slices
 * counts, so that what else the machine does meanwhile does not.
 */
export function race(contestants: ReadonlyArray<(row: JsonObject) => unknown>, records: number, rowOf = supplierRow): readonly number[] {
    const rows = Array.from({ length: SLICE }, (_, i) => rowOf(i));
    const slices = Math.max(Math.ceil(records / SLICE), 20);
    const times = contestants.map(() => [] as number[]);
    for (let slice = 0; slice < slices; slice++) {
        contestants.forEach((contestant, k) => {
            const out: unknown[] = [];
            const start = performance.now();
            for (const row of rows) out.push(contestant(row));
            times[k]!.push(performance.now() - start);
            if (out.length !== SLICE) throw new Error('Something was lost.');
        });
    }
    return times.map(all => SLICE / (all.sort((one, other) => one - other)[Math.floor(slices / 4)]! / 1000));
}

/** The operators that work on one record at a time, each beside the same by hand; they must come to the same result. */
function duel(code: keyof typeof DUELS, records: number): readonly [number, number] {
    const { args, byHand } = DUELS[code];
    const operator = compiled(code, args);
    for (let i = 0; i < 200; i++) deepStrictEqual(operator(article(i), PLACE), byHand(article(i)), `${code} does not do what it does by hand`);
    const [one, hand] = race([row => operator(row, PLACE), row => byHand(row as Article)], records, article);
    return [one!, hand!];
}

export function benchOperators(records = USUAL_RECORDS): readonly Row[] {
    const row = (bench: string, recordsPerSecond: number, ratioToRaw: number | null): Row => ({
        bench, database: '–', records, recordsPerSecond, statementsPerRecord: null, peakRssMb: process.memoryUsage.rss() / 1024 / 1024, ratioToRaw, ratioToVendure: null,
    });
    const rows = (Object.keys(DUELS) as Array<keyof typeof DUELS>).map(code => {
        const [one, hand] = duel(code, records);
        return row(code, one, one / hand);
    });
    const [hand, five] = race([byHand, fused(FIVE)], records);
    return [...rows, row('five by hand', hand!, null), row('five fused', five!, five! / hand!)];
}
