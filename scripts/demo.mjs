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
    // The IPC channel closes when this process ends, however it ends, so that the shop notices it.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
process.on('SIGINT', () => child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(signal ? 0 : (code ?? 1)));

// npm sends a signal only to the shell that started this process, and the shell does not forward it.
if (process.env.npm_lifecycle_event === 'demo') {
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && child.kill('SIGTERM'), ALIVE_MS).unref();
}
