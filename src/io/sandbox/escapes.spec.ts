import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFlowError } from '../../core/errors/flow-error';
import { ESCAPES } from '../../../test/fixtures/escapes';
import { Sandbox } from './sandbox';

const CANARY = 'canary-5f1c8a';
const folder = mkdtempSync(join(tmpdir(), 'flow-escape-'));
const canaryFile = join(folder, 'canary.txt');
const loot = join(folder, 'loot');

/** Does with an object of the host what an attacker would: reads the environment and a file, and makes a file. */
const PROVE = `const prove = x => {
    if (x === null || x === undefined) return 'nothing';
    const tried = [];
    for (const way of [
        () => x.env, () => x.process.env, () => x.process.mainModule, () => x.getBuiltinModule('fs'), () => x.process.getBuiltinModule('fs'),
        () => x.require('fs'), () => x.readFileSync, () => x.spawnSync, () => x._load, () => x.getenv, () => x.std.open, () => x.open('/etc/passwd', 'r'),
    ]) { try { tried.push(way()) } catch {} }
    for (const got of tried.filter(Boolean)) {
        try { got.writeFileSync(${JSON.stringify(loot)}, 'x') } catch {}
        try { return 'ESCAPED ' + got.readFileSync(${JSON.stringify(canaryFile)}) } catch {}
        return 'ESCAPED ' + got.FLOW_CANARY;
    }
    return 'nothing';
};\n`;

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();

beforeAll(() => {
    writeFileSync(canaryFile, CANARY);
    process.env['FLOW_CANARY'] = CANARY;
});

afterAll(() => {
    sandbox.rest();
    delete process.env['FLOW_CANARY'];
    rmSync(folder, { recursive: true });
});

async function attempt(code: string): Promise<string> {
    const { results, lines } = await sandbox.each({
        // What an attempt answers or throws is to be seen, whatever it is.
        code:
            `${PROVE}const shown = x => (typeof x === 'object' && x !== null ? x : { answer: String(x) });` +
            `const answer = (function (record, index, context) {${code}\n}).call(undefined, record, index, context);` +
            'return answer instanceof Promise ? answer.then(shown) : shown(answer);',
        records: [{ sku: 'A' }],
        indexes: [0],
        context: { data: { list: [1] } },
        timeoutMs: 5_000,
        signal: new AbortController().signal,
    });
    return JSON.stringify([results.map(result => (isFlowError(result) ? result.message : result)), lines]);
}

describe('published ways out of a sandbox', () => {
    it('are more than forty, and would be seen: outside the sandbox the proof succeeds', () => {
        expect(ESCAPES.length).toBeGreaterThanOrEqual(40);
        const prove = new Function('globals', `${PROVE}return prove(globals)`) as (globals: unknown) => string;
        expect(prove({ process })).toContain('ESCAPED');
        expect(prove(process)).toContain(CANARY);
    });

    it.each(ESCAPES)('%s leads nowhere', async (_, code) => {
        const said = await attempt(code);
        expect(said).not.toContain('ESCAPED');
        expect(said).not.toContain(CANARY);
        expect(existsSync(loot)).toBe(false);
    });

    it('leave the sandbox as it was', async () => {
        expect(await attempt('return { ...record, sum: [1, 2].map(n => n + 1) };')).toBe(
            JSON.stringify([[{ sku: 'A', sum: [2, 3] }], []]),
        );
        expect(readdirSync(folder)).toEqual(['canary.txt']);
    });
});
