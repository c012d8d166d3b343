import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface NodeVersions {
    readonly SUPPORTED: readonly string[];
    readonly OTHERS: readonly string[];
}

const ROOT = join(__dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
describe('the supported versions of Node', () => {
    let versions: NodeVersions;

    beforeAll(async () => {
        versions = (await import('./node-versions.mjs' as string)) as NodeVersions;
    });

    it('are those of the engines', () => {
        const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
        const majors = [...engines.node.matchAll(/(?<![\d.])\d+/g)].map(([major]) => major);
        expect(majors).toEqual(versions.SUPPORTED);
    });

    it.each(['README.md', 'CONTRIBUTING.md', 'docs/guide/installing.md', 'docs/test-suites.md'])(
        'are named on %s',
        page => {
            const [oldest, ...others] = versions.SUPPORTED;
            const newest = others.pop();
            const minors = others.map(major => `${major}\\.\\d+`).join(', ');
            expect(read(page)).toMatch(new RegExp(`\\bNode ${oldest}\\.\\d+, ${minors} (?:or|and) ${newest}\\b`));
        },
    );

    it('are all tested before a release, together with the one that runs the tests', () => {
        const [running] = process.versions.node.split('.');
        expect([...versions.OTHERS, running].sort()).toEqual([...versions.SUPPORTED].sort());
    });
});
