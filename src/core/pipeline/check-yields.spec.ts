import { RE2JS } from 're2js';
import { toyRegistry } from '../../../test/fixtures/definitions/catalogue';
import { naming } from '../../../test/kit/naming';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { replaceRegex } from '../operators/string/replace-regex';
import { trim } from '../operators/string/trim';
import { callFrame } from '../schema/operator-calls';
import { TaskQueue } from '../concurrency/task-queue';
import { edgeFrame, MAX_STEPS } from './definition-frames';
import { type CheckLimits, checkDefinition, checkingDefinition, type CheckResult } from './parse';
import { routeConfig } from '../steps/route-config';

const registry = toyRegistry.plus([trim, replaceRegex]);
const ALL: CheckLimits = { maxValues: Infinity, maxConfigValues: Infinity, maxPatterns: Infinity };

const start = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
const shaping = (operators: readonly object[]) => ({
    version: 1,
    steps: [
        start,
        { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
        { key: 'shape', kind: 'TRANSFORM', config: { operators } },
    ],
    edges: [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'shape' },
    ],
});
const trims = (count: number) => Array.from({ length: count }, () => ({ op: 'trim', args: { path: 'a' } }));
let made = 0;
/** Patterns that were not checked before. */
const patterns = (count: number) =>
    Array.from({ length: count }, () => ({
        op: 'replaceRegex',
        args: { path: 'a', pattern: `x{1,30}${++made}`, replacement: '' },
    }));
/** All edges that lead from a step to a later one, or as many of them. */
const dense = (edges: number) => ({
    version: 1,
    steps: Array.from({ length: MAX_STEPS }, (_, i) => ({
        key: `s${i}`,
        kind: 'TRANSFORM',
        config: { operators: trims(1) },
    })),
    edges: Array.from({ length: MAX_STEPS ** 2 }, (_, i) => [Math.floor(i / MAX_STEPS), i % MAX_STEPS] as const)
        .filter(([from, to]) => from !== to)
        .slice(0, edges)
        .map(([from, to]) => ({ from: `s${from}`, to: `s${to}` })),
});

/** Counts how often a schema is applied. */
function requested(schema: object, count: () => void): jest.SpyInstance {
    const { _zod: inner } = schema as { _zod: { run: (...args: unknown[]) => unknown } };
    const run = inner.run.bind(inner);
    return jest.spyOn(inner, 'run').mockImplementation((...args) => {
        count();
        return run(...args);
    });
}

afterEach(() => jest.restoreAllMocks());

describe('a definition that is checked in turns', () => {
    it.each([
        ['20,000 operators', 20_000, callFrame, () => shaping(trims(20_000))],
        ['36,000 edges', 36_000, edgeFrame, () => dense(36_000)],
        ['36,000 invalid edges', 36_000, edgeFrame, () => ({ ...dense(0), edges: Array<number>(36_000).fill(1) })],
        ['20,000 invalid operators', 20_000, callFrame, () => shaping(Array<object>(20_000).fill([]))],
    ])('lets the event loop turn while it looks at %s', async (_what, count, schema, make) => {
        const definition = make();
        const work = new WorkBetweenTurns(0.1);
        requested(schema, () => work.did());
        const { most, total } = await work.during(() =>
            new TaskQueue().done(checkingDefinition(definition, registry, ALL)),
        );
        expect({ most, total }).toEqual({ most: 80, total: count });
    });

    it('lets it turn between two of 500 patterns, each of which it looks at once', async () => {
        const definition = shaping(patterns(500));
        const work = new WorkBetweenTurns(20);
        const compile = RE2JS.compile.bind(RE2JS);
        jest.spyOn(RE2JS, 'compile').mockImplementation((...args) => {
            work.did();
            return compile(...args);
        });
        const { value, most, total } = await work.during(() =>
            new TaskQueue().done(checkingDefinition(definition, registry, ALL)),
        );
        expect(value.issues).toEqual([]);
        expect({ most, total }).toEqual({ most: 1, total: 500 });
    });

    it('also where one configuration has them all', async () => {
        const branches = Array.from({ length: 50 }, (_, at) => ({
            name: `b${at}`,
            when: Array.from({ length: 10 }, () => ({ field: 'a', cmp: 'regex', value: `y{1,30}${++made}` })),
        }));
        const steps = [start, { key: 'route', kind: 'ROUTE', config: { branches } }];
        const work = new WorkBetweenTurns(20);
        const compile = RE2JS.compile.bind(RE2JS);
        jest.spyOn(RE2JS, 'compile').mockImplementation((...args) => {
            work.did();
            return compile(...args);
        });
        let reads = 0;
        requested(routeConfig, () => reads++);
        const { most, total } = await work.during(() =>
            new TaskQueue().done(checkingDefinition({ version: 1, steps, edges: [] }, registry, ALL)),
        );
        expect({ most, total, reads }).toEqual({ most: 1, total: 500, reads: 2 });
    });

    it('comes out as one that is checked at once', async () => {
        const faulty = {
            ...shaping([...trims(3), { op: 'replaceRegex', args: { path: 'a', pattern: '(', replacement: '$1' } }]),
            hooks: { BEFORE_LOAD: [{ type: 'NO' }] },
        };
        for (const definition of [shaping(trims(3)), faulty, dense(300), '{', 7])
            expect(await new TaskQueue().done(checkingDefinition(definition, registry, ALL))).toEqual(
                checkDefinition(definition, registry),
            );
    });
});

