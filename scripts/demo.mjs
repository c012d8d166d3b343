#!/usr/bin/env node
// npm run demo: installs what is missing, then starts the demo. Plain Node, since nothing may be installed yet.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const child = spawn(process.execPath, ['-r', '@swc-node/register', 'demo/main.ts', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
});
process.on('SIGINT', () => child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(signal ? 0 : (code ?? 1)));
