import { operators } from '../src/core/operators';
import { systemClock } from '../src/core/data/clock';
import type { JsonObject } from '../src/core/data/json';
import { DROP, type RecordFn } from '../src/core/adapter/operator';
import type { Row } from './report';

const USUAL_RECORDS = 200_000;
const ROUNDS = 5;

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

export function compiled(op: string, args: JsonObject): RecordFn {
    const operator = operators.find(candidate => candidate.code === op)!;
    return operator.compile(operator.config.parse(args) as never, { clock: systemClock });
}

export function fused(calls: ReadonlyArray<{ readonly op: string; readonly args: JsonObject }>): (row: JsonObject) => JsonObject {
    const functions = calls.map(({ op, args }) => compiled(op, args));
    return row => {
        let data = row;
        for (const one of functions) {
            const out = one(data);
            if (out === DROP || Array.isArray(out)) throw new Error('The five neither drop nor expand.');
            data = out as JsonObject;
        }
        return data;
    };
}

/** Best of some rounds, in records a second; the rounds alternate, so that both see the same machine. */
export function race(contestants: ReadonlyArray<(row: JsonObject) => unknown>, records: number): readonly number[] {
    const rows = Array.from({ length: records }, (_, i) => supplierRow(i));
    const best = contestants.map(() => Infinity);
    for (let round = 0; round < ROUNDS; round++) {
        contestants.forEach((contestant, k) => {
            const out: unknown[] = [];
            const start = performance.now();
            for (const row of rows) out.push(contestant(row));
            best[k] = Math.min(best[k]!, performance.now() - start);
            if (out.length !== records) throw new Error('Something was lost.');
        });
    }
    return best.map(ms => records / (ms / 1000));
}

export function benchOperators(records = USUAL_RECORDS): readonly Row[] {
    const row = (bench: string, recordsPerSecond: number, ratioToRaw: number | null): Row => ({
        bench, database: '–', records, recordsPerSecond, statementsPerRecord: null, peakRssMb: process.memoryUsage.rss() / 1024 / 1024, ratioToRaw, ratioToVendure: null,
    });
    const rows = operators.map(operator => {
        const example = operator.examples.find(candidate => candidate.out !== undefined && candidate.error === undefined)!;
        const one = operator.compile(operator.config.parse(example.args) as never, { clock: systemClock });
        return row(operator.code, race([() => one(example.in)], records)[0]!, null);
    });
    const [hand, five] = race([byHand, fused(FIVE)], records);
    return [...rows, row('five by hand', hand!, null), row('five fused', five!, five! / hand!)];
}
