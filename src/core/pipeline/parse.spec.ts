import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toyRegistry } from '../../../test/fixtures/definitions/catalogue';
import { charactersRead } from '../../../test/kit/characters-read';
import { naming } from '../../../test/kit/naming';
import { said } from '../../../test/kit/said';
import { isFlowError, type FlowError } from '../errors/flow-error';
import type { Issue, IssueCode } from './issues';
import { MAX_STEPS } from './definition-frames';
import { checkDefinition, parseDefinition } from './parse';
import { MAX_DEFINITION_BYTES } from './read-input';

const FOLDER = join(__dirname, '../../../test/fixtures/definitions');

interface InvalidCase {
    readonly definition: unknown;
    readonly expected: ReadonlyArray<{ readonly code: string; readonly path: string }>;
}

function golden(kind: 'valid' | 'invalid'): ReadonlyArray<readonly [string, unknown]> {
    const files = readdirSync(join(FOLDER, kind));
    return files.map(file => [file.replace('.json', ''), JSON.parse(readFileSync(join(FOLDER, kind, file), 'utf8'))]);
}

function trigger(key = 'start'): object {
    return { key, kind: 'TRIGGER', config: { type: 'MANUAL' } };
}

function extract(key = 'read', config: object = {}): object {
    return { key, kind: 'EXTRACT', config: { adapterCode: 'list', rows: [], ...config } };
}

function transform(key: string, operators: readonly object[] = [{ op: 'stamp', args: {} }]): object {
    return { key, kind: 'TRANSFORM', config: { operators } };
}

/** A definition whose steps are chained. */
function chain(...steps: readonly object[]): {
    version: 1;
    steps: readonly object[];
    edges: ReadonlyArray<{ from: string; to: string }>;
} {
    const keys = steps.map(step => (step as { key: string }).key);
    return { version: 1, steps, edges: keys.slice(1).map((to, index) => ({ from: keys[index]!, to })) };
}

function thrownBy(action: () => unknown): FlowError {
    try {
        action();
    } catch (error) {
        if (isFlowError(error)) return error;
        throw error;
    }
    throw new Error('nothing was thrown');
}

/** An issue with what its message names. */
function issue(code: IssueCode, path: string, ...named: ReadonlyArray<string | number>): unknown {
    return expect.objectContaining({ code, path, message: expect.stringMatching(naming(...named)) as string });
}

function issuesOf(definition: unknown): readonly Issue[] {
    return checkDefinition(definition, toyRegistry).issues;
}

function messagesOf(definition: unknown): readonly string[] {
    return checkDefinition(definition, toyRegistry).issues.map(({ message }) => message);
}

describe('the golden folder of definitions', () => {
    it('has at least thirty invalid ones', () => {
        expect(golden('invalid').length).toBeGreaterThanOrEqual(30);
    });

    it.each(golden('invalid'))('%s is rejected with all of its issues and no others', (_name, content) => {
        const { definition, expected } = content as InvalidCase;
        const result = checkDefinition(definition, toyRegistry);
        expect(result.issues.map(({ code, path }) => ({ code, path }))).toEqual(expected);
        expect(result.definition).toBeUndefined();
        for (const { message } of result.issues) expect(message).toMatch(/\w+ .*\w+/s);
    });

    it('is rejected in the same words, whatever messages zod is configured with', () => {
        const usual = { ...z.config() };
        const invalid = golden('invalid').map(([, content]) => (content as InvalidCase).definition);
        const before = invalid.map(messagesOf);
        try {
            for (const set of [z.locales.de(), { customError: () => 'Nope, in the words of the shop' }]) {
                z.config(set);
                expect(invalid.map(messagesOf)).toEqual(before);
            }
        } finally {
            z.config({ localeError: usual.localeError, customError: usual.customError });
        }
    });

    it.each(golden('valid'))('%s is accepted, and accepted again as it was stored', (_name, content) => {
        const { definition, issues } = checkDefinition(content, toyRegistry);
        expect(issues).toEqual([]);
        expect(definition).toMatchObject(content as object);
        expect(parseDefinition(JSON.stringify(definition), toyRegistry)).toEqual(definition);
    });
});

