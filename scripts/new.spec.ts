import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, resolveConfig } from 'prettier';
import ts from 'typescript';
import type { ConnectionType } from '../src/core/adapter/connection';
import type { Extractor } from '../src/core/adapter/extractor';
import type { Loader, TableLoader } from '../src/core/adapter/loader';
import type { Operator } from '../src/core/adapter/operator';
import type { Rule } from '../src/core/adapter/rule';
import type { Sink } from '../src/core/adapter/sink';
import type { TriggerType } from '../src/core/adapter/trigger';
import type { StepKindDeclaration } from '../src/core/steps/kinds/step-kind';
import type { JsonObject } from '../src/core/value/json';
import type { ContractCheck } from '../src/testing/contract';
import { compiledBeside } from '../test/kit/compiled-beside';
import { askedFor } from './new';
import type { NewComponent } from './new/component-kind';
import { KINDS, type KindName } from './new/kinds';
import { withListed } from './new/listed';
import { type Written, writeComponent } from './new/write';

const ROOT = join(__dirname, '..');
const trees: string[] = [];
afterAll(() => trees.forEach(tree => rmSync(tree, { recursive: true, force: true })));

/** A folder with copies of some of the project's. */
function copyOf(...folders: readonly string[]): string {
    const tree = mkdtempSync(join(tmpdir(), 'flow-new-'));
    trees.push(tree);
    for (const folder of folders) cpSync(join(ROOT, folder), join(tree, folder), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    return tree;
}

/** Every file of src: its path and its content. */
function sourcesOf(tree: string): ReadonlyMap<string, string> {
    const paths = readdirSync(join(tree, 'src'), { recursive: true }).map(name => `src/${String(name)}`);
    return new Map(
        paths
            .filter(path => statSync(join(tree, path)).isFile())
            .map(path => [path, readFileSync(join(tree, path), 'utf8')]),
    );
}

interface Made {
    readonly kind: KindName;
    readonly component: NewComponent;
    readonly file: string;
}

const MADE: readonly Made[] = [
    {
        kind: 'operator',
        component: { code: 'mirrorText', category: 'string' },
        file: 'src/core/operators/string/mirror-text',
    },
    {
        kind: 'operator',
        component: { code: 'rankByPrice', category: 'Aggregation', isBatch: true },
        file: 'src/core/operators/aggregation/rank-by-price',
    },
    { kind: 'rule', component: { code: 'startsAlike' }, file: 'src/core/rules/starts-alike' },
    { kind: 'rule', component: { code: 'outlier', isBatch: true }, file: 'src/core/rules/outlier' },
    { kind: 'extractor', component: { code: 'textLines' }, file: 'src/adapters/extractors/text-lines' },
    { kind: 'loader', component: { code: 'tagUpsert' }, file: 'src/platform/loaders/tag-upsert' },
    { kind: 'sink', component: { code: 'shelfDelivery' }, file: 'src/adapters/sinks/shelf-delivery' },
    { kind: 'connection', component: { code: 'ERP_SERVER' }, file: 'src/adapters/connections/erp-server' },
    { kind: 'trigger', component: { code: 'ON_DEMAND' }, file: 'src/core/triggers/on-demand' },
    { kind: 'step', component: { code: 'SAMPLE' }, file: 'src/core/steps/kinds/sample' },
];

// Written before the tests start, since the components' own specs join them. In a separate process, since Prettier is asynchronous.
const tree = copyOf('src', 'test/kit');
const WRITER = `
    const { writeComponent } = require('./scripts/new/write');
    (async () => {
        const written = [];
        for (const { kind, component } of ${JSON.stringify(MADE)}) written.push(await writeComponent(process.argv[1], kind, component));
        console.log(JSON.stringify(written));
    })();`;
const written = JSON.parse(
    execFileSync(process.execPath, ['-r', '@swc-node/register', '-e', WRITER, tree], { cwd: ROOT, encoding: 'utf8' }),
) as readonly Written[];

const texts = new Map(
    written.flatMap(({ files }) =>
        files.map(path => [join(ROOT, path), readFileSync(join(tree, path), 'utf8')] as const),
    ),
);
const program = compiledBeside(texts);

/** A module of the copy, so that components and their base classes come from the same module tree. */
function fromTree<T extends object>(path: string): T {
    return jest.requireActual<T>(join(tree, path));
}

describe('npm run new', () => {
    it('has a component of every kind tried here', () => {
        expect([...new Set(MADE.map(({ kind }) => kind))]).toEqual(Object.keys(KINDS));
    });

    it('writes a declaration and a spec of each, and touches its index, nothing else', () => {
        expect(written.map(({ files }) => files)).toEqual(
            MADE.map(({ kind, file }) => [`${file}.ts`, `${file}.spec.ts`, KINDS[kind].index]),
        );
        const [before, after] = [sourcesOf(ROOT), sourcesOf(tree)];
        const touched = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
        expect(touched.sort()).toEqual([...new Set(written.flatMap(({ files }) => files))].sort());
        expect(after.size - before.size).toBe(2 * MADE.length);
    });

    it('says what comes next: to change the file, to run its tests, and to write its page', () => {
        for (const [i, { kind, component: requested, file }] of MADE.entries()) {
            const steps = written[i]!.next.join('\n');
            expect(steps).toContain(`${file}.ts`);
            expect(steps).toContain(`npm run test:unit -- ${KINDS[kind].folder}`);
            if (kind === 'step') expect(steps).toContain('docs/reference/definition.md');
            else if (kind !== 'trigger') expect(steps).toContain(`docs/reference/${kind}s/${requested.code}.md`);
        }
    });

    it('writes what the compiler takes', () => {
        const issues = [...texts.keys()].flatMap(path => {
            const file = program().getSourceFile(path)!;
            return [...program().getSyntacticDiagnostics(file), ...program().getSemanticDiagnostics(file)].map(
                ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
            );
        });
        expect(issues).toEqual([]);
        // The types of Vendure are many; a busy machine may take a while.
    }, 300_000);

    it('writes as Prettier would', async () => {
        const options = { ...(await resolveConfig(__filename)), parser: 'typescript' };
        const paths = [...new Set(written.flatMap(({ files }) => files))];
        const isFormatted = await Promise.all(
            paths.map(path => check(readFileSync(join(tree, path), 'utf8'), options)),
        );
        expect(paths.filter((_, i) => !isFormatted[i])).toEqual([]);
    });
});

const contracts = () => fromTree<typeof import('../src/testing')>('src/testing');

/** The contract of each kind, as far as it needs no server. */
const PROOF: { readonly [K in KindName]: (component: never) => void } = {
    operator(component: Operator) {
        keeps(
            fromTree<typeof import('../src/testing/operator-contract')>(
                'src/testing/operator-contract',
            ).operatorContract(component),
        );
    },
    rule(component: Rule) {
        keeps(contracts().ruleContract(component));
    },
    extractor(component: Extractor) {
        keeps(
            fromTree<typeof import('../src/testing/extractor-contract')>(
                'src/testing/extractor-contract',
            ).extractorContract(component),
        );
    },
    loader(component: Loader) {
        const { memoryShop, TEXT } = fromTree<typeof import('../test/kit/memory-shop')>('test/kit/memory-shop');
        const { Tag } = jest.requireActual<typeof import('@vendure/core')>('@vendure/core');
        it.each(examplesOf<{ config?: JsonObject; in: readonly JsonObject[]; does: readonly string[] }>(component))(
            'does what example %# says',
            async ({ config = {}, in: records, does }) => {
                const shop = await memoryShop([{ entity: Tag, columns: { value: TEXT } }]);
                const load = await shop.open(component as TableLoader, config);
                expect(await load(records)).toMatchObject({ does });
                const again = does.map(action => (action === 'reject' ? 'reject' : 'unchanged'));
                expect(await load(records)).toMatchObject({ does: again });
                await shop.close();
            },
        );
    },
    connection(component: ConnectionType) {
        keeps(
            fromTree<typeof import('../src/testing/connection-contract')>(
                'src/testing/connection-contract',
            ).connectionContract(component),
        );
    },
    sink(component: Sink) {
        const { checksOf } = fromTree<typeof import('../test/kit/registry-contract')>('test/kit/registry-contract');
        keeps(checksOf(component));
    },
    step(component: StepKindDeclaration) {
        const { stepKindContract } =
            fromTree<typeof import('../test/kit/step-kind-contract')>('test/kit/step-kind-contract');
        keeps(stepKindContract(component));
    },
    trigger(component: TriggerType) {
        it('rejects an unknown field', () => {
            expect(component.config.safeParse({ name: 'nightly' }).success).toBe(true);
            expect(component.config.safeParse({ name: 'nightly', nonsense: 1 }).success).toBe(false);
        });
    },
};

function keeps(checks: readonly ContractCheck[]): void {
    for (const { name, run } of checks) it(name, run);
}

function examplesOf<E>(component: object): readonly E[] {
    return (component as { readonly examples: readonly E[] }).examples;
}

describe.each(MADE)('the $kind that is written as $component.code', ({ kind, component: requested, file }) => {
    const list = fromTree<Record<string, ReadonlyArray<{ readonly code?: string; readonly kind: string }>>>(
        KINDS[kind].index,
    )[KINDS[kind].list]!;
    const component = list.find(one => (kind === 'step' ? one.kind : one.code) === requested.code)!;

    it('is in the list of its kind, with a title and a sentence about it', () => {
        if (kind !== 'step') expect(component).toMatchObject({ kind, title: expect.stringMatching(/^[A-Z][a-z ]+$/) });
        expect(component).toMatchObject({ summary: expect.stringMatching(/^[A-Z].*[^.]\.$/) });
    });

    PROOF[kind](component as never);
    fromTree<object>(`${file}.spec.ts`);
});

describe('a new component', () => {
    let place: string;
    beforeEach(() => {
        place = copyOf('src/core/operators', 'src/adapters', 'src/core/rules', 'src/core/steps', 'src/platform/rules');
    });
    const text = (path: string): string => readFileSync(join(place, path), 'utf8');

    it('is added after the others of its folder, and its import in order', async () => {
        await writeComponent(place, 'operator', { code: 'zip', category: 'JSON' });
        const index = text('src/core/operators/index.ts');
        expect(index).toMatch(/json\/stringify-json';\nimport \{ zip \} from '\.\/json\/zip';\nimport/);
        expect(index).toMatch(/ omit,\n {4}zip,\n/);
    });

    it('is a constant of another name where its code is a word of the language', async () => {
        await writeComponent(place, 'operator', { code: 'while', category: 'Logic' });
        expect(text('src/core/operators/logic/while.ts')).toContain(
            "export const whileValue = recordOperator({\n    code: 'while'",
        );
    });

    it.each([
        ['connection', 'CSV', 'src/adapters/connections/csv.ts', 'csvConnection'],
        ['operator', 'path', 'src/core/operators/data/path.ts', 'pathOperator'],
        ['rule', 'field', 'src/core/rules/field.ts', 'fieldRule'],
        ['connection', 'INVALID_FIELDS', 'src/adapters/connections/invalid-fields.ts', 'invalidFieldsConnection'],
        ['rule', 'rules', 'src/core/rules/rules.ts', 'rulesRule'],
    ] as const)('is a constant of another name where that of the %s %s is in use', async (kind, code, file, name) => {
        rmSync(join(place, 'src/core/rules/rules.spec.ts'));
        await writeComponent(place, kind, { code });
        expect(text(file)).toContain(`export const ${name} = `);
        expect(text(KINDS[kind].index)).toContain(`import { ${name} } from`);
    });

    it.each<[KindName, NewComponent, string]>([
        ['operator', { code: 'slugify' }, 'is taken by src/core/operators/string/slugify.ts'],
        ['operator', { code: 'imageResize' }, 'is taken by src/adapters/operators/image-resize.ts'],
        ['rule', { code: 'reference' }, 'is taken by src/platform/rules/reference.ts'],
        ['connection', { code: 'S3' }, 'is taken by src/adapters/connections/object-storage.ts'],
        ['operator', { code: 'mirror-text' }, 'allowed: camelCase'],
        ['operator', { code: 'Mirror' }, 'allowed: camelCase'],
        ['operator', { code: '../x' }, 'allowed: camelCase'],
        ['extractor', { code: 'MIRROR' }, 'allowed: camelCase'],
        ['connection', { code: 'erpServer' }, 'allowed: upper case'],
        ['connection', { code: 'ERP__SERVER' }, 'allowed: upper case'],
        ['rule', { code: 'types' }, 'no file is called types.ts'],
        ['step', { code: 'LOAD' }, 'is taken by src/core/steps/kinds/load.ts'],
        ['operator', { code: 'mirror', category: 'Strings' }, 'The category is "Strings"; allowed: Aggregation, Data'],
        ['rule', { code: 'mirror', category: 'Data' }, 'no folders for categories of a rule'],
        ['extractor', { code: 'mirror', isBatch: true }, 'No extractor works on a batch'],
    ])('of the kind %s is rejected as %j, and nothing is written', async (kind, requested, problem) => {
        const before = sourcesOf(place);
        await expect(writeComponent(place, kind, requested)).rejects.toThrow(problem);
        expect(sourcesOf(place)).toEqual(before);
    });

    it('overwrites nothing', async () => {
        cpSync(
            join(place, 'src/core/operators/string/slug.ts'),
            join(place, 'src/core/operators/string/mirror.spec.ts'),
        );
        await expect(writeComponent(place, 'operator', { code: 'mirror', category: 'String' })).rejects.toThrow(
            /mirror\.spec\.ts .*already/,
        );
        expect(existsSync(join(place, 'src/core/operators/string/mirror.ts'))).toBe(false);
    });

    it('is rejected if its list cannot be read', () => {
        expect(() => withListed('export const others = [];\n', { list: 'rules', name: 'a', from: './a' })).toThrow(
            / "rules" /,
        );
    });
});

describe('the command line', () => {
    it('takes the kind, the code and the options of the kind', () => {
        expect(askedFor(['loader', 'tagUpsert'])).toEqual({ kind: 'loader', code: 'tagUpsert', isBatch: false });
        expect(askedFor(['operator', 'a', '--category', 'String', '--batch'])).toEqual({
            kind: 'operator',
            code: 'a',
            category: 'String',
            isBatch: true,
        });
    });

    it.each([
        [[], 'npm run new -- trigger <code>'],
        [['step'], 'npm run new -- step <code>'],
        [
            ['feed', 'a'],
            'There is no kind "feed"; known: operator, rule, extractor, loader, sink, connection, trigger, step.',
        ],
        [['toString', 'a'], 'There is no kind "toString"'],
        [['script', 'a'], 'No script is made here: a script is a function of the shop'],
        [['engine', 'a'], 'No engine is made here'],
        [['rule'], 'npm run new -- rule <code> [--batch]'],
        [['rule', '--batch'], 'npm run new -- rule <code> [--batch]'],
        [['operator', 'a', '--dry'], 'Unknown: --dry. npm run new -- operator <code> [--category Data] [--batch]'],
        [['operator', 'a', '--category'], 'Unknown: --category'],
    ])('rejects %j', (args, problem) => expect(() => askedFor(args)).toThrow(problem));

    it('exits with a message and its own exit code when it is rejected', () => {
        const { status, stdout, stderr } = spawnSync(
            process.execPath,
            ['-r', '@swc-node/register', 'scripts/new.ts', 'operator', 'slugify'],
            { cwd: ROOT, encoding: 'utf8' },
        );
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        expect(stderr.trim()).toMatch(/^.*"slugify".* src\/core\/operators\/string\/slugify\.ts\.$/);
    });
});
