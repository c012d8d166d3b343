// Applies the names of docs/glossary.md: node scripts/rename/apply.mjs . (on a clean checkout). To be deleted once it has been applied.
// Renames by ./map, writes docs/glossary.md and test/glossary.spec.ts, formats what has changed. Does not commit.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(process.argv[2] ?? '.');
const started = Date.now();
const run = (args, options = {}) => { const r = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', ...options }); if (r.status !== 0) throw new Error(`${args.join(' ').slice(0, 200)}: ${r.status}`); };
if (spawnSync('git', ['status', '--porcelain'], { cwd: ROOT }).stdout.toString().trim() !== '' && !process.argv.includes('--force')) throw new Error(`${ROOT} is not clean; --force applies all the same`);
run(['--max-old-space-size=6000', join(HERE, 'rename.mjs'), ROOT]);
run([join(HERE, 'glossary.mjs'), ROOT]);
// The words of docs/architecture.md
const page = join(ROOT, 'docs/architecture.md');
if (existsSync(page)) {
    const text = readFileSync(page, 'utf8');
    const words = readFileSync(join(HERE, 'words.md'), 'utf8').trim();
    const now = text.replace(/^## Words\n[\s\S]*?(?=^## )/m, () => `${words}\n\n`);
    if (now === text) console.log('docs/architecture.md: no section "Words"'); else writeFileSync(page, now);
}
const files = [...readFileSync(join(HERE, 'touched.txt'), 'utf8').split('\n').filter(p => /\.(tsx?|mts|[mc]?js|json)$/.test(p)), 'test/glossary.spec.ts'].filter(p => existsSync(join(ROOT, p)));
// Two processes, since formatting takes longest.
const halves = [0, 1].map(n => files.filter((_, i) => i % 2 === n));
const codes = await Promise.all(halves.map(list => new Promise(done => spawn(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--log-level', 'warn', '--write', ...list], { cwd: ROOT, stdio: 'inherit' }).on('exit', done))));
if (codes.some(code => code !== 0)) throw new Error(`prettier: ${codes}`);
console.log(`applied in ${Math.round((Date.now() - started) / 1000)} s; remarks: ${join(HERE, 'report.txt')}`);
