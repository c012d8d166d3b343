import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

// Each parent compiles what it works with, which takes its time on a busy machine. The scripts could run for ten minutes.
jest.setTimeout(120_000);

/** Starts a process that runs the script in a sandbox; resolves once the script has started. */
async function parentOf(script: string): Promise<{ readonly child: number; kill(): Promise<unknown> }> {
    const parent = spawn(
        process.execPath,
        ['-r', '@swc-node/register', join(__dirname, '../../../test/fixtures/orphan.ts'), script],
        {
            stdio: ['ignore', 'pipe', 'inherit'],
        },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    return {
        child: Number(line.toString()),
        kill: () => {
            parent.kill('SIGKILL');
            return once(parent, 'exit');
        },
    };
}

/** One that has ended and whose new parent has not noticed counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({
        stdout: '',
    }));
    return stdout.trim() !== '' && !stdout.startsWith('Z');
}

describe('the process of a script whose server was killed', () => {
    it.each([
        ['a tight loop', 'for (;;);'],
        ['a long regular expression', "return { found: /^(a+)+$/.test('a'.repeat(60) + 'b') };"],
        ['a large allocation', 'for (;;) try { const all = []; for (;;) all.push(new Uint8Array(1e6)); } catch {}'],
    ])('ends by itself: %s', async (_, script) => {
        const { child, kill } = await parentOf(script);
        try {
            expect(await isRunning(child)).toBe(true);
            await kill();
            while (await isRunning(child)) await sleep(100);
        } finally {
            if (await isRunning(child)) process.kill(child, 'SIGKILL');
        }
    });
});