describe('a checked definition', () => {
    it('has the words of VALIDATE and ROUTE steps as the specification spells them', () => {
        const check = {
            key: 'check',
            kind: 'VALIDATE',
            config: {
                errorHandlingMode: 'fail_fast',
                rules: [{ type: 'type', spec: { field: 'a', type: 'DATE', severity: 'warning' } }],
            },
        };
        const split = {
            key: 'split',
            kind: 'ROUTE',
            config: { mode: 'all', branches: [{ name: 'x', when: [{ field: 'a', value: 1 }] }] },
        };
        const { steps } = parseDefinition(chain(trigger(), extract(), check, split), toyRegistry);
        expect(steps.slice(2).map(({ config }) => config)).toEqual([
            {
                errorHandlingMode: 'FAIL_FAST',
                rules: [{ type: 'type', spec: { field: 'a', type: 'date', severity: 'WARNING' } }],
            },
            { mode: 'ALL', branches: [{ name: 'x', when: [{ field: 'a', value: 1 }] }] },
        ]);
    });

    it('has every setting, with the defaults of the specification', () => {
        const { throughput, errorHandling, capabilities, hooks } = parseDefinition(
            chain(trigger(), extract()),
            toyRegistry,
        );
        expect(throughput).toEqual({ batchSize: 100, concurrency: 1, rateLimitRps: 0 });
        expect(errorHandling).toEqual({ maxRetries: 3, retryDelayMs: 1000, backoffMultiplier: 2 });
        expect(capabilities).toEqual({ requires: [] });
        expect(hooks).toEqual({});
    });

    it('keeps the configuration of a step as it was written, without the defaults of the adapter', () => {
        const { steps } = parseDefinition(chain(trigger(), extract()), toyRegistry);
        expect(steps[1]).toEqual({ key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } });
    });

    it('has the primary code instead of an alias', () => {
        const { steps } = parseDefinition(
            chain(trigger(), extract('read', { adapterCode: 'maskedList' })),
            toyRegistry,
        );
        expect(steps[1]!.config.adapterCode).toBe('list');
    });

    it.each([
        ['DB_KIND_A', 'POSTGRES'],
        ['db_kind_b', 'MYSQL'],
        ['postgres', 'POSTGRES'],
        ['MYSQL', 'MYSQL'],
    ])('has the real value if %s was given for an enum with aliases', (written, real) => {
        const { steps } = parseDefinition(chain(trigger(), extract('read', { source: written })), toyRegistry);
        expect(steps[1]!.config.source).toBe(real);
    });

    it('omits undefined values of code', () => {
        const definition = parseDefinition(chain(trigger(), { ...extract(), name: undefined }), toyRegistry);
        expect(definition.steps[1]).not.toHaveProperty('name');
    });

    it('shares nothing with its input', () => {
        const rows = [{ a: 1 }];
        const definition = parseDefinition(chain(trigger(), extract('read', { rows })), toyRegistry);
        rows[0]!.a = 2;
        expect(definition.steps[1]!.config.rows).toEqual([{ a: 1 }]);
    });

    it('may be text with a byte order mark', () => {
        expect(parseDefinition(`\uFEFF${JSON.stringify(chain(trigger(), extract()))}`, toyRegistry).steps).toHaveLength(
            2,
        );
    });
});

