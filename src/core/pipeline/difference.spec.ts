import fc from 'fast-check';
import { toyRegistry } from '../../../test/fixtures/definitions/catalogue';
import type { JsonObject, JsonValue } from '../value/json';
import { runAtOnce } from '../concurrency/yielding-task';
import { type Difference, findingDifferences } from './difference';

const differencesOf = (...of: Parameters<typeof findingDifferences>): readonly Difference[] =>
    runAtOnce(findingDifferences(...of));

const set = (path: string, value: JsonValue = 1): JsonObject => ({ op: 'set', args: { path, value } });
const stamp = (target?: string): JsonObject => ({ op: 'stamp', args: target === undefined ? {} : { target } });

interface Parts {
    readonly operators?: readonly JsonValue[];
    readonly read?: JsonObject;
    readonly more?: readonly JsonValue[];
    readonly settings?: JsonObject;
}

/** A pipeline of three steps, with what a test changes about it. */
function definition({ operators = [stamp()], read = {}, more = [], settings = {} }: Parts = {}): JsonObject {
    return {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [], ...read } },
            { key: 'clean', kind: 'TRANSFORM', config: { operators } },
            ...more,
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'clean' },
        ],
        ...settings,
    };
}

const between = (before: Parts, after: Parts): readonly Difference[] =>
    differencesOf(definition(before), definition(after), toyRegistry);

describe('the differences of steps', () => {
    it('name added and removed steps as a whole', () => {
        const write = { key: 'write', kind: 'LOAD', config: { adapterCode: 'thingUpsert' } };
        expect(between({}, { more: [write] })).toEqual([
            { kind: 'ADDED', subject: 'STEP', stepKey: 'write', path: 'steps.write', after: write },
        ]);
        expect(between({ more: [write] }, {})).toEqual([
            { kind: 'REMOVED', subject: 'STEP', stepKey: 'write', path: 'steps.write', before: write },
        ]);
    });

    it('see nothing new in defaults and spellings of rules and branches, and name the rules that changed', () => {
        const check = (rules: JsonObject, more: JsonObject = {}): JsonObject => ({
            key: 'check',
            kind: 'VALIDATE',
            config: { rules: [{ type: 'type', spec: { field: 'a', ...rules } }], ...more },
        });
        const split = (more: JsonObject = {}): JsonObject => ({
            key: 'split',
            kind: 'ROUTE',
            config: { branches: [{ name: 'x', when: [{ field: 'a', value: 1 }] }], ...more },
        });
        const before = { more: [check({ type: 'date' }), split()] };
        expect(
            between(before, {
                more: [
                    check({ type: 'DATE', severity: 'error', required: false }, { errorHandlingMode: 'accumulate' }),
                    split({ mode: 'first' }),
                ],
            }),
        ).toEqual([]);
        expect(between(before, { more: [check({ type: 'url' }), split({ mode: 'ALL' })] })).toEqual([
            {
                kind: 'CHANGED',
                subject: 'ARGUMENT',
                stepKey: 'check',
                path: 'steps.check.config.rules',
                before: [{ type: 'type', spec: { field: 'a', type: 'date' } }],
                after: [{ type: 'type', spec: { field: 'a', type: 'url' } }],
            },
            { kind: 'ADDED', subject: 'ARGUMENT', stepKey: 'split', path: 'steps.split.config.mode', after: 'ALL' },
        ]);
    });

    it('name the innermost argument', () => {
        const source = (host: string, extra: JsonObject = {}): Parts => ({
            read: { auth: { 'server.name': { host, port: 1 } }, ...extra },
        });
        expect(between(source('a'), source('b', { pageSize: 7 }))).toEqual([
            {
                kind: 'CHANGED',
                subject: 'ARGUMENT',
                stepKey: 'read',
                path: 'steps.read.config.auth["server.name"].host',
                before: 'a',
                after: 'b',
            },
            { kind: 'ADDED', subject: 'ARGUMENT', stepKey: 'read', path: 'steps.read.config.pageSize', after: 7 },
        ]);
    });

    it('treat a list as a whole', () => {
        expect(between({ read: { rows: [{ a: 1 }] } }, { read: { rows: [{ a: 2 }] } })).toEqual([
            {
                kind: 'CHANGED',
                subject: 'ARGUMENT',
                stepKey: 'read',
                path: 'steps.read.config.rows',
                before: [{ a: 1 }],
                after: [{ a: 2 }],
            },
        ]);
    });

    it('list name, kind and being disabled as changes of the step', () => {
        const gate = (own: JsonObject): Parts => ({ more: [{ key: 'x', config: { approvalType: 'MANUAL' }, ...own }] });
        expect(between(gate({ kind: 'GATE' }), gate({ kind: 'SINK', name: 'Shop', disabled: true }))).toEqual([
            { kind: 'CHANGED', subject: 'STEP', stepKey: 'x', path: 'steps.x.disabled', before: false, after: true },
            { kind: 'CHANGED', subject: 'STEP', stepKey: 'x', path: 'steps.x.kind', before: 'GATE', after: 'SINK' },
            { kind: 'CHANGED', subject: 'STEP', stepKey: 'x', path: 'steps.x.name', after: 'Shop' },
        ]);
    });

    it('are empty for another order of keys, of steps and of edges, and for aliases and defaults that are written out', () => {
        const written: JsonObject = {
            edges: [
                { to: 'clean', from: 'read' },
                { to: 'read', from: 'start' },
            ],
            steps: [
                {
                    config: { operators: [{ args: { separator: '-', target: 't', source: 's' }, op: 'slugify' }] },
                    kind: 'TRANSFORM',
                    key: 'clean',
                    disabled: false,
                },
                {
                    config: { source: 'db_kind_a', rows: [], pageSize: 100, adapterCode: 'maskedList' },
                    key: 'read',
                    kind: 'EXTRACT',
                },
                { config: { enabled: true, type: 'MANUAL' }, key: 'start', kind: 'TRIGGER' },
            ],
            capabilities: { requires: [] },
            throughput: { concurrency: 1 },
            errorHandling: { maxRetries: 3, retryDelayMs: 1000 },
            hooks: { AFTER_LOAD: [] },
            version: 1,
        };
        const short = definition({
            operators: [{ op: 'slugify', args: { source: 's', target: 't' } }],
            read: { source: 'POSTGRES' },
        });
        expect(differencesOf(written, short, toyRegistry)).toEqual([]);
        expect(differencesOf(written, short).map(({ path }) => path)).toEqual([
            'steps.start.config.enabled',
            'steps.read.config.adapterCode',
            'steps.read.config.pageSize',
            'steps.read.config.source',
            'steps.clean.config.operators[0].args.separator',
        ]);
    });
});

