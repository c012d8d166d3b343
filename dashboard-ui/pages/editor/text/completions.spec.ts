import { type Completion, CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import type { Adapter, StepKind } from '../catalogue/catalogue';
import type { DefinitionFormat } from '../editor.graphql';
import { completionsOf } from './completions';

const kind = (name: string, adapters: StepKind['adapters']): StepKind => ({
    kind: name,
    summary: `About ${name}`,
    remarks: null,
    schema: { properties: { note: { title: 'Note' } } },
    behind: 'RECORDS',
    hasBranches: false,
    furtherBranches: [],
    adapters,
});
const adapter = (of: string, code: string, properties: object): Adapter => ({
    kind: of,
    code,
    aliases: [],
    title: `Title of ${code}`,
    englishTitle: `Title of ${code}`,
    summary: '',
    category: null,
    icon: null,
    sinkType: null,
    notes: [],
    requires: [],
    schema: { properties },
    canBeTried: true,
    examples: [],
});
const known: Parameters<typeof completionsOf>[1] = {
    catalogue: {
        kinds: [
            kind('GATE', null),
            kind('LOAD', { kind: 'LOADER', field: 'adapterCode', list: null, value: null }),
            kind('TRANSFORM', { kind: 'OPERATOR', field: 'op', list: 'operators', value: 'args' }),
        ],
        adapters: [
            adapter('LOADER', 'products', { strategy: { title: 'Strategy', enum: ['CREATE', 'UPDATE'] } }),
            adapter('OPERATOR', 'trim', { path: { title: 'Field' } }),
        ],
    },
    made: {
        kinds: [],
        retry: { properties: { maxRetries: {} } },
        settings: { throughput: { properties: { batchSize: {} } } },
        hookStages: [],
        hooks: {},
    } as unknown as DefinitionFormat,
    drawing: {
        definition: {
            version: 1,
            steps: [
                { key: 'wait', kind: 'GATE', config: {} },
                { key: 'shape', kind: 'TRANSFORM', config: { operators: [{ op: 'trim', args: {} }] } },
                { key: 'load', kind: 'LOAD', config: { adapterCode: 'products' } },
            ],
            edges: [],
        },
    },
};

/** The completions at the bar in the text. */
function offered(text: string, format: 'JSON' | 'YAML' = 'JSON'): readonly string[] {
    return completionsAt(text, format).map(({ label }) => label);
}

function completionsAt(text: string, format: 'JSON' | 'YAML' = 'JSON'): readonly Completion[] {
    const state = EditorState.create({
        doc: text.replace('|', ''),
        extensions: [format === 'JSON' ? json() : yaml()],
    });
    const found = completionsOf(new CompletionContext(state, text.indexOf('|'), true), known);
    return found?.options ?? [];
}

const [wait, shape, load] = (known.drawing.definition['steps'] as readonly object[]).map(step => JSON.stringify(step));

describe('what is offered in the text of a definition', () => {
    it.each([
        ['the fields of a definition', '{ "ver|" }', ['version', 'steps', 'edges']],
        ['kinds of steps', `{ "steps": [{ "kind": "|" }] }`, ['GATE', 'LOAD', 'TRANSFORM']],
        ['the fields of a step', `{ "steps": [{ "ki|" }] }`, ['key', 'kind', 'name', 'config']],
        ['fields of its kind', `{ "steps": [{ "kind": "GATE", "config": { "n|" } }] }`, ['note']],
        ['adapters', `{ "steps": [${wait}, ${shape}, { "config": { "adapterCode": "|" } }] }`, ['products']],
        ['fields of an adapter', `{ "steps": [${wait}, ${shape}, { "config": { "s|" } }] }`, ['strategy']],
        ['values', `{ "steps": [${wait}, ${shape}, { "config": { "strategy": "|" } }] }`, ['CREATE', 'UPDATE']],
        ['operators', `{ "steps": [${wait}, { "config": { "operators": [{ "op": "|" }] } }] }`, ['trim']],
        ['arguments', `{ "steps": [${wait}, { "config": { "operators": [{ "args": { "p|" } }] } }] }`, ['path']],
        ['steps for edges', `{ "steps": [${load}], "edges": [{ "from": "|" }] }`, ['wait', 'shape', 'load']],
        ['settings', `{ "throughput": { "b|" } }`, ['batchSize']],
        ['fields of a retry', `{ "steps": [{ "retry": { "m|" } }] }`, ['maxRetries']],
    ])('is %s', (_what, text, expected) => expect(offered(text)).toEqual(expect.arrayContaining(expected)));

    it.each([
        ['kinds of steps', 'steps:\n  - kind: |\n', ['GATE', 'LOAD', 'TRANSFORM']],
        ['adapters', 'steps:\n  - key: a\n  - key: b\n  - config:\n      adapterCode: p|\n', ['products']],
        ['steps for edges', 'edges:\n  - from: w|\n', ['wait', 'shape', 'load']],
    ])('is %s in YAML', (_what, text, expected) =>
        expect(offered(text, 'YAML')).toEqual(expect.arrayContaining(expected)),
    );

    it('is inserted with quotes unless a quote was typed', () => {
        const applied = (text: string): unknown => completionsAt(text)[0]?.apply;
        expect(applied('{ "steps": [{ "kind": | }] }')).toBe('"GATE"');
        expect(applied('{ "steps": [{ "kind": "|" }] }')).toBeUndefined();
    });

    it('is nothing where nothing is known', () => {
        expect(offered('{ "someday": { "what|" } }')).toEqual([]);
        expect(offered('{ "steps": [{ "name": "n|" }] }')).toEqual([]);
    });
});
