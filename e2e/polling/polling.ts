import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BarePlace } from '../config/bare-database';

/** Three separate processes that check the schedules of one database, each with a given clock. */
export class PollingProcesses {
    private readonly children: readonly ChildProcess[];
    private readonly answers: ReadonlyArray<AsyncIterator<string>>;

    constructor(place: BarePlace) {
        const args = ['-r', '@swc-node/register', join(__dirname, 'polling-process.ts'), JSON.stringify(place)];
        this.children = [1, 2, 3].map(() =>
            spawn(process.execPath, args, {
                cwd: join(__dirname, '../..'),
                stdio: ['pipe', 'pipe', 'inherit'],
                env: { ...process.env, NODE_OPTIONS: '' },
            }),
        );
        this.answers = this.children.map(({ stdout }) => createInterface({ input: stdout! })[Symbol.asyncIterator]());
    }

    /** Each reads which schedules are active. */
    async read(): Promise<void> {
        await this.all(() => 'read');
    }

    /** All of them check at the same moment, each with a different clock. */
    async poll(...times: readonly [number, number, number]): Promise<void> {
        await this.all(i => String(times[i]));
    }

    /** They end when they receive no more times. */
    async end(): Promise<void> {
        const alive = this.children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
        const ended = alive.map(child => once(child, 'exit'));
        for (const { stdin } of alive) stdin!.end();
        await Promise.all(ended);
    }

    private async all(line: (i: number) => string): Promise<void> {
        await Promise.all(
            this.children.map(async ({ stdin }, i) => {
                stdin!.write(`${line(i)}\n`);
                const { value } = await this.answers[i]!.next();
                if (value !== `done ${line(i)}`) throw new Error(`A process said "${String(value)}" to "${line(i)}"`);
            }),
        );
    }
}
