import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestContext } from '@vendure/core';
import type { JsonObject, JsonValue } from '../src/core/value/json';
import { TaskQueue } from '../src/core/concurrency/task-queue';
import { assertMayEditCode } from '../src/plugin/pipelines/inline-code';
import { operations } from '../scripts/api-surface';
import { setUp } from '../src/plugin/setup';

const { registry } = setUp({});

const page = readFileSync(join(__dirname, '../docs/guide/scripts.md'), 'utf8');

/** The rows of the table whose header begins with this text. */
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

/** Examples of each row, as the definition before and after. */
const DONE: Readonly<Record<string, ReadonlyArray<readonly [JsonObject, JsonObject]>>> = {
    'add a `script` operator': [[of(step([])), of(step([script()]))]],
    'add an `INTERCEPTOR` hook': [[of(), hooked({ BEFORE_LOAD: [interceptor] })]],
    'change the text of code, even by a space': [
        [of(step([other('return record;')])), of(step([other('return record ;')]))],
        [
            hooked({ BEFORE_LOAD: [interceptor] }),
            hooked({ BEFORE_LOAD: [{ ...interceptor, code: ' return record;' }] }),
        ],
    ],
    'copy code, in the same step or to another': [
        [of(step([script()])), of(step([script(), script()]))],
        [of(step([script()])), of(step([script()]), step([script()], { key: 'more' }))],
    ],
    'move code to another step': [
        [of(step([script()]), step([], { key: 'more' })), of(step([]), step([script()], { key: 'more' }))],
    ],
    'move code into an operator such as `each`, or out of it': [
        [of(step([script()])), of(step([each({}, script())]))],
        [of(step([each({}, script())])), of(step([script()]))],
    ],
    'move code from an operator to a hook, or back': [
        [of(step([script()])), hooked({ BEFORE_LOAD: [interceptor] }, step([]))],
        [hooked({ BEFORE_LOAD: [interceptor] }, step([])), of(step([script()]))],
    ],
    'move a hook with code to another stage': [
        [hooked({ BEFORE_LOAD: [interceptor] }), hooked({ AFTER_LOAD: [interceptor] })],
    ],
    'change the key or kind of a step with code': [
        [of(step([script()])), of(step([script()], { key: 'form' }))],
        [of(step([script()])), of(step([script()], { kind: 'VALIDATE' }))],
    ],
    'change `batch` of a `script`': [
        [of(step([script()])), of(step([script({ batch: true })]))],
        [of(step([script({ batch: true })])), of(step([script({ batch: false })]))],
    ],
    'swap two pieces of code in one place': [[of(step([other('a'), other('b')])), of(step([other('b'), other('a')]))]],
    'change a setting of an operator that contains code': [
        [of(step([each({}, script())])), of(step([each({ path: 'taxes' }, script())]))],
    ],
    'remove code': [
        [of(step([script(), TRIM])), of(step([TRIM]))],
        [hooked({ BEFORE_LOAD: [interceptor] }), of()],
    ],
    'disable, enable or reorder a step with code': [
        [of(step([script()])), of(step([script()], { disabled: true }))],
        [of(step([script()], { disabled: true })), of(step([script()]))],
        [of(step([script()]), step([], { key: 'more' })), of(step([], { key: 'more' }), step([script()]))],
    ],
    'add, change or remove other operators, steps and hooks': [
        [of(step([script(), TRIM])), hooked({ BEFORE_LOAD: [{ type: 'LOG', message: 'x' }] }, step([TRIM, script()]))],
        [of(step([TRIM, script()]), step([TRIM], { key: 'more' })), of(step([script()]))],
    ],
    'change `timeout`, `failOnError` or `context` of a `script`': [
        [of(step([script()])), of(step([script({ timeout: 100, failOnError: true, context: { a: 1 } })]))],
    ],
    'name another registered function in a `SCRIPT` hook': [
        [
            hooked({ BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'a' }] }),
            hooked({ BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'b' }] }),
        ],
    ],
};

async function isNeeded(before: JsonObject, after: JsonObject): Promise<boolean> {
    const ctx = { userHasPermissions: () => false, session: undefined } as unknown as RequestContext;
    return assertMayEditCode({ lane: new TaskQueue(), registry }, ctx, { before, after }).then(
        () => false,
        (error: unknown) => {
            expect(error).toMatchObject({ code: 'FORBIDDEN' });
            return true;
        },
    );
}

describe('the guide of scripts', () => {
    const rows = rowsOf('change');

    it('has a row for each action that is tested here', () => {
        expect(rows.map(([what]) => what)).toEqual(Object.keys(DONE));
    });

    it.each(rows)('says whether EditFlowScript is needed: %s: %s', async (what, said) => {
        for (const [before, after] of DONE[what]!)
            expect(await isNeeded(before, after)).toBe({ needed: true, 'not needed': false }[said]);
    });

    it('names existing operations, and all that take a definition or decide which one runs', () => {
        const named = rowsOf('operation').flatMap(([who]) => [...who.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
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
