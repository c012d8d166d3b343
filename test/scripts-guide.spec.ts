import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestContext } from '@vendure/core';
import type { JsonObject, JsonValue } from '../src/core/value/json';
import { Lane } from '../src/core/work/lane';
import { assertMayEditCode } from '../src/plugin/pipelines/inline-code';
import { operations } from '../scripts/api-surface';
import { setUp } from '../src/plugin/setup';

const { registry } = setUp({});

const page = readFileSync(join(__dirname, '../docs/guide/scripts.md'), 'utf8');

/** The rows of the table whose first head cell begins so. */
function rowsOf(head: string): ReadonlyArray<readonly [string, string]> {
    const [, body] = new RegExp(`^\\| ${head}[^]*?\\n\\|[ -|]*\\n((?:\\|.*\\n)+)`, 'm').exec(page)!;
    return body!
        .trimEnd()
        .split('\n')
        .map(line => line.split('|').map(cell => cell.trim()))
        .map(([, first, second]) => [first!, second!]);
}

const script = (args: JsonObject = {}): JsonObject => ({ op: 'script', args: { code: 'return record;', ...args } });
const each = (args: JsonObject, ...operators: readonly JsonValue[]): JsonObject => ({
    op: 'each',
    args: { path: 'lines', ...args, operators },
});
const step = (operators: readonly JsonValue[], more: JsonObject = {}): JsonObject => ({
    key: 'shape',
    kind: 'TRANSFORM',
    config: { operators },
    ...more,
});
const of = (...steps: readonly JsonValue[]): JsonObject => ({ version: 1, steps, edges: [] });
const hooked = (hooks: JsonObject, ...steps: readonly JsonValue[]): JsonObject => ({ ...of(...steps), hooks });
const interceptor: JsonObject = { type: 'INTERCEPTOR', code: 'return record;' };
const TRIM: JsonObject = { op: 'trim', args: { path: 'name' } };
const other = (code: string): JsonObject => script({ code });

/** Ways to do what a row says, each as the definition before and after. */
const DONE: Readonly<Record<string, ReadonlyArray<readonly [JsonObject, JsonObject]>>> = {
    'a `script` operator comes in': [[of(step([])), of(step([script()]))]],
    'an `INTERCEPTOR` hook comes in': [[of(), hooked({ BEFORE_LOAD: [interceptor] })]],
    'the text of code changes, be it by a blank': [
        [of(step([other('return record;')])), of(step([other('return record ;')]))],
        [
            hooked({ BEFORE_LOAD: [interceptor] }),
            hooked({ BEFORE_LOAD: [{ ...interceptor, code: ' return record;' }] }),
        ],
    ],
    'code is copied: it stands there twice, or elsewhere as well': [
        [of(step([script()])), of(step([script(), script()]))],
        [of(step([script()])), of(step([script()]), step([script()], { key: 'more' }))],
    ],
    'code moves to another step': [
        [of(step([script()]), step([], { key: 'more' })), of(step([]), step([script()], { key: 'more' }))],
    ],
    'code moves into an operator such as `each`, or out of one': [
        [of(step([script()])), of(step([each({}, script())]))],
        [of(step([each({}, script())])), of(step([script()]))],
    ],
    'code moves from an operator to a hook, or back': [
        [of(step([script()])), hooked({ BEFORE_LOAD: [interceptor] }, step([]))],
        [hooked({ BEFORE_LOAD: [interceptor] }, step([])), of(step([script()]))],
    ],
    'a hook with code moves to another stage': [
        [hooked({ BEFORE_LOAD: [interceptor] }), hooked({ AFTER_LOAD: [interceptor] })],
    ],
    'the step of code gets another key or kind': [
        [of(step([script()])), of(step([script()], { key: 'form' }))],
        [of(step([script()])), of(step([script()], { kind: 'VALIDATE' }))],
    ],
    '`batch` of a `script` changes': [
        [of(step([script()])), of(step([script({ batch: true })]))],
        [of(step([script({ batch: true })])), of(step([script({ batch: false })]))],
    ],
    'two pieces of code of one place change their order': [
        [of(step([other('a'), other('b')])), of(step([other('b'), other('a')]))],
    ],
    'an operator that code stands within gets another setting': [
        [of(step([each({}, script())])), of(step([each({ path: 'taxes' }, script())]))],
    ],
    'code is taken out': [
        [of(step([script(), TRIM])), of(step([TRIM]))],
        [hooked({ BEFORE_LOAD: [interceptor] }), of()],
    ],
    'a step with code is disabled or enabled, or changes its place': [
        [of(step([script()])), of(step([script()], { disabled: true }))],
        [of(step([script()], { disabled: true })), of(step([script()]))],
        [of(step([script()]), step([], { key: 'more' })), of(step([], { key: 'more' }), step([script()]))],
    ],
    'other operators, steps and hooks come in, change or go': [
        [of(step([script(), TRIM])), hooked({ BEFORE_LOAD: [{ type: 'LOG', message: 'x' }] }, step([TRIM, script()]))],
        [of(step([TRIM, script()]), step([TRIM], { key: 'more' })), of(step([script()]))],
    ],
    '`timeout`, `failOnError` or `context` of a `script` change': [
        [of(step([script()])), of(step([script({ timeout: 100, failOnError: true, context: { a: 1 } })]))],
    ],
    "a `SCRIPT` hook names another of the shop's registered functions": [
        [
            hooked({ BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'a' }] }),
            hooked({ BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'b' }] }),
        ],
    ],
};

async function isNeeded(before: JsonObject, after: JsonObject): Promise<boolean> {
    const ctx = { userHasPermissions: () => false, session: undefined } as unknown as RequestContext;
    return assertMayEditCode({ lane: new Lane(), registry }, ctx, { before, after }).then(
        () => false,
        (error: unknown) => {
            expect(error).toMatchObject({ code: 'FORBIDDEN' });
            return true;
        },
    );
}

describe('the guide of scripts', () => {
    const rows = rowsOf('what is done');

    it('has a row for each thing that is tried here', () => {
        expect(rows.map(([what]) => what)).toEqual(Object.keys(DONE));
    });

    it.each(rows)('says rightly of “%s” that EditFlowScript is %s', async (what, said) => {
        for (const [before, after] of DONE[what]!)
            expect(await isNeeded(before, after)).toBe({ needed: true, 'not needed': false }[said]);
    });

    it('names operations that there are, and each that is given a definition or decides which one runs', () => {
        const named = rowsOf('who does it').flatMap(([who]) => [...who.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
        const known = operations().map(({ name }) => name);
        expect(named.filter(name => !known.includes(name) && name !== 'FlowPlugin')).toEqual([]);
        expect(named).toEqual(
            expect.arrayContaining([
                'createFlowPipeline',
                'updateFlowPipeline',
                'importFlowPipeline',
                'publishFlowPipeline',
                'testFlowStep',
                'selectFlowPipelineRevision',
            ]),
        );
    });
});
