import { CAMEL_CASE, type ComponentKind, type Parts } from './component-kind';

/** Changes records. */
export const operator: ComponentKind = {
    codes: CAMEL_CASE,
    folder: 'src/core/operators',
    // Operators that use other systems.
    alsoIn: ['src/adapters/operators'],
    hasCategories: true,
    hasBatch: true,
    index: 'src/core/operators/index.ts',
    list: 'operators',
    declaration: parts => (parts.isBatch ? batchOperator(parts) : recordOperator(parts)),
    spec: ({ code, name, file, isBatch }) => `import { ${name} } from '${file}';

describe('${code}', () => {
    it('rejects a path that would leave the record', () => {
        const args = { source: 'a', target: '__proto__.a' };
        expect(${name}.config.safeParse(args).success).toBe(false);
        expect(${name}.config.safeParse({ ...args, target: '${isBatch ? 'place' : 'b'}' }).success).toBe(true);
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, arguments, examples with the awkward cases, and the function.`,
        'npm run test:unit -- src/core/operators    runs its examples, the contract of all operators and its spec',
        `npm run docs    writes docs/reference/operators/${code}.md`,
    ],
};

function recordOperator({ code, name, category, title }: Parts): string {
    return `import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** ${title}: writes the text of a field in reverse. */
export const ${name} = recordOperator({
    code: '${code}',
    category: '${category}',
    title: '${title}',
    summary: 'Writes the text of a field in reverse.',
    config: z.strictObject({
        source: path('From', 'The text. Other values are left unchanged.'),
        target: path('To', 'The field for the result. Default: the field itself.').optional(),
    }),
    examples: [
        { args: { source: 'name' }, in: { name: 'Čapek' }, out: { name: 'kepaČ' } },
        {
            args: { source: 'name', target: 'label.text' },
            in: { name: 'ab' },
            out: { name: 'ab', label: { text: 'ba' } },
        },
        { args: { source: 'name' }, in: { name: null }, out: { name: null }, note: 'Other values are left unchanged.' },
        { args: { source: 'name', target: 'label' }, in: {}, out: {} },
        { args: { source: 'name', target: 'label.text' }, in: { name: 'a', label: 3 }, error: 'is a number' },
    ],
    compile({ source, target }) {
        const from = compilePath(source);
        const to = compilePath(target ?? source);
        return data => {
            const text = from.get(data);
            return typeof text === 'string' ? to.set(data, [...text].reverse().join('')) : data;
        };
    },
});
`;
}

function batchOperator({ code, name, category, title }: Parts): string {
    return `import { z } from 'zod';
import { batchOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';

/** ${title}: writes each number's place in its batch, the largest first. */
export const ${name} = batchOperator({
    code: '${code}',
    category: '${category}',
    title: '${title}',
    summary: 'Writes the place of each number within its batch, the largest first.',
    config: z.strictObject({
        source: path('From', 'The number. If it is missing or null, the record is left unchanged.'),
        target: path('To', 'The field for the place, starting at 1.'),
    }),
    notes: ['It sees one batch at a time; throughput.batchSize says how many records that are.'],
    examples: [
        {
            args: { source: 'n', target: 'place' },
            in: [{ n: 1 }, { n: 5 }],
            out: [{ n: 1, place: 2 }, { n: 5, place: 1 }],
        },
        {
            args: { source: 'n', target: 'place' },
            in: [{ n: null }, {}],
            out: [{ n: null }, {}],
            note: 'Nothing to compare.',
        },
        {
            args: { source: 'n', target: 'place' },
            in: [{ n: 'ü' }, { n: 2 }],
            out: [{ n: 2, place: 1 }],
            errors: ['"ü" is not a number'],
        },
    ],
    open({ source, target }) {
        const from = compilePath(source);
        const to = compilePath(target);
        return (batch, cx) => {
            const numbers = batch
                .map(({ data }) => from.get(data))
                .filter(value => typeof value === 'number')
                .sort((a, b) => b - a);
            return batch.flatMap(record => {
                const value = from.get(record.data);
                if (value === undefined || value === null) return [record];
                if (typeof value === 'number')
                    return [cx.derive(to.set(record.data, numbers.indexOf(value) + 1), [record])];
                cx.reject(record, valueInvalid(source, value, 'is not a number'));
                return [];
            });
        };
    },
});
`;
}