describe('the cost of a check', () => {
    /** Look-ups in maps and sets, which is what walks over graphs are made of. */
    function lookups(definition: unknown): number {
        let count = 0;
        const undo: Array<() => void> = [];
        const watched: ReadonlyArray<readonly [object, string]> = [
            [Map.prototype, 'get'],
            [Map.prototype, 'has'],
            [Set.prototype, 'has'],
        ];
        for (const [owner, name] of watched) {
            const own = Object.getOwnPropertyDescriptor(owner, name)!;
            const original = own.value as (key: unknown) => unknown;
            const counted = function (this: unknown, key: unknown): unknown {
                count++;
                return Reflect.apply(original, this, [key]);
            };
            Object.defineProperty(owner, name, { ...own, value: counted });
            undo.push(() => Object.defineProperty(owner, name, own));
        }
        try {
            checkDefinition(definition, registry);
        } finally {
            for (const putBack of undo) putBack();
        }
        return count;
    }

    it('doubles with the edges, however many steps they join', () => {
        const [none, half, whole] = [dense(0), dense(18_000), dense(36_000)].map(lookups) as [number, number, number];
        expect(whole - none).toBeLessThan(2.1 * (half - none));
        expect((whole - none) / 36_000).toBeLessThan(30);
    });

    it('doubles with the operators', () => {
        const [half, whole] = [shaping(trims(5_000)), shaping(trims(10_000))].map(lookups) as [number, number];
        expect(whole).toBeLessThan(2.1 * half);
    });
});

describe('the limits of a check', () => {
    const checked = (definition: unknown, limits: Partial<CheckLimits>): CheckResult => {
        const work = checkingDefinition(definition, registry, { ...ALL, ...limits });
        for (;;) {
            const bit = work.next();
            if (bit.done === true) return bit.value;
        }
    };

    it('end the look at a definition of more values than are allowed', () => {
        // The definition, version, steps with 3 values more each for the frames, and what is in them.
        expect(checked(shaping(trims(100)), { maxValues: 300 })).toEqual({
            issues: [
                {
                    facts: expect.objectContaining({ most: 300 }) as object,
                    code: 'DEFINITION_TOO_LARGE',
                    path: '',
                    message: expect.stringMatching(naming(300, 'definitions.maxValues')),
                },
            ],
        });
        expect(checked(shaping(trims(100)), { maxValues: 500 }).definition).toBeDefined();
    });

    it('skip a configuration with too many values, and check all others', () => {
        const rows = { adapterCode: 'list', rows: Array.from({ length: 50 }, () => ({ a: 1 })) };
        const definition = shaping([{ op: 'trim', args: { path: '' } }]);
        const { issues } = checked(
            {
                ...definition,
                steps: definition.steps.map(step => (step.key === 'read' ? { ...step, config: rows } : step)),
            },
            { maxConfigValues: 100 },
        );
        expect(issues.map(({ code, path }) => [code, path])).toEqual([
            ['DEFINITION_TOO_LARGE', 'steps[1].config'],
            ['CONFIG_INVALID', 'steps[2].config.operators[0].args.path'],
        ]);
        expect(issues[0]!.message).toMatch(naming('steps[1].config', 100, 'definitions.maxConfigValues'));
    });

    it('are reported however many other errors there are', () => {
        const faulty = { ...shaping(patterns(50)), edges: Array<number>(1_000).fill(1) };
        const { issues } = checked(faulty, { maxPatterns: 5 });
        expect(issues.slice(-2).map(({ code }) => code)).toEqual(['DEFINITION_TOO_LARGE', 'TOO_MANY_ISSUES']);
    });

    it('apply to the number of patterns that are checked, and report the total', () => {
        const { issues } = checked(shaping(patterns(5)), { maxPatterns: 3 });
        expect(issues.map(({ code, path }) => [code, path])).toEqual([
            ['CONFIG_INVALID', 'steps[2].config.operators[3].args.pattern'],
            ['CONFIG_INVALID', 'steps[2].config.operators[4].args.pattern'],
            ['DEFINITION_TOO_LARGE', ''],
        ]);
        expect(issues[2]!.message).toMatch(naming(5, 3, 'definitions.maxPatterns'));
    });
});
