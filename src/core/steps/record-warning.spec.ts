import { naming } from '../../../test/kit/naming';
import { LOAD, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { deduplicateRecords } from '../operators/aggregation/deduplicate-records';
import { ifThenElse } from '../operators/logic/if-then-else';
import { each } from '../operators/logic/each';
import { when } from '../operators/logic/when';
import type { JournalEvent } from '../ports/ports';
import type { JsonObject } from '../value/json';

const RECORDS: JsonObject[] = [
    { id: 1, price: 'n/a' },
    { id: 2, price: '12.50' },
    { id: 3, price: true },
    { id: 4, price: null, sizes: [{ price: 'n/a' }, { price: 'none' }] },
];
const above = { field: 'price', cmp: 'gt', value: 9 };
const operators = (...calls: ReadonlyArray<readonly [string, JsonObject]>): JsonObject => ({
    operators: calls.map(([op, args]) => ({ op, args })),
});

type LogLine = Extract<JournalEvent, { type: 'log' }>;
const isWarning = (event: JournalEvent): event is LogLine => event.type === 'log' && event.level === 'WARN';

async function run(kind: 'TRANSFORM' | 'ROUTE', config: JsonObject) {
    const edge = kind === 'ROUTE' ? 'shape [dear] > write' : 'shape > write';
    const { state, end } = await runPipeline(
        sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(RECORDS)],
                shape: [kind, config],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > shape', edge],
        }),
        { adapters: [when, ifThenElse, deduplicateRecords, each] },
    );
    expect(end).toMatchObject({ end: 'completed' });
    return {
        shop: [...state.shop.keys()],
        lines: state.events.filter(isWarning),
    };
}

const warning = (by: string, seq: number, value: string): object => ({
    type: 'log',
    level: 'WARN',
    stepKey: 'shape',
    message: expect.stringMatching(naming(seq + 1, 'read', '"price"', value, 'gt', 9)) as string,
    code: 'RECORD_WARNING',
    facts: expect.objectContaining({ by, path: 'price', seq }) as object,
});

describe('a value that a condition cannot compare', () => {
    it.each<[string, 'TRANSFORM' | 'ROUTE', JsonObject]>([
        ['when', 'TRANSFORM', operators(['when', { conditions: [above] }])],
        ['when', 'TRANSFORM', operators(['deduplicateRecords', { key: 'id' }], ['when', { conditions: [above] }])],
        ['ROUTE', 'ROUTE', { branches: [{ name: 'dear', when: [above] }] }],
    ])('does not match, and is a warning of %s in a %s step', async (by, kind, config) => {
        const { shop, lines } = await run(kind, config);
        expect(shop).toEqual(['t/2']);
        expect(lines).toEqual([warning(by, 0, '"n/a"'), warning(by, 2, 'true')]);
    });

    it('is one kind of warning for all elements of a list', async () => {
        const sizes = { path: 'sizes', operators: [{ op: 'when', args: { conditions: [above] } }] };
        const { lines } = await run('TRANSFORM', operators(['each', sizes]));
        expect(lines.map(({ message }) => message)).toEqual([
            expect.stringContaining('"sizes.0.price"'),
            expect.stringContaining('"sizes.1.price"'),
        ]);
        expect(new Set(lines.map(({ code, facts }) => `${code} ${facts!['by']}`))).toEqual(
            new Set(['RECORD_WARNING each']),
        );
    });

    it('is a warning of ifThenElse', async () => {
        const { lines } = await run(
            'TRANSFORM',
            operators(['ifThenElse', { condition: above, thenValue: 1, target: 't' }]),
        );
        expect(lines).toHaveLength(2);
        expect(lines[0]).toEqual(warning('ifThenElse', 0, '"n/a"'));
    });
});
