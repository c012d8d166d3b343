import { z } from 'zod';
import { toyRegistry } from '../../../test/fixtures/definitions/catalogue';
import { naming } from '../../../test/kit/naming';
import { batchOperator, recordOperator } from '../adapter/operator';
import type { JsonObject } from '../value/json';
import { each } from '../operators/logic/each';
import { findingDifferences } from './difference';
import { runAtOnce } from '../concurrency/yielding-task';
import { documentAsJson } from './document';
import type { Issue } from './issues';
import { checkDefinition } from './parse';

const differencesOf = (...of: Parameters<typeof findingDifferences>) => runAtOnce(findingDifferences(...of));

const reads = recordOperator({
    code: 'reads',
    aliases: ['readsToo'],
    title: 'Reads',
    summary: 'Reads.',
    examples: [],
    config: z.strictObject({
        from: z.enum(['POSTGRES', 'MYSQL']).meta({ aliases: { DB_KIND_A: 'POSTGRES' } }),
        size: z.int().max(9).default(1),
    }),
    advise: ({ size }) => (size === 9 ? [{ code: 'LIKELY_MISTAKE', path: 'size', problem: 'is large' }] : []),
    compile: () => data => data,
});
const sums = batchOperator({
    code: 'sums',
    title: 'Sums',
    summary: 'Sums.',
    examples: [],
    config: z.strictObject({ of: z.string() }),
    open: () => batch => batch,
});
const registry = toyRegistry.plus([each, reads, sums]);

const within = (...operators: readonly object[]): object => ({ op: 'each', args: { path: 'l', operators } });
const definition = (...operators: readonly object[]): JsonObject =>
    ({
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
            { key: 'shape', kind: 'TRANSFORM', config: { operators } },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'shape' },
        ],
    }) as JsonObject;
const issuesOf = (...operators: readonly object[]): readonly Issue[] =>
    checkDefinition(definition(...operators), registry).issues;

const INNER = 'steps[2].config.operators[0].args.operators';

describe('operators within an operator', () => {
    it('are checked like all operators, with each issue at its place', () => {
        const issues = issuesOf(
            within(
                { op: 'reads', args: { from: 'DB_KIND_A', size: 10 } },
                { op: 'redas' },
                { op: 'reads', args: { from: 'MYSQL', size: 9 } },
                within({ op: 'slugify', args: { source: 'a', target: 'b', seperator: '' } }),
            ),
        );
        expect(issues.map(({ code, path, stepKey, severity }) => [code, path, stepKey, severity])).toEqual([
            ['CONFIG_INVALID', `${INNER}[0].args.size`, 'shape', undefined],
            ['ADAPTER_NOT_FOUND', `${INNER}[1].op`, 'shape', undefined],
            ['LIKELY_MISTAKE', `${INNER}[2].args.size`, 'shape', 'WARNING'],
            ['CONFIG_INVALID', `${INNER}[3].args.operators[0].args.seperator`, 'shape', undefined],
        ]);
    });

    it.each<[string, object, string]>([
        ['no list', { op: 'each', args: { path: 'l', operators: 'trim' } }, INNER],
        ['an empty list', within(), INNER],
        ['an invalid call', within({ op: 'stamp' }, 7 as unknown as object), `${INNER}[1]`],
        ['a call without an operator', within({ args: {} }), `${INNER}[0].op`],
        ['a field next to its arguments', within({ op: 'stamp', target: 'x' }), `${INNER}[0].target`],
    ])('are rejected as %s', (_, call, path) => {
        expect(issuesOf(call).map(issue => [issue.code, issue.path])).toEqual([['CONFIG_INVALID', path]]);
    });

    it('process one record at a time; others are rejected, and the message lists the allowed ones', () => {
        const [issue, ...more] = issuesOf(within(within({ op: 'stamp' }, { op: 'sums', args: { of: 'a' } })));
        const path = `${INNER}[0].args.operators[1].op`;
        expect(more).toEqual([]);
        expect(issue).toMatchObject({ code: 'CONFIG_INVALID', path, stepKey: 'shape' });
        expect(issue!.message).toMatch(naming(path, '"sums"', 'slugify, set, stamp, each, reads'));
    });

    it('may be nested four levels deep', () => {
        const deep = (levels: number): object => (levels === 0 ? { op: 'stamp' } : within(deep(levels - 1)));
        expect(issuesOf(deep(4))).toEqual([]);
        expect(issuesOf(deep(5)).map(({ path, message }) => [path, message])).toEqual([
            [
                `${INNER}[0].args.operators[0].args.operators[0].args.operators[0].args.operators[0].op`,
                expect.stringMatching(naming(4)) as string,
            ],
        ]);
    });

    it('are published under their real names', () => {
        const { definition: parsed } = checkDefinition(
            definition(within({ op: 'readsToo', args: { from: 'db_kind_a' } }, { op: 'stamp' })),
            registry,
        );
        expect(parsed!.steps[2]!.config).toEqual({
            operators: [within({ op: 'reads', args: { from: 'POSTGRES' } }, { op: 'stamp', args: {} })],
        });
    });

    it('differ if their meaning differs, and are compared one by one', () => {
        const usual = [{ op: 'reads', args: { from: 'POSTGRES' } }, { op: 'stamp' }];
        const spelled = [
            { op: 'readsToo', args: { size: 1, from: 'DB_KIND_A' } },
            { op: 'stamp', args: {} },
        ];
        expect(differencesOf(definition(within(...usual)), definition(within(...spelled)), registry)).toEqual([]);
        expect(
            differencesOf(
                definition(within(...usual)),
                definition(
                    within(
                        { op: 'set', args: { path: 'a' } },
                        { op: 'reads', args: { from: 'MYSQL' } },
                        { op: 'stamp' },
                    ),
                ),
                registry,
            ).map(({ kind, subject, path }) => [kind, subject, path]),
        ).toEqual([
            ['ADDED', 'OPERATOR', 'steps.shape.config.operators[0].args.operators[0]'],
            ['CHANGED', 'ARGUMENT', 'steps.shape.config.operators[0].args.operators[1].args.from'],
        ]);
    });

    it('are written with their keys in the order of all calls', () => {
        const { definition: ordered } = runAtOnce(
            documentAsJson({
                code: 'p',
                name: 'P',
                description: '',
                definition: definition({
                    args: { operators: [{ args: { b: 1, a: 1 }, op: 'set' }], path: 'l' },
                    op: 'each',
                }),
            }),
        );
        expect(JSON.stringify(ordered)).toContain(
            '{"op":"each","args":{"operators":[{"op":"set","args":{"a":1,"b":1}}],"path":"l"}}',
        );
    });
});
