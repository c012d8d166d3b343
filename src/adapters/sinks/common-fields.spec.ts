import fc from 'fast-check';
import { ENGINE_STANDS, type EngineStand, runInto } from '../../../test/kit/engines/stands';
import type { JsonObject } from '../../core/value/json';
import { checkDefinition, checkingDefinition } from '../../core/pipeline/parse';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { setUp } from '../../plugin/setup';
import { serviceSinks } from '..';

const codes = serviceSinks.map(({ code }) => code);
const standOf = (code: string): EngineStand => ENGINE_STANDS[code]!();
/** Without what a service wants a document to be known by. */
const stored = (stand: EngineStand, index?: string): readonly JsonObject[] =>
    [...stand.stored(index).values()].map(({ objectID: _objectID, id: _id, ...rest }) => rest);

it('all sinks of Flow are tested against a service', () => {
    expect(codes.filter(code => !Object.hasOwn(ENGINE_STANDS, code))).toEqual([]);
    expect(codes).toHaveLength(7);
});

describe.each(codes)('%s', code => {
    const into = async (records: readonly JsonObject[], config: JsonObject = {}, options = {}) => {
        const stand = standOf(code);
        return { stand, ...(await runInto(stand, { code, config, records }, options)) };
    };

    it('sends at most batchSize records at a time', async () => {
        const records = Array.from({ length: 5 }, (_, i): JsonObject => ({ sku: `S${i}` }));
        const { stand } = await into(records, { batchSize: 2 });
        expect(stored(stand)).toEqual(records);
        const parts = stand.engine.seen.filter(
            ({ body }) => body.includes('S0') || body.includes('S2') || body.includes('S4'),
        );
        expect(parts.every(({ body }) => new Set(body.match(/S\d/g)).size <= 2)).toBe(true);
        expect(parts.length).toBeGreaterThanOrEqual(3);
    });

    it.each([0, 10_001, 1.5])('rejects %j as a batchSize before anything is sent', async batchSize => {
        const stand = standOf(code);
        const run = runInto(stand, { code, config: { batchSize }, records: [{ sku: 'A' }] });
        await expect(run).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
        expect(stand.engine.seen).toEqual([]);
    });

    it('executes the operation of each record, by default that of the step, and removes it from the record', async () => {
        const records: JsonObject[] = [
            { sku: 'A', n: 1 },
            { sku: 'B', n: 2, __operation: 'DELETE' },
            { sku: 'C', n: 3, __operation: 'UPDATE' },
            { sku: 'D', n: 4, __operation: 'MERGE' },
        ];
        const { stand, end, rejected } = await into(records);
        expect(end).toMatchObject({ counters: { send: { updated: 2, deleted: 1, rejected: 1 } } });
        expect(stored(stand)).toEqual([
            { sku: 'A', n: 1 },
            { sku: 'C', n: 3 },
        ]);
        expect(stand.removed()).toEqual(['B']);
        expect(rejected).toHaveLength(1);
        const removing = await into(records, { defaultOperation: 'DELETE' });
        expect(removing.stand.removed()).toEqual(['A', 'B']);
        expect(JSON.stringify(removing.stand.engine.seen.map(({ body }) => body))).not.toContain('__operation');
    });

    it('applies the translation of the language to a record, and omits the list of translations', async () => {
        const translations = [
            { id: 1, languageCode: 'en', name: 'Shirt' },
            { id: 2, languageCode: 'de', name: 'Hemd' },
        ];
        const records: JsonObject[] = [
            { sku: 'A', name: 'x', translations },
            { sku: 'B', name: 'y', translations: { de: { name: 'Hose' } } },
            { sku: 'C', name: 'z' },
            { sku: 'D', name: 'w', translations: [{ languageCode: 'fr', name: 'f' }] },
        ];
        const { stand } = await into(records, { languageCode: 'de' });
        expect(stored(stand)).toEqual([
            { sku: 'A', name: 'Hemd', languageCode: 'de' },
            { sku: 'B', name: 'Hose' },
            { sku: 'C', name: 'z' },
            { sku: 'D', name: 'w' },
        ]);
        const other = await into([{ sku: 'A', texts: translations }], {
            languageCode: 'de_AT',
            translationsField: 'texts',
        });
        expect(stored(other.stand)).toEqual([{ sku: 'A', name: 'Hemd', languageCode: 'de' }]);
        const both = { de: { name: 'Tomate' }, de_AT: { name: 'Paradeiser' } };
        const own = await into([{ sku: 'A', translations: both }], { languageCode: 'de_AT' });
        expect(stored(own.stand)).toEqual([{ sku: 'A', name: 'Paradeiser' }]);
    });

    it('knows a record by the id of its translation when it writes, deletes and checks', async () => {
        const records: JsonObject[] = [
            { sku: 'A', n: 1, translations: { de: { sku: 'A-de' } } },
            { n: 2, translations: [{ languageCode: 'de', sku: 'B-de' }] },
            { sku: 'C', translations: { de: { sku: 'C-de' } }, __operation: 'delete' },
            { sku: 'D', translations: { de: { sku: '' } }, __operation: 'DELETE' },
            { sku: 'E', n: 5 },
        ];
        const { stand, end, rejected } = await into(records, { languageCode: 'de' });
        expect(end).toMatchObject({ counters: { send: { updated: 3, deleted: 1, rejected: 1 } } });
        expect([...stand.stored().keys()]).toEqual(['A-de', 'B-de', 'E']);
        expect(stored(stand).map(({ sku }) => sku)).toEqual(['A-de', 'B-de', 'E']);
        expect(stand.removed()).toEqual(['C-de']);
        expect(rejected).toHaveLength(1);
    });

    it('reports records of one batch that replace one another, unless it keeps all of them', async () => {
        const warned = async (records: readonly JsonObject[]): Promise<boolean> => {
            const { state } = await into(records, { languageCode: 'de' });
            return state.events.some(event => event.type === 'log' && event.message.includes('"same"'));
        };
        const named = (sku: string, n: number): JsonObject => ({ sku, n, translations: { de: { sku: 'same' } } });
        expect(await warned([named('A', 1), named('B', 2)])).toBe(code !== 'queueProducer');
        expect(await warned([named('A', 1), { ...named('A', 2), __operation: 'DELETE' }, named('B', 3)])).toBe(false);
        expect(await warned([{ sku: 'A' }, { sku: 'B' }])).toBe(false);
    });

    it('sends the records of the channel, and those without channels; the others are filtered', async () => {
        const records: JsonObject[] = [
            { sku: 'A', channels: ['eu', 'us'] },
            { sku: 'B', channels: [{ code: 'us' }] },
            { sku: 'C' },
            { sku: 'D', channels: [] },
            { sku: 'E', channels: [{ code: 'eu' }] },
        ];
        const { stand, end } = await into(records, { channelCode: 'eu' });
        expect(end).toMatchObject({ counters: { send: { in: 5, updated: 3, filtered: 2, rejected: 0 } } });
        expect(stored(stand).map(({ sku }) => sku)).toEqual(['A', 'C', 'E']);
        const other = await into(
            [
                { sku: 'A', of: ['us'] },
                { sku: 'B', of: ['eu'] },
            ],
            { channelCode: 'eu', channelField: 'of' },
        );
        expect(stored(other.stand).map(({ sku }) => sku)).toEqual(['B']);
    });

    it('sends the selected fields, or all except the excluded ones', async () => {
        const record = { sku: 'A', name: 'n', price: { net: 1, gross: 2 }, cost: 9 };
        const picked = await into([record], { fields: ['sku', 'price.gross'], excludeFields: ['sku'] });
        expect(stored(picked.stand)).toEqual([{ sku: 'A', price: { gross: 2 } }]);
        const left = await into([record], { excludeFields: ['cost', 'price'] });
        expect(stored(left.stand)).toEqual([{ sku: 'A', name: 'n' }]);
    });

    it('knows a record by its id whichever fields are sent', async () => {
        const configs: readonly JsonObject[] = [{ fields: ['name'] }, { excludeFields: ['sku', 'cost'] }];
        for (const config of configs) {
            const { stand } = await into([{ sku: 'A', name: 'n', cost: 9 }], config);
            expect([...stand.stored().keys()]).toEqual(['A']);
            expect(stored(stand)[0]).toMatchObject({ name: 'n' });
        }
    });

    it('has fields that only the shop’s code may set', () => {
        const { registry } = setUp({});
        const { config } = standOf(code);
        const send = {
            adapterCode: code,
            ...config,
            fields: ['sku'],
            excludeFields: ['a'],
            channelField: 'b',
            channelCode: 'c',
        };
        const steps = [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{}] } },
            { key: 'send', kind: 'SINK', config: send },
        ];
        const edges = [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'send' },
        ];
        const definition = { version: 1, steps, edges };
        const issues = (issues: ReadonlyArray<{ readonly severity?: string; readonly path: string }>) =>
            issues.filter(({ severity }) => severity === undefined).map(({ path }) => path);
        expect(issues(checkDefinition(definition, registry).issues)).toEqual([]);
        const scope = { maxValues: 1e6, maxConfigValues: 1e6, maxPatterns: 1e6, isStored: true };
        expect(issues(runAtOnce(checkingDefinition(definition, registry, scope)).issues).sort()).toEqual(
            ['channelField', 'excludeFields', 'fields'].map(name => `steps[2].config.${name}`),
        );
    });

    it('opens nothing in a dry run, and shows what it would send', async () => {
        const records: JsonObject[] = [
            { sku: 'A', cost: 9 },
            { sku: 'B', __operation: 'DELETE' },
        ];
        const { stand, end, state } = await into(records, { excludeFields: ['cost'] }, { input: { mode: 'dryRun' } });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 1, deleted: 1 } } });
        expect(stand.engine.seen).toEqual([]);
        expect(JSON.stringify(state.events)).toContain('"after":{"sku":"A"}');
    });

    it('rejects no record of a service that is down, and delivers all when it is back', async () => {
        const stand = standOf(code);
        let left = 3;
        stand.engine.script = () => (left-- > 0 ? { status: 503 } : undefined);
        const { end, rejected } = await runInto(stand, { code, records: [{ sku: 'A' }, { sku: 'B' }] }, {});
        if (end.end === 'stopped') expect(end.error).toMatchObject({ code: 'REMOTE_BUSY' });
        else expect(stored(stand)).toEqual([{ sku: 'A' }, { sku: 'B' }]);
        expect(rejected).toEqual([]);
    });

    it('fails the step if the service rejects the credential, and rejects no record', async () => {
        const stand = standOf(code);
        stand.engine.script = () => ({ status: 403, body: { message: 'no' } });
        const { end, rejected } = await runInto(stand, { code, records: [{ sku: 'A' }] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' }, stepKey: 'send' });
        expect(rejected).toEqual([]);
    });

    it('delivers the same whatever the sizes of batches and parts', async () => {
        const record = fc.record({
            sku: fc.constantFrom('A', 'B', 'C', 'D'),
            n: fc.nat(99),
            operation: fc.constantFrom(undefined, 'DELETE', 'UPSERT'),
        });
        const size = fc.integer({ min: 1, max: 7 });
        await fc.assert(
            fc.asyncProperty(fc.array(record, { maxLength: 20 }), size, size, async (list, batchSize, partSize) => {
                const records = list.map(({ operation, ...data }): JsonObject => ({
                    ...data,
                    ...(operation && { __operation: operation }),
                }));
                const whole = await into(records);
                // A part is never larger than a batch.
                const sizes = { batchSize: Math.min(partSize, batchSize) };
                const parts = await into(records, sizes, { batchSize, concurrency: 3 });
                expect(stored(parts.stand)).toEqual(stored(whole.stand));
                expect(parts.stand.removed()).toEqual(whole.stand.removed());
            }),
            { numRuns: 12 },
        );
    });
});

describe.each(['meilisearch', 'elasticsearch', 'opensearch', 'algolia'])('%s', code => {
    it('has an index for each language, and requires the language', async () => {
        const stand = standOf(code);
        await runInto(stand, {
            code,
            config: { indexName: 'p-${languageCode}', languageCode: 'de' },
            records: [{ sku: 'A' }],
        });
        expect(stored(stand, 'p-de')).toEqual([{ sku: 'A' }]);
        const without = runInto(stand, { code, config: { indexName: 'p-${languageCode}' }, records: [] });
        await expect(without).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    });
});
