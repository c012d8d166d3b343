import { type ChildProcess, spawn } from 'node:child_process';

/** A shell that stays open, so that a command sees what an earlier one has set. */
export class Terminal {
    private output = '';
    private count = 0;
    private heard: () => void = () => undefined;
    private readonly shell: ChildProcess;

    constructor(cwd: string, env: NodeJS.ProcessEnv) {
        this.shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
        for (const stream of [this.shell.stdout, this.shell.stderr]) {
            stream?.on('data', (text: Buffer) => {
                this.output += text.toString();
                this.heard();
            });
        }
    }

    /** Returns what the commands print. Throws with that output when the last one fails. */
    async run(commands: string): Promise<string> {
        const mark = `done-${++this.count}-`;
        const from = this.output.length;
        this.shell.stdin?.write(`${commands.trimEnd()}\necho "${mark}$?-"\n`);
        const end = new RegExp(`${mark}(\\d+)-\\n`);
        for (;;) {
            const found = end.exec(this.output.slice(from));
            if (found) {
                const printed = this.output.slice(from, from + found.index);
                if (found[1] !== '0') throw new Error(`This ended with ${found[1]!}:\n${commands}\n${printed}`);
                return printed;
            }
            await new Promise<void>(resolve => (this.heard = resolve));
        }
    }

    close(): void {
        this.shell.stdin?.end();
        this.shell.kill();
    }
}

/** A command that runs until it is stopped, as in another terminal. */
export class Background {
    output = '';
    private readonly child: ChildProcess;
    readonly ended: Promise<void>;

    constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
        // A separate process group: npm starts other processes, which have to end with it.
        this.child = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [this.child.stdout, this.child.stderr]) {
            stream?.on('data', (text: Buffer) => (this.output += text.toString()));
        }
        this.ended = new Promise(resolve => this.child.once('close', () => resolve()));
    }

    get exitCode(): number | null {
        return this.child.exitCode;
    }

    get isRunning(): boolean {
        return this.child.exitCode === null && this.child.signalCode === null;
    }

    /** Sends SIGTERM to the command alone, as a service manager does, and waits until all its processes have ended. */
    async terminate(): Promise<void> {
        this.child.kill('SIGTERM');
        await this.ended;
    }

    async stop(): Promise<void> {
        if (this.isRunning && this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGTERM');
        await this.ended;
    }
}
