import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'flow-install-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Stands in for npm: warns as npm does unless it is told not to, and unpacks two packages until somebody has told of the first. */
const NPM = `#!/usr/bin/env bash
case "$*" in *--loglevel=error*) ;; *) echo "npm warn EBADENGINE Unsupported engine" >&2 ;; esac
mkdir -p node_modules/a node_modules/b
echo '{}' > node_modules/a/package.json
sleep 7
echo '{}' > node_modules/b/package.json
cp package-lock.json node_modules/.package-lock.json
`;

describe('the installation', () => {
    it('says how far it is, and nothing of what npm warns of', () => {
        mkdirSync(join(folder, 'scripts'));
        mkdirSync(join(folder, 'bin'));
        cpSync(join(__dirname, 'install.mjs'), join(folder, 'scripts/install.mjs'));
        const packages = { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } };
        writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
        writeFileSync(join(folder, 'bin/npm'), NPM);
        chmodSync(join(folder, 'bin/npm'), 0o755);
        const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}` };
        const command = `"${process.execPath}" scripts/install.mjs 2>&1`;
        const install = (): string => execFileSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
        const said = install();
        expect(said).toMatch(/^ {2}1 of 2 packages, \d+ s$/m);
        expect(said).not.toContain('EBADENGINE');
        expect(install()).toBe('');
    });
});
