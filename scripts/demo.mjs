#!/usr/bin/env node
// npm run demo: installs what is missing, then starts the demo. Plain Node, since nothing may be installed yet.
import { spawn } from 'node:child_process';
import { setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const ALIVE_MS = 500;
const root = fileURLToPath(new URL('..', import.meta.url));
const child = spawn(process.execPath, ['-r', '@swc-node/register', 'demo/main.ts', ...process.argv.slice(2)], {
    cwd: root,
    // By the channel the shop learns that this process has gone, however it has.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
process.on('SIGINT', () => child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(signal ? 0 : (code ?? 1)));

// npm hands a signal to the shell that it has started this with, which ends and hands nothing on.
if (process.env.npm_lifecycle_event === 'demo') {
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && child.kill('SIGTERM'), ALIVE_MS).unref();
}