describe('a definition that is rejected', () => {
    it('reports where its JSON is invalid', () => {
        const error = thrownBy(() => parseDefinition('{\n  "version": 1,\n  "steps": [}', toyRegistry));
        expect(error.code).toBe('DEFINITION_MALFORMED');
        expect(error.message).toMatch(naming('line 3', 'column 13', '"}"'));
    });

    it('carries all of its issues in the details of one error', () => {
        const wrong = { ...chain(trigger(), extract('read', { pageSize: 0 })), throughput: { batchSize: 20_000 } };
        const error = thrownBy(() => parseDefinition(wrong, toyRegistry));
        expect(error.code).toBe('DEFINITION_INVALID');
        expect(error.message).toContain('has 2 errors:');
        expect(error.details).toEqual({
            issues: [
                {
                    code: 'VALUE_OUT_OF_RANGE',
                    path: 'throughput.batchSize',
                    message: expect.stringMatching(naming('throughput.batchSize', 20_000, 1, 10_000)),
                    facts: expect.any(Object) as object,
                },
                {
                    code: 'CONFIG_INVALID',
                    path: 'steps[1].config.pageSize',
                    stepKey: 'read',
                    message: expect.stringMatching(naming('steps[1].config.pageSize', 0, 1, 500)),
                    facts: expect.any(Object) as object,
                },
            ],
        });
    });

    it('names near codes for an adapter that there is not', () => {
        expect(issuesOf(chain(trigger(), extract('read', { adapterCode: 'lost' })))).toEqual([
            issue(
                'ADAPTER_NOT_FOUND',
                'steps[1].config.adapterCode',
                '"lost"',
                said('did-you-mean', { guess: 'list' }),
            ),
        ]);
    });

    it('names the branches of a ROUTE step for an edge without a branch', () => {
        const steps = [
            trigger(),
            extract(),
            {
                key: 'split',
                kind: 'ROUTE',
                config: { branches: [{ name: 'large', when: [{ field: 'a', value: 1 }] }] },
            },
            transform('a'),
            transform('b'),
        ];
        const edges = [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'split' },
            { from: 'split', to: 'a' },
            { from: 'split', to: 'b', branch: 'larg' },
        ];
        const allowed = ['"split"', '"large"', '"default"'];
        const guess = said('did-you-mean', { guess: 'large' });
        expect(issuesOf({ version: 1, steps, edges })).toEqual([
            issue('BRANCH_MISSING', 'edges[2]', 'edges[2]', '"a"', ...allowed),
            issue('BRANCH_UNKNOWN', 'edges[3].branch', 'edges[3].branch', '"larg"', ...allowed, guess),
        ]);
    });

    it('names the near rules, and the branches that are named twice', () => {
        const split = {
            key: 'split',
            kind: 'ROUTE',
            config: { branches: [1, 2].map(() => ({ name: 'x', when: [{ field: 'a', value: 1 }] })) },
        };
        const check = { key: 'check', kind: 'VALIDATE', config: { rules: [{ type: 'uniqe', spec: { field: 'a' } }] } };
        const guess = said('did-you-mean', { guess: 'unique' });
        const path = 'steps[3].config.branches[1].name';
        expect(issuesOf(chain(trigger(), extract(), check, split))).toEqual([
            issue('ADAPTER_NOT_FOUND', 'steps[2].config.rules[0].type', '"uniqe"', guess),
            issue('CONFIG_INVALID', path, path, '"x"'),
        ]);
    });

    it('names an alternative to a trigger that cannot run yet', () => {
        const path = 'steps[0].config.type';
        expect(issuesOf(chain({ key: 'start', kind: 'TRIGGER', config: { type: 'WEBHOOK' } }, extract()))).toEqual([
            issue('STEP_KIND_UNSUPPORTED', path, path, '"WEBHOOK"', 'MANUAL'),
        ]);
    });

    it('names the known fields for one that there is not', () => {
        const known = ['version', 'capabilities', 'throughput', 'errorHandling', 'hooks', 'steps', 'edges'];
        expect(issuesOf({ ...chain(trigger(), extract()), hook: {} })[0]).toEqual(
            issue('KEY_UNKNOWN', 'hook', 'hook', ...known),
        );
    });

    it('names the steps of a circle in their order', () => {
        const { steps, edges } = chain(trigger(), extract(), transform('a'), transform('b'), transform('c'));
        expect(issuesOf({ version: 1, steps, edges: [...edges, { from: 'c', to: 'a' }] })).toEqual([
            issue('GRAPH_CYCLE', 'edges', 'a → b → c → a'),
        ]);
    });
});

