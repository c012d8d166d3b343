import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

interface Manifest {
    readonly files: readonly string[];
    readonly scripts: Readonly<{ prepublishOnly: string }>;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly peerDependencies: Readonly<Record<string, string>>;
}

const root = join(__dirname, '..');
const manifestOf = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const own = manifestOf(root);
const vendure = manifestOf(join(root, 'node_modules/@vendure/core'));

const filesIn = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true }).map(name => join(folder, String(name)));
const compiled = ['src', 'migrations']
    .flatMap(filesIn)
    .filter(file => /\.(ts|cjs)$/.test(file) && !file.endsWith('.spec.ts'));

/** `@scope/name/deep/path` → `@scope/name`; undefined for a file and for Node itself. */
function packageOf(specifier: string): string | undefined {
    if (/^(\.|node:)/.test(specifier) || builtinModules.includes(specifier)) return undefined;
    return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The files of the package that people read. */
const pages = own.files
    .flatMap(entry =>
        statSync(join(root, entry), { throwIfNoEntry: false })?.isDirectory() ? filesIn(entry) : [entry],
    )
    .filter(file => file.endsWith('.md') && existsSync(join(root, file)));
const isShipped = (file: string): boolean =>
    own.files.some(entry => file === entry || file.startsWith(`${entry}/`)) || file === 'package.json';

function linksOf(page: string): readonly string[] {
    const text = readFileSync(join(root, page), 'utf8')
        .replace(/^```[^]*?^```/gm, '')
        .replace(/`[^`\n]*`/g, '');
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link!)
        .filter(link => !/^(https?:|mailto:)/.test(link));
}

/** The anchor of a heading, as Markdown renderers create it. */
function anchorsOf(page: string): readonly string[] {
    const text = readFileSync(join(root, page), 'utf8').replace(/^```[^]*?^```/gm, '');
    return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading!
            .toLowerCase()
            .replace(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
    );
}

describe('the package', () => {
    it('declares every package that it imports', () => {
        const declared = { ...own.dependencies, ...own.peerDependencies };
        const imported = compiled.flatMap(file =>
            ts
                .preProcessFile(readFileSync(join(root, file), 'utf8'), true, true)
                .importedFiles.map(({ fileName }) => fileName),
        );
        const missing = imported.map(packageOf).filter(name => name !== undefined && !(name in declared));
        expect([...new Set(missing)]).toEqual([]);
    });

    it("shares Vendure's dependencies in Vendure's own version ranges, so that nothing has to be overridden", () => {
        const shared = Object.entries({ ...own.dependencies, ...own.peerDependencies }).filter(
            ([name]) => name in vendure.dependencies && name !== '@vendure/common',
        );
        expect(shared.map(([name]) => name)).toEqual(expect.arrayContaining(['typeorm', 'graphql', '@nestjs/core']));
        expect(Object.fromEntries(shared)).toEqual(
            Object.fromEntries(shared.map(([name]) => [name, vendure.dependencies[name]])),
        );
    });

    it('contains its pages, and every link on them leads to something in it', () => {
        expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/guide/installing.md']));
        const dead = pages.flatMap(page =>
            linksOf(page)
                .filter(link => {
                    const [path, anchor] = link.split('#') as [string, string?];
                    const target = path === '' ? page : relative(root, join(root, dirname(page), path));
                    if (!existsSync(join(root, target)) || !isShipped(target)) return true;
                    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
                })
                .map(link => `${page}: ${link}`),
        );
        expect(dead).toEqual([]);
    });

    it.each([
        [undefined, false],
        ['', false],
        [{ type: 'git' }, false],
        [{ type: 'git', url: 'git+https://host.example/owner/name.git' }, true],
        ['https://host.example/owner/name', true],
    ])('is published only with the URL of its repository: %j', (repository, isPublished) => {
        const folder = mkdtempSync(join(tmpdir(), 'flow-package-'));
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...own, repository }));
        const [command, script] = own.scripts.prepublishOnly.split(' ') as [string, string];
        const { status, stderr } = spawnSync(command, [join(root, script), folder], { encoding: 'utf8' });
        rmSync(folder, { recursive: true });
        expect({ status, named: stderr.includes('"repository"') }).toEqual(
            isPublished ? { status: 0, named: false } : { status: 1, named: true },
        );
    });
});
