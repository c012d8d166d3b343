// Checks the pages of the dashboard with the compiler.
//
//   node scripts/dashboard.mjs texts    writes the texts of the pages into dashboard-ui/i18n/*.po; new texts must be translated there
//   node scripts/dashboard.mjs check    checks the types of the pages, and that every text is translated into each language
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const texts = join(root, 'dashboard-ui/i18n');
const TRANSLATED = ['de'];

function run(program, args, env = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, ...env },
        maxBuffer: 64 * 1024 * 1024,
    });
    return { isFine: status === 0, output: `${stdout}${stderr}` };
}

function extractInto(folder) {
    const { isFine, output } = run(
        '@lingui/cli/dist/lingui.js',
        ['extract', '--clean', '--workers', '1', '--config', 'scripts/lingui.config.mjs'],
        {
            FLOW_TEXTS: folder,
        },
    );
    if (!isFine) throw new Error(output);
    return output;
}

/** The host's sources are included, and may not compile with our options, so only errors in our own files count. */
function faultsOfTypes() {
    const { isFine, output } = run('typescript-7/bin/tsc', [
        '-p',
        'tsconfig.dashboard.json',
        '--pretty',
        'false',
        '--singleThreaded',
    ]);
    const own = output.split('\n').filter(line => line.startsWith('dashboard-ui/'));
    return !isFine && !output.includes('error TS') ? [output] : own;
}

function faultsOfTexts() {
    const fresh = mkdtempSync(join(tmpdir(), 'flow-texts-'));
    try {
        cpSync(texts, fresh, { recursive: true });
        extractInto(fresh);
        return readdirSync(texts)
            .filter(name => name.endsWith('.po'))
            .flatMap(name => {
                const text = readFileSync(join(texts, name), 'utf8');
                const isFresh = withoutDates(text) === withoutDates(readFileSync(join(fresh, name), 'utf8'));
                return [
                    ...(isFresh ? [] : [`stale: dashboard-ui/i18n/${name}; npm run texts writes it`]),
                    ...(TRANSLATED.includes(name.slice(0, -3)) ? untranslated(name, text) : []),
                ];
            });
    } finally {
        rmSync(fresh, { recursive: true });
    }
}

const withoutDates = text => text.replace(/^"POT-Creation-Date: .*$/m, '');

function untranslated(name, text) {
    return text
        .split('\n\n')
        .slice(1)
        .filter(entry => /^msgstr ""$(?!\n")/m.test(entry))
        .map(entry => `not translated in ${name}: ${/^msgid (.*)$/m.exec(entry)?.[1]}`);
}

const [task = 'check'] = process.argv.slice(2);
if (task === 'texts') console.log(extractInto(texts));
else {
    const faults = [...faultsOfTypes(), ...faultsOfTexts()];
    for (const fault of faults) console.error(fault);
    if (faults.length > 0) process.exitCode = 1;
}
