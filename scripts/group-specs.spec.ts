import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface GroupsModule {
    readonly GROUPS_FOLDER: string;
    groupsOf(root: string): ReadonlyArray<readonly string[]>;
    writeGroups(root: string): void;
}

const ROOT = join(__dirname, '..');

describe('specs that run in groups', () => {
    let groups: GroupsModule;
    let tree: string;
    beforeAll(async () => {
        groups = (await import('./group-specs.mjs' as string)) as GroupsModule;
        tree = mkdtempSync(join(tmpdir(), 'flow-groups-'));
        const write = (file: string, text: string): void => {
            mkdirSync(dirname(join(tree, file)), { recursive: true });
            writeFileSync(join(tree, file), text);
        };
        for (let i = 0; i < 20; i++) write(`src/core/a${i}.spec.ts`, "it('holds', () => undefined);");
        write('src/core/mocks.spec.ts', "jest.mock('sharp');");
        write('src/core/a.ts', '');
        write('src/elsewhere/b.spec.ts', '');
    });
    afterAll(() => rmSync(tree, { recursive: true, force: true }));

    it('are all there, each once', () => {
        const found = ['src', 'test', 'scripts', 'bench', 'demo', 'dashboard-ui'].flatMap(folder =>
            readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
                .filter(name => name.endsWith('.spec.ts'))
                .map(name => `${folder}/${name}`),
        );
        expect([...groups.groupsOf(ROOT).flat()].sort()).toEqual(found.sort());
    });

    it('keep a spec that mocks modules separate, and the specs of an unknown folder', () => {
        const made = groups.groupsOf(tree);
        expect(made).toContainEqual(['src/core/mocks.spec.ts']);
        expect(made).toContainEqual(['src/elsewhere/b.spec.ts']);
        expect(made.flat()).toHaveLength(22);
        expect(made.length).toBeLessThan(12);
    });

    it('are written as files that name each of them, in the place of what was there', () => {
        const folder = join(tree, groups.GROUPS_FOLDER);
        mkdirSync(folder);
        writeFileSync(join(folder, 'old.spec.js'), '');
        groups.writeGroups(tree);
        const files = readdirSync(folder);
        expect(files).toHaveLength(groups.groupsOf(tree).length);
        expect(files).not.toContain('old.spec.js');
        expect(readFileSync(join(folder, files[0]!), 'utf8')).toContain('require("../src/core/a0.spec.ts")');
    });
});
