import { readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { parsedSource } from './kit/parsed-source';

/** The layers of the code, and which other layers each may import (docs/architecture.md, "Map of folders"). */
const MAY: Record<string, readonly string[]> = {
    core: [],
    io: ['core'],
    adapters: ['core', 'io'],
    database: ['core', 'io'],
    platform: ['core', 'io', 'database'],
    connectors: ['core', 'adapters'],
    plugin: ['core', 'io', 'adapters', 'database', 'platform', 'connectors'],
    testing: ['core', 'io', 'adapters', 'database', 'platform', 'plugin'],
};
const FRAMEWORK = /^(@nestjs\/|@vendure\/|typeorm$|graphql$|graphql-tag$)/;
const SOCKETS = /^(undici|node:(net|tls|https?|http2|dgram))$/;
/** Packages of npm and Node that a layer may use. For core they are a fixed list of pure, synchronous libraries. */
const MAY_USE: Record<string, (name: string) => boolean> = {
    core: name => ['zod', 'decimal.js', 'node:crypto', 'node:util', 're2js', 'entities', 'cron-parser'].includes(name),
    io: name => !FRAMEWORK.test(name),
    // GraphQL's own language package reads and writes the documents for other systems. It is not used as a framework here.
    adapters: name => (name === 'graphql' || !FRAMEWORK.test(name)) && !SOCKETS.test(name),
    database: name => /^(typeorm$|node:)/.test(name) && !SOCKETS.test(name),
    platform: name => /^(@vendure\/|typeorm$|zod$|node:)/.test(name) && !SOCKETS.test(name),
    connectors: name => name === 'zod',
    plugin: name => !SOCKETS.test(name),
    testing: () => true,
};
const BANNED = /^(utils?|helpers?|common|misc|support|types|constants)\.tsx?$/;
const BARRELS =
    /^src\/(index|adapters\/index|platform\/index|core\/(operators|rules|triggers)\/index|testing\/index)\.ts$/;
/** The two places where configuration enters the process. */
const READS_ENVIRONMENT = ['src/plugin/options/options.ts', 'src/io/crypto/secret.ts'];
/**
 * Secrets that stay in the process: the redactor learns them, or they verify incoming requests. All other uses name the host that gets the secret.
 */
const REVEALS = ['src/core/adapter/redactor.ts', 'src/core/adapter/secret.ts', 'src/io/webhooks/verify.ts'];
/** One file depends on internals of each library; its spec states what must hold. */
const INSIDES: ReadonlyArray<readonly [RegExp, string]> = [
    [/\b_zod\b|\b_def\b|\bcore\.util\b/, 'src/core/schema/definition.ts'],
    [/\.re2\(\)/, 'src/core/data/regex/walker.ts'],
];
/** The code that executes pipelines, and its ports: only code below `src/database` knows which database is used. */
const ANY_DATABASE = /^src\/core\/(run|steps|ports|progress)\//;
const DATABASE_WORDS = [
    /postgres|mysql|maria|sql|dialect|typeorm|\bpg\b/i,
    // In capitals, since ordinary text also contains "select".
    /\b(SELECT\b.*\bFROM|INSERT INTO|UPDATE\b.*\b(SET|WHERE)|DELETE FROM|ON CONFLICT)\b/,
];
/** The limit for a production file, and that for a spec, which may cover several topics of its file. */
const MAX_LINES = 600;
const MAX_SPEC_LINES = 700;
const MAX_PARAMETERS = 3;
/** A file with fewer lines is merged into the only one that imports it, if the two together have at most this many lines. */
const USUAL_LINES = 300;
const SMALL_LINES = 30;
/** Declares something that is found by its kind: an adapter, a rule, a step kind, a provider, a table. */
const COMPONENT = /\bdefine[A-Z]\w*\(|^@(Injectable|Resolver|Controller|Entity|Catch)\(/m;
/** Only combines the parts of other files. */
const ASSEMBLES = /(^src\/plugin\/flow\.plugin|\/index)\.ts$/;

const root = join(__dirname, '..');
const posix = (path: string) => relative(root, path).split(sep).join('/');
const sources = readdirSync(join(root, 'src'), { recursive: true })
    .map(name => posix(join(root, 'src', String(name))))
    .filter(name => /\.tsx?$/.test(name));
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const linesOf = (file: string) => text(file).trimEnd().split('\n').length;
const floorOf = (file: string) => file.split('/')[1] ?? '';
const productive = sources.filter(file => !file.endsWith('.spec.ts'));

/** Type imports count as well: they couple two files just as firmly. */
const imports = new Map(
    sources.map(file => [
        file,
        ts.preProcessFile(text(file), true, true).importedFiles.map(({ fileName }) => fileName),
    ]),
);
const known = new Set(sources);
function resolve(from: string, specifier: string): string {
    const path = posix(join(root, dirname(from), specifier));
    return [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, path].find(candidate => known.has(candidate)) ?? path;
}
const edges = new Map(
    [...imports].map(([file, names]) => [
        file,
        names.filter(name => name.startsWith('.')).map(name => resolve(file, name)),
    ]),
);
const issues = (files: readonly string[], faultOf: (file: string, target: string) => boolean) =>
    files.flatMap(file =>
        (edges.get(file) ?? []).filter(target => faultOf(file, target)).map(target => `${file} -> ${target}`),
    );

/** The first-level folder of a file within its layer, or the file itself if it is directly in the layer. */
const folderOf = (file: string) => (file.split('/').length > 3 ? file.split('/').slice(0, 3).join('/') : file);

/** Which folders of the same layer each folder imports. */
function folderEdges(): ReadonlyMap<string, readonly string[]> {
    const graph = new Map<string, string[]>();
    for (const file of productive) {
        const folder = folderOf(file);
        const known = graph.get(folder) ?? [];
        graph.set(folder, known);
        for (const target of edges.get(file) ?? [])
            if (floorOf(target) === floorOf(file) && folderOf(target) !== folder && !known.includes(folderOf(target)))
                known.push(folderOf(target));
    }
    return graph;
}

/** The names that a file declares and exports. Re-exports from other files do not count. */
function exportedNames(file: string): readonly string[] {
    const exported = (node: ts.Statement) =>
        ts.canHaveModifiers(node) &&
        ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    return parsedSource(file, text(file))
        .statements.filter(exported)
        .flatMap(node => {
            if (ts.isVariableStatement(node))
                return node.declarationList.declarations.flatMap(({ name }) =>
                    ts.isIdentifier(name) ? [name.text] : [],
                );
            const { name } = node as ts.DeclarationStatement;
            return name && ts.isIdentifier(name) ? [name.text] : [];
        });
}

/** The lines of functions with too many parameters. Nest calls constructors and decorated methods, so they have as many as they need. */
function longSignatures(file: string): readonly string[] {
    const source = parsedSource(file, text(file));
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
        const isCounted =
            (ts.isFunctionDeclaration(node) && node.body !== undefined) ||
            ts.isArrowFunction(node) ||
            (ts.isFunctionExpression(node) && ts.isPropertyAssignment(node.parent)) ||
            (ts.isMethodDeclaration(node) && node.body !== undefined && !ts.getDecorators(node));
        if (isCounted && node.parameters.length > MAX_PARAMETERS)
            found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
        ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
}

/** Tarjan: every group of files that can reach each other. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
    const index = new Map<string, number>(),
        low = new Map<string, number>();
    const stack: string[] = [],
        found: string[][] = [];
    const visit = (node: string) => {
        index.set(node, index.size);
        low.set(node, index.get(node) ?? 0);
        stack.push(node);
        for (const next of graph.get(node) ?? []) {
            if (!index.has(next)) visit(next);
            if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
        }
        if (low.get(node) !== index.get(node)) return;
        const group = stack.splice(stack.indexOf(node));
        if (group.length > 1 || graph.get(node)?.includes(node)) found.push(group);
    };
    for (const node of graph.keys()) if (!index.has(node)) visit(node);
    return found;
}

describe('the code base', () => {
    it('has only the layers of the plan', () => {
        expect(
            [...new Set(sources.filter(file => file !== 'src/index.ts').map(floorOf))].filter(floor => !(floor in MAY)),
        ).toEqual([]);
    });

    it('imports only from lower layers', () => {
        const inside = productive.filter(file => file !== 'src/index.ts');
        expect(
            issues(inside, (file, target) => {
                if (/^(dist|e2e|bench|test|demo|scripts|dashboard-ui)\//.test(target)) return true;
                return (
                    target.startsWith('src/') &&
                    floorOf(file) !== floorOf(target) &&
                    !MAY[floorOf(file)]?.includes(floorOf(target))
                );
            }),
        ).toEqual([]);
    });

    it('uses only the packages that its layer allows', () => {
        const used = productive.flatMap(file =>
            (imports.get(file) ?? []).filter(name => !name.startsWith('.')).map(name => ({ file, name })),
        );
        const rejected = used.filter(
            ({ file, name }) => file !== 'src/index.ts' && !MAY_USE[floorOf(file)]?.(packageOf(name)),
        );
        expect(rejected.map(({ file, name }) => `${file} -> ${name}`)).toEqual([]);
    });

    it('has no import cycles, not even of types', () => expect(cycles(edges)).toEqual([]));

    it('has no two folders of a layer that import each other', () => expect(cycles(folderEdges())).toEqual([]));

    it('gives no exported name two meanings', () => {
        const declaring = new Map<string, Set<string>>();
        for (const file of productive)
            for (const name of exportedNames(file))
                declaring.set(name, (declaring.get(name) ?? new Set<string>()).add(file));
        const twice = [...declaring].filter(([, files]) => files.size > 1);
        expect(twice.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([]);
    });

    it('has no function with more than three parameters, since named ones are in an object', () =>
        expect(productive.flatMap(longSignatures)).toEqual([]));

    it('never imports its own public entry point', () =>
        expect(issues(sources, (_, target) => target === 'src/index.ts')).toEqual([]));

    it('has no barrels and no folders for odds and ends', () => {
        const drawers = sources.filter(file => BANNED.test(basename(file)));
        const barrels = sources.filter(file => basename(file) === 'index.ts' && !BARRELS.test(file));
        expect([...drawers, ...barrels]).toEqual([]);
    });

    it('lets an operator import its data and its own folder, but no other folder of operators', () => {
        const operators = productive.filter(file => /^src\/core\/operators\/.+\//.test(file));
        expect(
            issues(
                operators,
                (file, target) =>
                    !/^src\/core\/(data|value|schema|adapter|errors)\//.test(target) &&
                    dirname(target) !== dirname(file),
            ),
        ).toEqual([]);
    });

    it('reads the environment in two files', () => {
        const readers = productive.filter(
            file => /\bprocess\.env\b/.test(text(file)) && !READS_ENVIRONMENT.includes(file),
        );
        expect(readers).toEqual([]);
    });

    it('shows a secret to the redactor and to the verification of requests, and otherwise only for the server that it is sent to', () => {
        expect(productive.filter(file => /\brevealInProcess\(/.test(text(file))).sort()).toEqual(REVEALS);
    });

    it('uses the internals of a library in one file', () => {
        for (const [inside, reader] of INSIDES)
            expect(productive.filter(file => inside.test(text(file)))).toEqual([reader]);
    });

    it('executes pipelines without naming a database or SQL, not even in a comment', () => {
        const spoken = productive
            .filter(file => ANY_DATABASE.test(file))
            .flatMap(file =>
                text(file)
                    .split('\n')
                    .map((line, i) => ({ line, at: `${file}:${i + 1}` })),
            );
        expect(spoken.length).toBeGreaterThan(0);
        const told = spoken.filter(({ line }) => DATABASE_WORDS.some(words => words.test(line)));
        expect(told.map(({ line, at }) => `${at} ${line.trim()}`)).toEqual([]);
    });

    it(`has no file of fewer than ${SMALL_LINES} lines that only one other file imports, unless it declares a component or has a spec`, () => {
        const importers = (file: string) => sources.filter(other => edges.get(other)?.includes(file));
        const alone = productive.filter(file => {
            // Entity descriptions are imported by one file by design (docs/adr/0012-entity-descriptions.md).
            if (linesOf(file) >= SMALL_LINES || COMPONENT.test(text(file)) || floorOf(file) === 'platform')
                return false;
            const [importer, ...others] = importers(file);
            if (importer === undefined || others.length > 0 || ASSEMBLES.test(importer)) return false;
            return linesOf(file) + linesOf(importer) <= USUAL_LINES;
        });
        expect(alone).toEqual([]);
    });

    it(`has no file over ${MAX_LINES} lines, and no spec over ${MAX_SPEC_LINES}`, () => {
        const most = (file: string) => (file.endsWith('.spec.ts') ? MAX_SPEC_LINES : MAX_LINES);
        expect(sources.filter(file => linesOf(file) > most(file))).toEqual([]);
    });
});

/** `@scope/name/deep/path` → `@scope/name`; built-ins under their `node:` name. */
function packageOf(specifier: string): string {
    if (builtinModules.includes(specifier)) return `node:${specifier}`;
    if (specifier.startsWith('node:')) return specifier;
    return specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
}
