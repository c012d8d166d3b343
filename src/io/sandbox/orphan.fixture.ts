import childProcess from 'node:child_process';
import { Sandbox } from './sandbox';

// A process that runs the script in its first argument, and writes the id of the child once the script has started.
const { spawn } = childProcess;
childProcess.spawn = ((...given: Parameters<typeof spawn>) => {
    const child = spawn(...given);
    child.stdout?.on('data', (bytes: Buffer) => {
        if (bytes.includes('started')) process.stdout.write(`${child.pid}\n`);
    });
    return child;
}) as typeof spawn;

void new Sandbox().each({
    code: process.argv[2] ?? '',
    context: {},
    records: [{}],
    indexes: [0],
    timeoutMs: 600_000,
    signal: new AbortController().signal,
});
