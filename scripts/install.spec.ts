import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'flow-install-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A fake npm: prints a warning unless it is disabled, and unpacks the second of two packages once the first has been reported. */
const NPM = `#!/usr/bin/env bash
case "$*" in *--loglevel=error*) ;; *) echo "npm warn EBADENGINE Unsupported engine" >&2 ;; esac
mkdir -p node_modules/a node_modules/b
echo '{}' > node_modules/a/package.json
while [ -d node_modules ] && [ ! -e reported ]; do sleep 0.1; done
echo '{}' > node_modules/b/package.json
cp package-lock.json node_modules/.package-lock.json
`;
const FIRST = /^ {2}1 of 2 packages, \d+ s$/m;

/** The complete output of an installation. */
function install(): Promise<string> {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}` };
    return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, ['scripts/install.mjs'], { cwd: folder, env });
        let said = '';
        for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding('utf8').on('data', (text: string) => {
                said += text;
                if (FIRST.test(said)) writeFileSync(join(folder, 'reported'), '');
            });
        }
        child.once('error', reject);
        child.once('close', code => {
            if (code === 0) resolve(said);
            else reject(new Error(`It ended with ${code}: ${said}`));
        });
    });
}

describe('the installation', () => {
    it('shows its progress, and hides the warnings of npm', async () => {
        mkdirSync(join(folder, 'scripts'));
        mkdirSync(join(folder, 'bin'));
        cpSync(join(__dirname, 'install.mjs'), join(folder, 'scripts/install.mjs'));
        const packages = { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } };
        writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
        writeFileSync(join(folder, 'bin/npm'), NPM);
        chmodSync(join(folder, 'bin/npm'), 0o755);
        const said = await install();
        expect(said).toMatch(FIRST);
        expect(said).not.toContain('EBADENGINE');
        expect(await install()).toBe('');
    });
});
