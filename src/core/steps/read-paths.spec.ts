import { naming } from '../../../test/kit/naming';
import { MemoryState } from '../../../test/kit/memory-ports';
import { LOAD, pages, runPipeline, type RunOptions, sketched } from '../../../test/kit/pipeline';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { operators } from '../operators';
import type { OperatorCall } from '../schema/operator-calls';

interface Shaped {
    readonly records: readonly JsonObject[];
    readonly calls: readonly OperatorCall[];
    readonly batchSize?: number;
    readonly state?: MemoryState;
    readonly more?: RunOptions;
}

async function shaped({ records, calls, batchSize = 100, state = new MemoryState(), more }: Shaped) {
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', pages([...records])],
            shape: ['TRANSFORM', { operators: calls as unknown as JsonObject[] }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > shape > write'],
        throughput: { batchSize },
    });
    const { end } = await runPipeline(definition, { state, adapters: operators, ...more });
    const lines = state.events.flatMap(event =>
        event.type === 'log' && event.code === 'FIELDS_NOT_FOUND' ? [event] : [],
    );
    return { end, state, lines, fields: lines.map(({ facts }) => facts?.['fields']) };
}

const call = (op: string, args: JsonObject): OperatorCall => ({ op, args });
const map = (mapping: JsonObject): OperatorCall => call('map', { mapping, passthrough: true });

describe('a path that an operator reads', () => {
    it('is reported once a run if no record has it, with similar names', async () => {
        const records = [
            { id: 1, Preis: '1' },
            { id: 2, Preis: '2' },
        ];
        const { lines } = await shaped({ records, calls: [map({ price: 'Preiss', sku: 'id' })], batchSize: 1 });
        expect(lines).toMatchObject([{ level: 'WARN', stepKey: 'shape', facts: { fields: ['Preiss'] } }]);
        expect(lines[0]!.facts?.['named']).toEqual([expect.stringMatching(naming('"Preiss"', 'map', '"Preis"'))]);
    });

    it('is reported to lead through a list, or through text, if it does', async () => {
        const records = [
            { id: 1, images: [], brand: null },
            { id: 2, images: [{ url: 'u' }], brand: 'N' },
        ];
        const { lines } = await shaped({
            records,
            calls: [call('copy', { source: 'images.url', target: 'a' }), map({ brand: 'brand.name.de' })],
        });
        expect(lines.map(({ facts }) => facts?.['named'])).toEqual([
            [
                expect.stringMatching(naming('"images.url"', 'copy', '"images"', '"images.0.url"', 'expand')),
                expect.stringMatching(naming('"brand.name.de"', 'map', '"brand"')),
            ],
        ]);
    });

    it('is reported for the elements of a list, by its path in the record', async () => {
        const inner = [call('rename', { from: 'prise', to: 'cents' }), call('trim', { path: 'sku' })];
        const records = [{ id: 1, variants: [{ sku: 'A', price: 1 }] }];
        const each = call('each', { path: 'variants', operators: inner as unknown as JsonObject[] });
        expect((await shaped({ records, calls: [each] })).fields).toEqual([['variants.*.prise']]);
        expect((await shaped({ records: [{ id: 1, variants: [] }], calls: [each] })).fields).toEqual([]);
    });

    it('is reported if an operator of whole batches reads it, and if it is read from a derived record', async () => {
        const calls = [
            call('deduplicateRecords', { key: 'ean' }),
            call('expand', { path: 'tags', mergeParent: true }),
            call('uppercase', { path: 'tag' }),
        ];
        const { fields } = await shaped({ records: [{ id: 1, tags: ['a', 'b'] }], calls });
        expect(fields).toEqual([['ean', 'tag']]);
    });

    it('is not reported if one record has it, even as null', async () => {
        const calls = [map({ a: 'a', b: 'b.c', d: 'd\\.e' })];
        const records: JsonObject[] = [{ id: 1 }, { id: 2, a: null }, { id: 3, b: { c: 0 } }, { id: 4, 'd.e': '' }];
        expect((await shaped({ records, calls, batchSize: 1 })).lines).toEqual([]);
    });

    it('may be missing for operators that test for it, and for those with a default', async () => {
        const calls = [
            call('default', { path: 'a', value: 1 }),
            call('coalesce', { paths: ['x', 'y'], target: 'b' }),
            call('remove', { path: 'x' }),
            call('toNumber', { source: 'x', target: 'c', default: 0 }),
            call('template', { template: '${x}', target: 'd', missingAsEmpty: true }),
            call('when', { conditions: [{ field: 'x', cmp: 'notExists' }], action: 'keep' }),
        ];
        expect((await shaped({ records: [{ id: 1 }], calls })).lines).toEqual([]);
    });

    it('is not reported for an operator without records', async () => {
        const calls = [
            call('when', { conditions: [{ field: 'id', cmp: 'gt', value: 9 }], action: 'keep' }),
            call('copy', { source: 'x', target: 'y' }),
        ];
        expect((await shaped({ records: [{ id: 1 }], calls })).lines).toEqual([]);
    });

    it.each<[string, readonly JsonObject[], unknown[]]>([
        ['in an earlier slice', [{ id: 1, a: 1 }, { id: 2 }], []],
        ['in a later slice', [{ id: 1 }, { id: 2, a: 1 }], []],
        ['in none', [{ id: 1 }, { id: 2 }], [['a']]],
    ])('is reported for the whole run, whatever worker has it: %s', async (_, records, fields) => {
        const state = new MemoryState();
        const slice = new AbortController();
        slice.abort();
        const one = { calls: [map({ b: 'a' })], records, batchSize: 1, state };
        expect((await shaped({ ...one, more: { yieldSignal: slice.signal } })).end.end).toBe('yielded');
        expect(await shaped(one)).toMatchObject({ end: { end: 'completed' }, fields });
    });

    it('is reported for a run that fails as well', async () => {
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') throw flowError('BUG', { problem: 'no' });
        };
        const { end, fields } = await shaped({ records: [{ id: 1 }], calls: [map({ b: 'a' })], more: { at } });
        expect([end.end, fields]).toEqual(['stopped', [['a']]]);
    });

    it('names twenty fields at most', async () => {
        const mapping = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`to${i}`, `from${i}`]));
        const { lines } = await shaped({ records: [{ id: 1 }], calls: [map(mapping)] });
        expect(lines[0]!.facts!['fields']).toHaveLength(20);
        expect(lines[0]!.facts!['named']).toEqual(expect.arrayContaining(['…']));
    });
});

describe('the operators of Flow', () => {
    /** They ask whether something is there, have something in its place, reject a record without it, or read nothing. */
    const MAY_BE_MISSING = [
        ...['coalesce', 'default', 'deltaFilter', 'enrich', 'ifThenElse', 'math', 'now', 'omit', 'remove', 'set'],
        ...['validateRequired', 'when'],
    ];

    it('declare which paths they read of every record, or are known not to need them', () => {
        const silent = operators.filter(({ reads }) => reads === undefined).map(({ code }) => code);
        expect(silent.sort()).toEqual(MAY_BE_MISSING);
    });
});
