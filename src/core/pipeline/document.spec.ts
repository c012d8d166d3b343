import type { JsonValue } from '../value/json';
import { runAtOnce } from '../concurrency/yielding-task';
import { documentAsJson, readingDocument } from './document';

const sound = {
    flow: 1,
    code: 'price-list',
    name: 'Price list',
    description: 'Nightly.',
    definition: { version: 1, steps: [], edges: [] },
};

describe('a pipeline document', () => {
    it('has its keys in a fixed order, whatever order they had', () => {
        const document = runAtOnce(
            documentAsJson({
                code: 'p',
                name: 'P',
                description: '',
                definition: {
                    zebra: 1,
                    hooks: { RUN_FAILED: [], AFTER_LOAD: [], BEFORE_LOAD: [] },
                    errorHandling: { maxErrors: 1, maxRetries: -0 },
                    edges: [{ branch: 'x', to: 'b', from: 'a' }],
                    steps: [
                        {
                            config: {
                                operators: [{ args: { b: 1, a: { d: 1, c: 1 } }, op: 'set' }],
                                b: 1,
                                a: 1,
                                type: 't',
                                adapterCode: 'c',
                            },
                            name: 'n',
                            kind: 'TRANSFORM',
                            key: 'k',
                        },
                        { config: { mode: 'ALL', branches: [{ when: [], name: 'n' }] }, kind: 'ROUTE' },
                        { config: { rules: [{ spec: { a: 1, field: 'f' }, type: 't' }] }, kind: 'VALIDATE' },
                        { config: { batchSize: 1, adapterCode: 'a' }, kind: 'LOAD' },
                        { config: { type: 't', adapterCode: 'a' }, kind: 'FEED' },
                    ],
                    throughput: { rateLimitRps: 0, batchSize: 1 },
                    version: 1,
                },
            }),
        );
        expect(JSON.stringify(document)).toBe(
            '{"flow":1,"code":"p","name":"P","definition":{"version":1,"steps":[{"key":"k","kind":"TRANSFORM","name":"n",' +
                '"config":{"operators":[{"op":"set","args":{"a":{"c":1,"d":1},"b":1}}],"a":1,"adapterCode":"c","b":1,"type":"t"}},' +
                '{"kind":"ROUTE","config":{"mode":"ALL","branches":[{"name":"n","when":[]}]}},' +
                '{"kind":"VALIDATE","config":{"rules":[{"type":"t","spec":{"field":"f","a":1}}]}},' +
                '{"kind":"LOAD","config":{"adapterCode":"a","batchSize":1}},' +
                '{"kind":"FEED","config":{"adapterCode":"a","type":"t"}}],' +
                '"edges":[{"from":"a","to":"b","branch":"x"}],"throughput":{"batchSize":1,"rateLimitRps":0},' +
                '"errorHandling":{"maxRetries":0,"maxErrors":1},"hooks":{"BEFORE_LOAD":[],"AFTER_LOAD":[],"RUN_FAILED":[]},"zebra":1}}',
        );
    });

    it('takes the code for a name that is left out', () => {
        const { name: _name, description: _description, ...short } = sound;
        expect(runAtOnce(readingDocument(short))).toEqual({
            code: 'price-list',
            name: 'price-list',
            description: '',
            definition: sound.definition,
        });
    });

    it.each<[string, JsonValue, string]>([
        ['no object', [], 'document is an empty list; allowed: an object with flow, code'],
        ['no version', { ...sound, flow: 2 }, 'document.flow is 2; allowed: 1'],
        [
            'a strange field',
            { ...sound, steps: [] },
            'document has the field "steps"; allowed: flow, code, name, description, definition',
        ],
        ['no code', { flow: 1 }, 'document.code is missing; allowed: the code of a pipeline'],
        [
            'an invalid code',
            { ...sound, code: 'Price list' },
            'document.code: The pipeline code "Price list" is not allowed',
        ],
        ['a name that is not text', { ...sound, name: 7 }, 'document.name is 7; allowed: a text'],
        [
            'a description that no database keeps',
            { ...sound, description: 'a\ud800b' },
            'document.description holds half of a surrogate pair',
        ],
        ['no definition', { ...sound, definition: 'x' }, 'document.definition is "x"; allowed: an object'],
        [
            'a forbidden key',
            { ...sound, definition: JSON.parse('{"steps":[{"constructor":1}]}') as JsonValue },
            'document.definition: steps[0].constructor cannot be used',
        ],
        [
            'a definition that is too deep',
            { ...sound, definition: { a: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as JsonValue } },
            '32 levels',
        ],
    ])('is rejected with %s', (_what, value, message) => {
        expect(() => runAtOnce(readingDocument(value))).toThrow(
            expect.objectContaining({
                code: /^document(\.definition)? is /.test(message) ? 'DEFINITION_MALFORMED' : 'INPUT_INVALID',
                message: expect.stringContaining(message) as string,
            }) as Error,
        );
    });
});
