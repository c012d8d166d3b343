import { CompletionContext } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import { jsonSchemaOf } from '../../../../src/core/schema/json-schema';
import { HOOK_SCHEMAS } from '../../../../src/core/pipeline/hook-definition';
import { script } from '../../../../src/adapters/operators/script';
import type { JsonSchema } from '../../../form/json-schema';
import { type KnownToCode, languageCompletions, ownCompletions } from './script-completions';

const codeOf = (schema: object): JsonSchema => (schema as { properties: { code: JsonSchema } }).properties.code;
const [ofRecord, ofBatch] = codeOf(jsonSchemaOf(script.config)).scopes!;
const [ofHook] = codeOf(jsonSchemaOf(HOOK_SCHEMAS.INTERCEPTOR)).scopes!;
const { globals = [] } = codeOf(jsonSchemaOf(script.config));
const paths = [
    { names: ['sku'], type: 'string', example: 'A-1' },
    { names: ['price', 'amount'], type: 'number', example: '19' },
    { names: ['Article No'], type: 'string', example: '7' },
];

/** What is offered at the bar in the text. */
async function offered(text: string, names: KnownToCode['names'] = ofRecord!.names): Promise<readonly string[]> {
    const at = text.indexOf('|');
    const state = EditorState.create({ doc: text.replace('|', ''), extensions: [javascript()] });
    const context = new CompletionContext(state, at, true);
    const found = [
        ownCompletions(context, { names, globals, paths }),
        await languageCompletions(globals)(context),
    ].flatMap(result => result?.options ?? []);
    return found.map(({ label }) => label);
}

describe('what is offered in code', () => {
    it('is what it is called with, by the way in which it is called', async () => {
        expect(ofRecord!.showIf).toEqual({ batch: [false] });
        expect((await offered('re|')).slice(0, 3)).toEqual(['record', 'index', 'context']);
        expect((await offered('re|', ofBatch!.names)).slice(0, 2)).toEqual(['records', 'context']);
    });

    it('is what the engine has, and nothing of the browser or of Node', async () => {
        expect(await offered('|')).toEqual(expect.arrayContaining(['Math', 'JSON', 'console', 'Map']));
        for (const name of ['process', 'require', 'fetch', 'window', 'setTimeout', 'Buffer'])
            expect(await offered('|')).not.toContain(name);
        expect(await offered('Math.|')).toEqual(expect.arrayContaining(['round', 'max']));
    });

    it('is what the context has', async () => {
        expect(await offered('context.|')).toEqual(['data', 'stepKey', 'runId', 'mode']);
        expect(await offered('return context.mo|')).toContain('mode');
        expect(await offered('context.|', ofHook!.names)).toEqual(expect.arrayContaining(['stage', 'errors', 'mode']));
        expect(await offered('context.|', ofHook!.names)).not.toContain('signal');
    });

    it.each([
        ['record.|', undefined, ['sku', 'price']],
        ['record.price.|', undefined, ['amount']],
        ['return records.map(one => one.|)', 'batch', ['sku', 'price']],
        ['return records.filter((one, i) => one.|)', 'batch', ['sku', 'price']],
        ['for (const one of records) { one.| }', 'batch', ['sku', 'price']],
        ['const one = 1; one.|', 'batch', []],
        ['names.map(one => one.|)', 'batch', []],
    ])('is what sample records have: %s', async (text, mode, expected) => {
        expect(await offered(text, mode === 'batch' ? ofBatch!.names : ofRecord!.names)).toEqual(expected);
    });

    it('is nothing within texts', async () => expect(await offered('"rec|"')).toEqual([]));
});