describe('the differences of operators', () => {
    it('are one added operator if one is inserted before the others', () => {
        const others = [stamp(), set('a'), set('b'), set('c')];
        expect(between({ operators: others }, { operators: [set('new'), ...others] })).toEqual([
            {
                kind: 'ADDED',
                subject: 'OPERATOR',
                stepKey: 'clean',
                path: 'steps.clean.config.operators[0]',
                after: set('new'),
            },
        ]);
        expect(between({ operators: [set('old'), ...others] }, { operators: others })).toEqual([
            {
                kind: 'REMOVED',
                subject: 'OPERATOR',
                stepKey: 'clean',
                path: 'steps.clean.config.operators[0]',
                before: set('old'),
            },
        ]);
    });

    it('are one changed argument if one argument was changed, wherever the operator is now', () => {
        const before = [stamp('x'), set('a', 1), set('b', 1)];
        const after = [stamp('new'), stamp('x'), set('a', 2), set('b', 1)];
        expect(between({ operators: before }, { operators: after })).toEqual([
            {
                kind: 'ADDED',
                subject: 'OPERATOR',
                stepKey: 'clean',
                path: 'steps.clean.config.operators[0]',
                after: stamp('new'),
            },
            {
                kind: 'CHANGED',
                subject: 'ARGUMENT',
                stepKey: 'clean',
                path: 'steps.clean.config.operators[2].args.value',
                before: 1,
                after: 2,
            },
        ]);
    });

    it('are one removed and one added operator if an operator was replaced', () => {
        expect(
            between({ operators: [set('a'), stamp()] }, { operators: [set('a'), { op: 'slugify', args: {} }] }),
        ).toMatchObject([
            { kind: 'REMOVED', subject: 'OPERATOR', path: 'steps.clean.config.operators[1]' },
            { kind: 'ADDED', subject: 'OPERATOR', path: 'steps.clean.config.operators[1]' },
        ]);
    });
});