describe('the sizes of a definition', () => {
    const many = (count: number): object =>
        chain(trigger(), extract(), ...Array.from({ length: count - 2 }, (_, i) => transform(`s${i}`)));

    it('go up to 200 steps', () => {
        expect(messagesOf(many(MAX_STEPS))).toEqual([]);
        expect(issuesOf(many(MAX_STEPS + 1))).toEqual([issue('STEPS_TOO_MANY', 'steps', 'steps', 201, 200)]);
    });

    it('go up to 1 MiB, counted in bytes, for text and for objects', () => {
        const sized = (bytes: number, letter: string): string => {
            const empty = JSON.stringify(chain(trigger(), extract('read', { rows: [{ text: '' }] })));
            const room = bytes - empty.length;
            return empty.replace('"text":""', `"text":"${letter.repeat(room / Buffer.byteLength(letter))}"`);
        };
        const even =
            MAX_DEFINITION_BYTES -
            (JSON.stringify(chain(trigger(), extract('read', { rows: [{ text: '' }] }))).length % 2);
        for (const letter of ['x', 'ö']) {
            const fits = sized(even, letter);
            const over = sized(even + 2, letter);
            expect(messagesOf(fits)).toEqual([]);
            expect(messagesOf(JSON.parse(fits))).toEqual([]);
            const tooLarge = [issue('DEFINITION_TOO_LARGE', '', MAX_DEFINITION_BYTES)];
            expect(issuesOf(over)).toEqual(tooLarge);
            expect(issuesOf(JSON.parse(over))).toEqual(tooLarge);
        }
    });

    it('go up to 32 levels', () => {
        const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
        // definition, steps, step, config, operators, call and args are seven levels.
        const deep = (levels: number): object =>
            chain(trigger(), extract(), transform('t', [{ op: 'set', args: { path: 'x', value: nested(levels) } }]));
        expect(messagesOf(deep(25))).toEqual([]);
        expect(issuesOf(deep(26))[0]).toMatchObject({
            code: 'DEFINITION_TOO_DEEP',
            path: expect.stringMatching(/^steps\[2\]\.config\.operators\[0\]\.args\.value\.a/),
            message: expect.stringMatching(naming(32)),
        });
    });

    it('are limited for objects that contain themselves or repeat one part without end', () => {
        let looks = 0;
        const watched = <T extends object>(container: T): T =>
            new Proxy(container, {
                get(target, key) {
                    // Each part takes a byte at least.
                    if (++looks > 2 * MAX_DEFINITION_BYTES) throw new Error('it looks at its parts without end');
                    return Reflect.get(target, key) as unknown;
                },
            });
        const circle: Record<string, unknown> = watched({ version: 1 });
        circle.steps = circle;
        circle.edges = circle;
        expect(checkDefinition(circle, toyRegistry).definition).toBeUndefined();
        expect(looks).toBeGreaterThan(0);
        looks = 0;
        let laughs: unknown = 'ha';
        for (let i = 0; i < 20; i++) laughs = watched(Array<unknown>(8).fill(laughs));
        expect(issuesOf({ version: 1, steps: laughs, edges: [] })).toEqual([
            issue('DEFINITION_TOO_LARGE', '', MAX_DEFINITION_BYTES),
        ]);
        expect(looks).toBeGreaterThan(0);
    });

    const junk = Array.from({ length: 100_000 }, () => 1);
    it.each<[string, object, number]>([
        // And the extract, to which none leads.
        ['edges', { ...chain(trigger(), extract()), edges: junk }, 100_002],
        [
            'unknown steps',
            { ...chain(trigger(), extract()), edges: junk.map((_, i) => ({ from: `${i}`, to: '' })).slice(0, 40_000) },
            80_002,
        ],
        ['operators', chain(trigger(), extract(), transform('t', junk as unknown as object[])), 100_000],
        ['rows', chain(trigger(), extract('read', { rows: junk })), 100_000],
        ['values', chain(trigger(), extract('read', { rows: junk.map(() => NaN) })), 100_000],
        [
            'fields',
            {
                ...chain(trigger(), extract()),
                ...Object.fromEntries(junk.slice(0, 60_000).map((_, i) => [`x${i}`, 1])),
            },
            60_000,
        ],
    ])(
        'limit the issues that are described and listed, and count the others, when all %s are invalid',
        async (_what, definition, all) => {
            let issues: readonly Issue[] = [];
            await charactersRead(501 * 200, () => {
                ({ issues } = checkDefinition(definition, toyRegistry));
            });
            expect(issues).toHaveLength(501);
            expect(issues.at(-1)).toEqual({
                code: 'TOO_MANY_ISSUES',
                path: '',
                message: expect.stringMatching(naming(all - 500, 500)),
                facts: expect.objectContaining({ more: all - 500, listed: 500 }) as object,
                more: all - 500,
            });
        },
    );
});

describe('hostile and foreign values', () => {
    it('leave the prototype of objects as it is', () => {
        const text = JSON.stringify(chain(trigger(), extract())).replace(
            '"rows":[]',
            '"rows":[],"__proto__":{"polluted":1}',
        );
        expect(checkDefinition(text, toyRegistry).issues[0]).toMatchObject({
            code: 'KEY_FORBIDDEN',
            path: 'steps[1].config.__proto__',
        });
        expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });

    it.each([
        [new Date(0), 'an object of class Date'],
        [new Map(), 'an object of class Map'],
        [() => 1, 'a function'],
        [NaN, 'NaN'],
        [Infinity, 'Infinity'],
        [10n, 'a bigint'],
        [Symbol('x'), 'a symbol'],
    ])('%p is not JSON and is rejected with its place', (value, kind) => {
        const { issues } = checkDefinition(chain(trigger(), extract('read', { rows: [{ at: value }] })), toyRegistry);
        expect(issues).toEqual([
            {
                code: 'DEFINITION_MALFORMED',
                path: 'steps[1].config.rows[0].at',
                message: expect.stringMatching(naming('steps[1].config.rows[0].at', kind)),
                facts: expect.any(Object) as object,
            },
        ]);
    });

    it.each([undefined, null, 7, true, 'null', '[]', '7', '""', ''])('%p is not a definition', input => {
        expect(thrownBy(() => parseDefinition(input, toyRegistry)).code).toBe('DEFINITION_MALFORMED');
    });

    it('reports every value that is not JSON, not only the first', () => {
        const wrong = chain(trigger(), extract('read', { rows: [{ a: NaN, b: 1n }] }));
        expect(checkDefinition(wrong, toyRegistry).issues.map(({ path }) => path)).toEqual([
            'steps[1].config.rows[0].a',
            'steps[1].config.rows[0].b',
        ]);
    });
});
