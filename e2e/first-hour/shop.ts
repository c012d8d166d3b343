import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Block } from './guide';
import { shopFiles, type ShopPlace } from './shop-files';

const ROOT = join(__dirname, '../..');
const run = promisify(execFile);

/** Builds the package as npm would publish it. Returns its path. */
export async function packed(into: string): Promise<string> {
    await run('npm', ['pack', '--silent', '--pack-destination', into], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    return join(
        into,
        readdirSync(into).find(name => name.endsWith('.tgz'))!,
    );
}

/**
 * Does what `npm install vendure-plugin-flow` does, without a registry: its dependencies are among the linked packages.
 */
export async function install(archive: string, folder: string): Promise<void> {
    const target = join(folder, 'node_modules/vendure-plugin-flow');
    mkdirSync(target, { recursive: true });
    await run('tar', ['-xzf', archive, '-C', target, '--strip-components', '1']);
}

/** Creates a shop before Flow: its files, and the packages of this repository. */
export function writeShop(folder: string, place: ShopPlace): void {
    for (const [path, content] of Object.entries(shopFiles(place))) write(join(folder, path), content);
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
}

/** Prepares a shop's database without Flow. */
export async function withoutFlow(database: URL): Promise<void> {
    const client = new Client({ connectionString: database.href });
    await client.connect();
    try {
        const { rows } = await client.query<{ name: string }>(
            `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name LIKE 'flow\\_%'`,
        );
        for (const { name } of rows) await client.query(`DROP TABLE "${name}"`);
        await client.query('DROP TABLE IF EXISTS migrations');
    } finally {
        await client.end();
    }
}

/** Adds the lines of the guide to the shop's configuration, at the places that the guide shows. */
export function configure(folder: string, { text }: Block): void {
    const file = join(folder, 'src/vendure-config.ts');
    const [imported] = /^import .* from 'vendure-plugin-flow';$/m.exec(text)!;
    const [, plugin] = /plugins: \[\s*\/\/ …\n([^]*?)^ {4}\],$/m.exec(text)!;
    const before = readFileSync(file, 'utf8');
    writeFileSync(
        file,
        before.replace('import path', `${imported}\nimport path`).replace(/^ {4}\],$/m, `${plugin}    ],`),
    );
}

/** Returns the errors of the compiler in the shop. */
export async function compilerSays(folder: string): Promise<string> {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    return run(process.execPath, [compiler, '-p', folder, '--noEmit']).then(
        ({ stdout }) => stdout,
        (failed: { readonly stdout: string }) => failed.stdout,
    );
}

/** Creates the folders as well. */
export function write(path: string, content: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
}
