import { CAMEL_CASE, type ComponentKind, type Parts } from './component-kind';

/** Exports `problemsOf`, which checks records with a rule. */
const RUN_RULE = '../../testing/bare-rule';

/** Finds issues of records. */
export const rule: ComponentKind = {
    codes: CAMEL_CASE,
    folder: 'src/core/rules',
    // Rules that read the shop.
    alsoIn: ['src/platform/rules'],
    hasCategories: false,
    hasBatch: true,
    index: 'src/core/rules/index.ts',
    list: 'rules',
    declaration: parts => (parts.isBatch ? batchRule(parts) : recordRule(parts)),
    spec: parts => (parts.isBatch ? batchSpec(parts) : recordSpec(parts)),
    next: (file, { code }) => [
        `Edit ${file}: summary, fields, examples with the awkward cases, and the function.`,
        'npm run test:unit -- src/core/rules    runs its examples, the contract of all rules and its spec',
        `npm run docs    writes docs/reference/rules/${code}.md`,
    ],
};

function recordRule({ code, name, title }: Parts): string {
    return `import { z } from 'zod';
import { defineRule, reporting } from '../adapter/rule';
import { explained } from '../errors/record-invalid';
import { show } from '../value/show';
import { fieldCheck } from './field-check';
import { checkFields } from './fields';

const { field, required } = checkFields;

/** ${title}: text that begins with a certain one. */
export const ${name} = defineRule({
    code: '${code}',
    title: '${title}',
    summary: 'Requires text with a given prefix.',
    config: z.strictObject({
        field,
        prefix: z.string().min(1).max(100).meta({ title: 'Prefix', description: 'The prefix of the text.' }),
        required,
        ...reporting(),
    }),
    notes: [
        'Case matters. A value that is not text breaks the rule.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'sku', prefix: 'Ä-' }, in: { sku: 'Ä-1' } },
        { spec: { field: 'sku', prefix: 'A-' }, in: { sku: 'a-1' }, problem: 'is "a-1"; allowed: text that begins with' },
        { spec: { field: 'sku', prefix: '7' }, in: { sku: 71 }, problem: 'is 71', note: 'A number is not a text.' },
        { spec: { field: 'sku', prefix: 'A-' }, in: { sku: ' ' } },
        { spec: { field: 'sku', prefix: 'A-', required: true }, in: {}, problem: 'is required but missing' },
    ],
    compile: spec =>
        fieldCheck(spec, [
            value =>
                typeof value === 'string' && value.startsWith(spec.prefix)
                    ? undefined
                    : explained('is {value}; allowed: text that begins with {prefix}', {
                          value: show(value),
                          prefix: show(spec.prefix),
                      }),
        ]),
});
`;
}

function recordSpec({ code, name, file }: Parts): string {
    return `import { problemsOf } from '${RUN_RULE}';
import { ${name} } from '${file}';

describe('${code}', () => {
    it('checks only the beginning of the text', async () => {
        const records = [{ sku: 'A-' }, { sku: 'A-A-' }, { sku: 'xA-' }];
        const problems = await problemsOf(${name}, { field: 'sku', prefix: 'A-' }, records);
        expect(problems.map(problem => problem === undefined)).toEqual([true, true, false]);
    });
});
`;
}

function batchRule({ code, name, title }: Parts): string {
    return `import { z } from 'zod';
import { type BatchRuleFn, defineRule, reporting } from '../adapter/rule';
import { isNothing } from '../data/decimal';
import { compilePath } from '../data/path';
import { show } from '../value/show';
import { MISSING } from './field-check';
import { checkFields } from './fields';

const { field, required } = checkFields;

/** ${title}: a number that is not an outlier of its batch. */
export const ${name} = defineRule({
    code: '${code}',
    title: '${title}',
    summary: 'Requires a number that is not far above the others of its batch.',
    config: z.strictObject({
        field,
        factor: z.number().min(1).max(1_000_000).default(10).meta({
            title: 'Factor',
            description: 'How many times the middle number of the batch it may be.',
        }),
        required,
        ...reporting(),
    }),
    notes: [
        'It sees one batch at a time; throughput.batchSize says how many records that are.',
        'The middle number is that of those above 0. A value that is not a number breaks the rule.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        {
            spec: { field: 'price', factor: 5 },
            in: [{ price: 10 }, { price: 9 }, { price: 1100 }, { price: 11 }],
            problems: [null, null, 'is 1100, more than 5 times the middle number of its batch (11)', null],
        },
        { spec: { field: 'price' }, in: [{ price: 0 }, { price: -3 }, {}], problems: [null, null, null] },
        {
            spec: { field: 'price', required: true },
            in: [{ price: 'ä' }, { price: null }, { price: 1 }],
            problems: ['is "ä"; allowed: a number', 'is required but missing', null],
        },
    ],
    open({ field: name, factor, required: isRequired }): BatchRuleFn {
        const from = compilePath(name);
        return batch => {
            const values = batch.map(({ data }) => from.get(data));
            const numbers = values.filter(value => typeof value === 'number' && value > 0) as number[];
            const middle = numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Infinity;
            return values.map(value => {
                const problem = problemOf(value);
                return problem === undefined ? undefined : { path: name, problem };
            });

            function problemOf(value: (typeof values)[number]): string | undefined {
                if (isNothing(value)) return isRequired ? MISSING : undefined;
                if (typeof value !== 'number') return \`is \${show(value)}; allowed: a number\`;
                if (value <= middle * factor) return undefined;
                return \`is \${value}, more than \${factor} times the middle number of its batch (\${middle})\`;
            }
        };
    },
});
`;
}

function batchSpec({ code, name, file }: Parts): string {
    return `import { problemsOf } from '${RUN_RULE}';
import { ${name} } from '${file}';

describe('${code}', () => {
    it('compares the numbers of each batch separately', async () => {
        const isOutlier = async (...prices: readonly number[]): Promise<readonly boolean[]> => {
            const records = prices.map(price => ({ price }));
            return (await problemsOf(${name}, { field: 'price' }, records)).map(problem => problem !== undefined);
        };
        expect(await isOutlier(1, 1, 100)).toEqual([false, false, true]);
        expect(await isOutlier(100, 100, 100)).toEqual([false, false, false]);
    });
});
`;
}
