import { build } from 'esbuild';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import packageJson from '../../package.json';
import { FLOW_VERSION } from './flow-version';

describe('the version of Flow', () => {
    it('is that of its package', () => {
        expect(FLOW_VERSION).toBe(packageJson.version);
    });

    it.each([
        ['cjs', 'shop.cjs'],
        ['esm', 'shop.mjs'],
    ] as const)('is known within a bundle (%s) of a shop that has a separate version', async (format, name) => {
        const folder = mkdtempSync(join(tmpdir(), 'flow-bundle-'));
        try {
            writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', version: '9.9.9' }));
            const outfile = join(folder, name);
            const contents = `import { FLOW_VERSION } from './flow-version';\nconsole.log(FLOW_VERSION);`;
            await build({
                stdin: { contents, resolveDir: __dirname, loader: 'ts' },
                bundle: true,
                platform: 'node',
                format,
                outfile,
            });
            const { stdout, stderr } = spawnSync(process.execPath, [outfile], { cwd: folder, encoding: 'utf8' });
            expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: packageJson.version, stderr: '' });
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});
