import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../e2e/config/databases';
import { filesWithout, type SplitFile, type Tier, tierOf, TIERS } from '../e2e/tiers';

const ROOT = join(__dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const files = [
    ...readdirSync(join(ROOT, 'e2e')).map(name => `e2e/${name}`),
    ...readdirSync(join(ROOT, 'test/contract')).map(name => `test/contract/${name}`),
].filter(name => /\.(e2e|contract)\.ts$/.test(name));

const splitFiles = Object.entries(TIERS).filter((entry): entry is [string, SplitFile] => typeof entry[1] === 'object');
const SERVERS: readonly Database[] = ['postgres', 'mariadb'];
const DATABASES: readonly Database[] = ['sqlite', ...SERVERS];
/** The databases on which a file runs, if it reads the tier of each from `e2e/config/matrix.ts`. */
const databasesOf = (file: string): readonly Database[] => {
    if (/\bonEachDatabase\b/.test(read(file))) return DATABASES;
    return /\bonEachServer\b/.test(read(file)) ? SERVERS : [];
};
/** A file and the e2e files that it imports, which contain its suites and tests. */
const withImports = (file: string): readonly string[] => [
    file,
    ...[...read(file).matchAll(/ from '\.\/([\w/.-]+)'/g)].map(([, name]) => `e2e/${name}.ts`),
];
const TITLES = /\bit(?:\.each\(.*\))?\(\s*(['"`])(.+?)\1,/g;

describe('the tiers of e2e and contract tests', () => {
    it('contain exactly the existing files', () => {
        expect(Object.keys(TIERS).sort()).toEqual([...files].sort());
    });

    it('put each suite on each of its databases into exactly one tier', () => {
        const counted: Record<Tier, number> = { test: 0, release: 0 };
        for (const file of files) {
            const declared = TIERS[file]!;
            const databases = databasesOf(file);
            expect([file, typeof declared === 'object' && declared.databases !== undefined]).toEqual([
                file,
                databases.length > 0,
            ]);
            if (databases.length === 0 || typeof declared !== 'object') continue;
            const suites = [declared.databases, ...Object.values(declared.suites ?? {})];
            for (const suite of suites)
                expect([file, Object.keys(suite!).sort()]).toEqual([file, [...databases].sort()]);
            for (const suite of [undefined, ...Object.keys(declared.suites ?? {})])
                for (const database of databases)
                    counted[tierOf(file, { database, ...(suite !== undefined && { suite }) })] += 1;
        }
        expect(counted.test).toBeGreaterThan(0);
        expect(counted.release).toBeGreaterThan(counted.test / 2);
    });

    it('run every suite on PostgreSQL in `npm test`', () => {
        const missing = splitFiles.flatMap(([file, { databases, suites }]) =>
            [databases, ...Object.values(suites ?? {})].filter(one => one && one.postgres !== 'test').map(() => file),
        );
        expect(missing).toEqual([]);
    });

    it('name existing suites and tests', () => {
        const unknown = splitFiles.flatMap(([file, { suites = {}, tests = [] }]) => {
            const text = withImports(file).map(read).join('\n');
            const titles = [...text.matchAll(TITLES)].map(([, , title]) => title!);
            return [
                ...Object.keys(suites).filter(title => !new RegExp(`title: '${title}'`).test(text)),
                ...tests.filter(start => titles.filter(title => title.startsWith(start)).length !== 1),
            ].map(name => `${file}: ${name}`);
        });
        expect(unknown).toEqual([]);
    });

    it('divide the tests of a file only if each of them checks its tier', () => {
        const divided = splitFiles.filter(([, { tests }]) => tests).flatMap(([file]) => withImports(file));
        const unpublished = divided.filter(
            file => /^ +it[.(]/m.test(read(file)) && !read(file).includes('itInTier as it'),
        );
        expect(unpublished).toEqual([]);
    });

    it('throw for a part without a tier', () => {
        expect(() => tierOf('e2e/nowhere.e2e.ts')).toThrow('e2e/nowhere.e2e.ts');
        expect(() => tierOf('e2e/side-by-side.e2e.ts', { database: 'sqlite' })).toThrow('e2e/side-by-side.e2e.ts');
    });

    it('pack, install and start Flow before a release, but not in `npm test`', () => {
        for (const file of ['e2e/first-hour.e2e.ts', 'e2e/demo.e2e.ts']) expect(tierOf(file)).toBe('release');
        expect(read('.ci/run')).toMatch(/\nexec npm --silent test\n$/);
    });

    it('select the files for jest: all files in both together, and in each tier only files with tests of it', () => {
        const taken = { test: filesOf('test'), release: filesOf('release') };
        for (const tier of ['test', 'release'] as const)
            expect(taken[tier]).toEqual(files.filter(file => !filesWithout(tier).includes(file)).sort());
        expect([...new Set([...taken.test, ...taken.release])].sort()).toEqual([...files].sort());
    });
});

/** The e2e and contract files that jest takes for a tier. */
function filesOf(tier: Tier): readonly string[] {
    const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'contract', 'e2e', '--listTests'];
    const told = execFileSync(process.execPath, jest, {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, FLOW_TEST_TIER: tier },
        stdio: ['ignore', 'pipe', 'ignore'],
    });
    return told
        .split('\n')
        .filter(line => /\.(e2e|contract)\.ts$/.test(line))
        .map(line => line.slice(ROOT.length + 1).replaceAll('\\', '/'))
        .sort();
}