describe('the differences of edges and settings', () => {
    it('name an edge by the steps that it joins', () => {
        const joined = (...edges: readonly JsonObject[]): JsonObject => ({ version: 1, steps: [], edges });
        const before = joined({ from: 'a', to: 'b' }, { from: 'a', to: 'c', branch: 'big' });
        expect(
            differencesOf(before, joined({ from: 'a', to: 'b' }, { from: 'a', to: 'c', branch: 'not so big' })),
        ).toEqual([
            { kind: 'REMOVED', subject: 'EDGE', path: 'edges.a.c.big', before: { from: 'a', to: 'c', branch: 'big' } },
            {
                kind: 'ADDED',
                subject: 'EDGE',
                path: 'edges.a.c["not so big"]',
                after: { from: 'a', to: 'c', branch: 'not so big' },
            },
        ]);
    });

    it('compare settings with their defaults', () => {
        const settings = {
            throughput: { batchSize: 250 },
            errorHandling: { maxErrors: 5 },
            capabilities: { requires: ['B', 'A', 'B'] },
            hooks: { RUN_FAILED: [{ type: 'LOG' }] },
        };
        expect(between({ settings: { capabilities: { requires: ['B', 'A'] } } }, { settings })).toEqual([
            { kind: 'ADDED', subject: 'SETTING', path: 'errorHandling.maxErrors', after: 5 },
            { kind: 'ADDED', subject: 'SETTING', path: 'hooks.RUN_FAILED', after: [{ type: 'LOG' }] },
            { kind: 'CHANGED', subject: 'SETTING', path: 'throughput.batchSize', before: 100, after: 250 },
        ]);
    });

    it('from nothing, as before the first publication, are all additions', () => {
        const all = differencesOf(
            {},
            definition({ settings: { throughput: { batchSize: 250, concurrency: 1 } } }),
            toyRegistry,
        );
        expect(all.every(({ kind }) => kind === 'ADDED')).toBe(true);
        expect(all.map(({ path }) => path)).toEqual([
            'steps.start',
            'steps.read',
            'steps.clean',
            'edges.start.read',
            'edges.read.clean',
            'throughput.batchSize',
            'version',
        ]);
    });
});

