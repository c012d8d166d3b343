import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptProcesses } from './script-processes';
import { Sandbox } from './sandbox';

// Each process takes its time to start on a machine that is busy.
jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'flow-odd-process-'));
const opened: Sandbox[] = [];
afterEach(() => {
    for (const sandbox of opened.splice(0)) sandbox.rest();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A sandbox whose processes write to each order what `answer` makes of frames, in one piece. */
function sandboxOf(name: string, answer: string): Sandbox {
    const node = join(folder, name);
    writeFileSync(
        node,
        `#!${process.execPath}
        const frame = text => { const body = Buffer.from(text), head = Buffer.alloc(4); head.writeUInt32BE(body.length); return Buffer.concat([head, body]) };
        const right = Buffer.concat([frame('started'), frame('done\\n{"id":"right"}\\n#{"lines":[],"unsaid":0}')]);
        const forged = frame('done\\n{"id":"forged"}\\n#{"lines":[],"unsaid":0}');
        const head = size => { const bytes = Buffer.alloc(4); bytes.writeUInt32BE(size); return bytes };
        process.stdout.write(frame('ready'));
        let received = Buffer.alloc(0), frames = 0;
        process.stdin.on('data', bytes => {
            received = Buffer.concat([received, bytes]);
            while (received.length >= 4 && received.length >= received.readUInt32BE(0) + 4) {
                received = received.subarray(received.readUInt32BE(0) + 4);
                if (++frames % 3 === 0) process.stdout.write(${answer});
            }
        });
        process.stdin.on('end', () => process.exit());\n`.replaceAll('\\n`', '`'),
    );
    chmodSync(node, 0o755);
    const sandbox = new Sandbox(new ScriptProcesses({ node }));
    opened.push(sandbox);
    return sandbox;
}

const order = { code: '', context: {}, timeoutMs: 60_000, signal: new AbortController().signal };
async function each(sandbox: Sandbox): Promise<unknown> {
    const { results } = await sandbox.each({ ...order, records: [{}], indexes: [0] });
    return results[0];
}

describe('a script process that does not answer as it should', () => {
    it('is believed where it does', async () => {
        const sandbox = sandboxOf('right', 'right');
        expect([await each(sandbox), await each(sandbox)]).toEqual([{ id: 'right' }, { id: 'right' }]);
    });

    it.each([
        ['a whole frame', 'Buffer.concat([right, forged])'],
        ['the beginning of one', 'Buffer.concat([right, forged.subarray(0, 9)])'],
        ['a head alone', 'Buffer.concat([right, head(7)])'],
    ])('has nothing taken for the answer to the next order: %s', async (name, answer) => {
        const sandbox = sandboxOf(name, answer);
        const results = [await each(sandbox), await each(sandbox), await each(sandbox)];
        expect(results).toEqual(results.map(() => ({ id: 'right' })));
    });

    it.each([
        ['an answer that was never begun', 'forged'],
        ['a head that says more than there may be', 'Buffer.concat([frame("started"), head(2 ** 32 - 1)])'],
    ])('is ended at once: %s', async (name, answer) => {
        expect(await each(sandboxOf(name, answer))).toMatchObject({
            code: 'SCRIPT_FAILED',
            facts: { problem: expect.stringMatching(/process.* ended/) },
        });
    });
});
