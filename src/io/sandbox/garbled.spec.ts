import type { JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import type { ScriptProcesses } from './script-processes';
import { Sandbox } from './sandbox';
import type { ScriptJob, ScriptJobReport } from './script-process';

const order = { code: '', context: {}, timeoutMs: 1, signal: new AbortController().signal };
const records: readonly JsonObject[] = [{ id: 'A' }, { id: 'B' }, { id: 'C' }];
const quiet = '#{"lines":[],"unsaid":0}';
const issue = expect.stringMatching(/^SCRIPT_FAILED: .*process.* record/) as unknown;
const asTold = (result: unknown): unknown => (isFlowError(result) ? `${result.code}: ${result.message}` : result);

/** A sandbox with simulated processes, and the number of them that it has ended. */
function sandboxOf(perform: (job: ScriptJob) => ScriptJobReport) {
    const ended: string[] = [];
    const own = { perform: async (work: ScriptJob) => perform(work), kill: () => ended.push('ended') };
    const pool = { with: (_: unknown, use: (process: typeof own) => unknown) => use(own) };
    return { sandbox: new Sandbox(pool as unknown as ScriptProcesses), ended };
}

const idsOf = (text: string): readonly string[] => [...text.matchAll(/"id":"(.)"/g)].map(([, id]) => id!);

/** The reports of a process for some records that become invalid as soon as B is among them. */
const ENDS: ReadonlyArray<readonly [name: string, told: (right: readonly string[]) => ScriptJobReport]> = [
    ['nothing', () => ({ end: 'done', lines: [] })],
    ['one line too few', right => ({ end: 'done', lines: right.slice(1) })],
    ['one line too many', right => ({ end: 'done', lines: [...right, '{"id":"X"}'] })],
    ['a slice of all', right => ({ end: 'slice', lines: right })],
    ['a slice of nothing', () => ({ end: 'slice', lines: [quiet] })],
    ['a late call after all', right => ({ end: 'late', lines: right })],
    ['a call without an answer after all', right => ({ end: 'pending', lines: right })],
    ['more than all lost', right => ({ end: 'lost', lines: [...right, '{}'] })],
    ['an end of another kind', right => ({ end: 'toString' as ScriptJobReport['end'], lines: right })],
    ['no problem of the code', () => ({ end: 'invalid', lines: ['SyntaxError'] })],
    ['no JSON', right => ({ end: 'done', lines: right.map(() => '{"id":') })],
    ['a text', right => ({ end: 'done', lines: right.map(() => '"{}"') })],
    ['a list', right => ({ end: 'done', lines: right.map(() => '[]') })],
    ['null', right => ({ end: 'done', lines: right.map(() => 'null') })],
    ['an empty line', right => ({ end: 'done', lines: right.map(() => '') })],
    ['a field __proto__', right => ({ end: 'done', lines: right.map(() => '{"a":[{"__proto__":{}}]}') })],
    [
        'more levels than there may be',
        right => ({ end: 'done', lines: right.map(() => `{"a":${'['.repeat(99)}${']'.repeat(99)}}`) }),
    ],
    ['places', right => ({ end: 'done', lines: right.map(() => '@[0]') })],
    ['an invalid problem', right => ({ end: 'done', lines: right.map(() => '!"text"') })],
    ['a problem without a text', right => ({ end: 'done', lines: right.map(() => '!{"text":7}') })],
    ['a problem on no line', right => ({ end: 'done', lines: right.map(() => '!{"text":"odd","line":1.5}') })],
    ['a problem too long', right => ({ end: 'done', lines: right.map(() => `!{"text":"${'x'.repeat(600)}"}`) })],
    ['an invalid console', right => ({ end: 'done', lines: [...right, '#{}'] })],
    [
        'a console of another level',
        right => ({ end: 'done', lines: [...right, '#{"lines":[{"level":"__proto__","text":""}],"unsaid":0}'] }),
    ],
    [
        'a console with too long lines',
        right => ({
            end: 'done',
            lines: [...right, `#{"lines":[{"level":"INFO","text":"${'x'.repeat(600)}"}],"unsaid":0}`],
        }),
    ],
    [
        'a console with too many lines',
        right => ({
            end: 'done',
            lines: [...right, `#{"lines":[${Array(21).fill('{"level":"INFO","text":""}').join()}],"unsaid":0}`],
        }),
    ],
    ['a console that counts below zero', right => ({ end: 'done', lines: [...right, '#{"lines":[],"unsaid":-1}'] })],
    ['too many consoles', right => ({ end: 'done', lines: [...right, ...Array<string>(9).fill(quiet)] })],
];

describe('an invalid line from a script process', () => {
    it.each(ENDS)('is an error of the one record that it comes with: %s', async (_, told) => {
        const { sandbox, ended } = sandboxOf(({ records: text }) => {
            const right = idsOf(text).map(id => `{"id":"${id}","seen":1}`);
            return idsOf(text).includes('B') ? told(right) : { end: 'done', lines: [...right, quiet] };
        });
        const { results, lines } = await sandbox.each({ ...order, records, indexes: [0, 1, 2] });
        expect(results.map(asTold)).toEqual([{ id: 'A', seen: 1 }, issue, { id: 'C', seen: 1 }]);
        expect(lines).toEqual([]);
        // With its neighbours, and alone.
        expect(ended).toEqual(['ended', 'ended']);
    });

    it.each([
        ['nothing', []],
        ['no answer', [quiet]],
        ['a record', ['{}', quiet]],
        ['too few places', ['@[]', '{}', quiet]],
        ['too many places', ['@[0,1]', '{}', quiet]],
        ['a place of no record', ['@[3]', '{}', quiet]],
        ['a place below all', ['@[-2]', '{}', quiet]],
        ['half a place', ['@[0.5]', '{}', quiet]],
        ['a place as a text', ['@["0"]', '{}', quiet]],
        ['an object for places', ['@{"length":1}', '{}', quiet]],
        ['places and no record', ['@[0]', '7', quiet]],
        ['places twice', ['@[0]', '@[0]', quiet]],
        ['nothing, and a record', ['null', '{}', quiet]],
        ['a problem, and a record', ['!{"text":"odd"}', '{}', quiet]],
        ['two consoles more', ['@[0]', '{}', quiet, quiet, quiet]],
    ])('is an error of the one batch that it comes with: %s', async (_, lines) => {
        const { sandbox, ended } = sandboxOf(() => ({ end: 'done', lines }));
        const { answer } = await sandbox.batch({ ...order, records, isRead: true });
        expect(asTold(answer)).toEqual(issue);
        expect(ended).toEqual(['ended']);
    });

    it('does not affect later batches', async () => {
        let turn = 0;
        const { sandbox } = sandboxOf(() => ({
            end: 'done',
            lines: turn++ === 0 ? ['@[9]', '{}'] : ['@[0]', '{}', quiet],
        }));
        expect(isFlowError((await sandbox.batch({ ...order, records, isRead: true })).answer)).toBe(true);
        expect((await sandbox.batch({ ...order, records, isRead: true })).answer).toEqual({ records: [{}], from: [0] });
    });
});
