import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/core/data/clock';
import { jsonSchemaOf } from '../src/core/schema/json-schema';
import type { Operator } from '../src/core/adapter/operator';
import { newOperator, withOperator } from './new';

const ROOT = join(__dirname, '..');
const INDEX = 'src/core/operators/index.ts';

/** A copy of what the script reads and writes, and of what a new operator needs to run. */
let tree: string;
beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), 'flow-new-'));
    cpSync(join(ROOT, 'src/core'), join(tree, 'src/core'), { recursive: true });
    cpSync(join(ROOT, 'src/adapters/operators'), join(tree, 'src/adapters/operators'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

const text = (path: string): string => readFileSync(join(tree, path), 'utf8');

describe('npm run new operator', () => {
    it('writes a record operator that is in the list and does what its examples say', async () => {
        const files = newOperator(tree, { code: 'mirrorText', category: 'string', isBatch: false });
        expect(files).toEqual([
            'src/core/operators/string/mirror-text.ts',
            'src/core/operators/string/mirror-text.spec.ts',
            INDEX,
        ]);
        const { operators } = (await import(join(tree, INDEX))) as { operators: readonly Operator[] };
        const operator = operators.find(({ code }) => code === 'mirrorText')!;
        expect(operator.category).toBe('String');
        expect(Object.keys(jsonSchemaOf(operator.config)['properties'] as object)).toEqual(['source', 'target']);
        if (operator.form !== 'record') throw new Error('It should be a record operator.');
        const [example] = operator.examples;
        const fn = operator.compile(operator.config.parse(example!.args), {
            clock: systemClock,
            runId: 'run',
            stepKey: 'step',
        });
        expect(fn(example!.in, { seq: 0, id: '0' })).toEqual(example!.out);
    });

    it('writes a batch operator', async () => {
        newOperator(tree, { code: 'rankByPrice', category: 'Aggregation', isBatch: true });
        const { operators } = (await import(join(tree, INDEX))) as { operators: readonly Operator[] };
        expect(operators.find(({ code }) => code === 'rankByPrice')).toMatchObject({
            form: 'batch',
            category: 'Aggregation',
        });
    });

    it('puts the name behind the others of its folder, and the import in its order', () => {
        newOperator(tree, { code: 'zip', category: 'JSON', isBatch: false });
        const index = text(INDEX);
        expect(index).toMatch(/json\/stringify-json';\nimport \{ zip \} from '\.\/json\/zip';\nimport/);
        expect(index).toMatch(/ omit, zip,\n/);
    });

    it('gives a code that is a word of the language another name', () => {
        newOperator(tree, { code: 'while', category: 'Logic', isBatch: false });
        expect(text('src/core/operators/logic/while.ts')).toContain(
            "export const whileValue = recordOperator({\n    code: 'while'",
        );
    });

    it.each([
        ['slugify', 'String', 'is taken by src/core/operators/string/slugify.ts'],
        ['imageResize', 'Data', 'is taken by src/adapters/operators/image-resize.ts'],
        ['mirror-text', 'String', 'allowed: camelCase'],
        ['Mirror', 'String', 'allowed: camelCase'],
        ['../x', 'String', 'allowed: camelCase'],
        ['mirror', 'Strings', 'The category is "Strings"; allowed: Aggregation, Data'],
    ])('refuses %s in %s, and writes nothing', (code, category, problem) => {
        const before = text(INDEX);
        expect(() => newOperator(tree, { code, category, isBatch: false })).toThrow(problem);
        expect(text(INDEX)).toBe(before);
    });

    it('overwrites nothing', () => {
        cpSync(join(tree, 'src/core/operators/string/slug.ts'), join(tree, 'src/core/operators/string/mirror.spec.ts'));
        expect(() => newOperator(tree, { code: 'mirror', category: 'String', isBatch: false })).toThrow(
            'mirror.spec.ts is there already',
        );
        expect(existsSync(join(tree, 'src/core/operators/string/mirror.ts'))).toBe(false);
    });

    it('begins a new row where the old one is full', () => {
        const row = `    ${Array.from({ length: 20 }, (_, i) => `operator${i}`).join(', ')},`;
        const index = `import { operator0 } from './data/operator0';\n\nexport const operators = [\n${row}\n] as const;\n`;
        expect(withOperator(index, { name: 'another', folder: 'data', file: './data/another' })).toContain(
            `${row}\n    another,\n] as const;`,
        );
    });
});