describe('any two definitions', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const json = fc.oneof(
        fc.integer({ min: 0, max: 2 }),
        fc.constantFrom('x', 'y', null, true),
        fc.dictionary(key, fc.constantFrom(1, 'z', { a: 1 }), { maxKeys: 2 }),
    );
    const odd = fc.constantFrom<JsonValue>(null, 'text', 3, [], {});
    const call = fc.oneof(
        {
            weight: 8,
            arbitrary: fc.record({
                op: fc.constantFrom('set', 'stamp', 'slugify'),
                args: fc.dictionary(key, json, { maxKeys: 2 }),
            }),
        },
        { weight: 1, arbitrary: odd },
    );
    const config = fc.oneof(
        fc.record({ operators: fc.array(call, { maxLength: 8 }) }),
        fc.dictionary(key, json, { maxKeys: 3 }),
        fc.record({
            adapterCode: fc.constantFrom('list', 'maskedList'),
            pageSize: fc.constantFrom(100, 7),
            rows: fc.array(json, { maxLength: 2 }),
        }),
        odd,
    );
    const step = fc.oneof(
        {
            weight: 8,
            arbitrary: fc.record(
                {
                    key,
                    kind: fc.constantFrom('TRANSFORM', 'EXTRACT', 'LOAD'),
                    config,
                    name: fc.constantFrom('n', 'm'),
                    disabled: fc.boolean(),
                },
                { requiredKeys: ['key'] },
            ),
        },
        { weight: 1, arbitrary: odd },
    );
    const edge = fc.oneof(
        { weight: 8, arbitrary: fc.record({ from: key, to: key, branch: key }, { requiredKeys: ['from', 'to'] }) },
        { weight: 1, arbitrary: odd },
    );
    const listOr = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
        fc.oneof({ weight: 8, arbitrary: fc.array(element, { maxLength: 5 }) }, { weight: 1, arbitrary: odd });
    const any = fc.record(
        {
            version: fc.constantFrom(1, 2),
            steps: listOr(step),
            edges: listOr(edge),
            throughput: fc.oneof(fc.record({ batchSize: fc.constantFrom(100, 5) }), odd),
            hooks: fc.oneof(fc.constantFrom({ RUN_FAILED: [] }, { RUN_FAILED: [1] }), odd),
            capabilities: fc.oneof(fc.record({ requires: fc.array(key) }), odd),
        },
        { requiredKeys: [] },
    ) as unknown as fc.Arbitrary<JsonObject>;

    it('differ in nothing from themselves, whatever the order of their keys', () => {
        const turned = (value: JsonValue): JsonValue => {
            if (Array.isArray(value)) return value.map(turned);
            if (typeof value !== 'object' || value === null) return value;
            return Object.fromEntries(
                Object.entries(value)
                    .reverse()
                    .map(([name, inner]) => [name, turned(inner as JsonValue)]),
            );
        };
        fc.assert(
            fc.property(any, one => {
                expect(differencesOf(one, structuredClone(one), toyRegistry)).toEqual([]);
                expect(differencesOf(one, turned(one) as JsonObject)).toEqual([]);
            }),
            { numRuns: 300 },
        );
    });

    it('have the mirrored differences when they are swapped', () => {
        const told = (list: readonly Difference[], mirrored: boolean): readonly string[] =>
            list
                .map(({ kind, subject, stepKey, path, before, after }) => {
                    const opposite = kind === 'ADDED' ? 'REMOVED' : kind === 'REMOVED' ? 'ADDED' : kind;
                    const where = kind === 'CHANGED' ? path.replace(/\[\d+\]/g, '[]') : path;
                    return JSON.stringify([
                        mirrored ? opposite : kind,
                        subject,
                        stepKey,
                        where,
                        ...(mirrored ? [after, before] : [before, after]),
                    ]);
                })
                .sort();
        fc.assert(
            fc.property(any, any, (a, b) => {
                expect(told(differencesOf(b, a, toyRegistry), true)).toEqual(
                    told(differencesOf(a, b, toyRegistry), false),
                );
            }),
            { numRuns: 500 },
        );
    });

    it('are compared in time even if everything differs in two hundred large steps', () => {
        const large = (tint: string): JsonObject => ({
            version: 1,
            edges: [],
            steps: Array.from({ length: 200 }, (_, s) => ({
                key: `s${s}`,
                kind: 'TRANSFORM',
                config: { operators: Array.from({ length: 150 }, (__, o) => set(`${tint}${o}`, o)) },
            })),
        });
        expect(differencesOf(large('a'), large('b'), toyRegistry)).toHaveLength(200 * 150);
    });

    it.each<[string, (tint: number) => JsonObject]>([
        [
            '10,000 operators',
            tint => definition({ operators: Array.from({ length: 10_000 }, (_, i) => set(`a${i * tint}`)) }),
        ],
        ['50,000 values', tint => definition({ read: { rows: Array.from({ length: 50_000 }, (_, i) => i * tint) } })],
        [
            '10,000 edges',
            tint => ({ edges: Array.from({ length: 10_000 }, (_, i) => ({ from: `a${i}`, to: `b${i * tint}` })) }),
        ],
        [
            '10,000 settings',
            tint => ({ throughput: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`a${i}`, i * tint])) }),
        ],
    ])('are found a few at a time, so that others have their turn: %s', (_what, make) => {
        const [before, after] = [make(1), make(2)];
        const stringify = JSON.stringify.bind(JSON);
        let [between, most] = [0, 0];
        const spy = jest.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof JSON.stringify>) => {
            between++;
            return stringify(...args);
        });
        const work = findingDifferences(before, after);
        while (work.next().done !== true) {
            most = Math.max(most, between);
            between = 0;
        }
        spy.mockRestore();
        expect(most).toBeGreaterThan(0);
        expect(Math.max(most, between)).toBeLessThan(1_000);
    });
});
