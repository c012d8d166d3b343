import { CAMEL_CASE, type ComponentKind } from './component-kind';

/** Run by test/registry-contract.spec.ts. */
const EXAMPLES = `examples: [
        {
            config: { text: 'Größe\\nFarbe\\n' },
            out: [
                { line: 1, text: 'Größe' },
                { line: 2, text: 'Farbe' },
            ],
        },
        {
            config: { text: 'a\\r\\n\\r\\nb' },
            out: [
                { line: 1, text: 'a' },
                { line: 3, text: 'b' },
            ],
            note: 'Blank lines count, and make no record.',
        },
        { config: { text: '' }, out: [] },
    ],`;

/** Has `readPages`, which reads an extractor to its end. */
const READ_PAGES = '../../testing/bare-extract';

/** Reads records. */
export const extractor: ComponentKind = {
    codes: CAMEL_CASE,
    folder: 'src/adapters/extractors',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/adapters/index.ts',
    list: 'extractors',
    declaration: ({ code, name, title }) => `import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { countFrom, PAGE_SIZE, yieldToEventLoop } from './paging';

/** ${title}: the lines of a text. The checkpoint is how many have been read. */
export const ${name} = defineExtractor({
    code: '${code}',
    category: 'Data',
    title: '${title}',
    summary: 'Reads the lines of a text in the settings of the step.',
    config: z.strictObject({
        text: z.string().max(1_000_000).meta({
            title: 'Text',
            description: 'Each line that is not blank becomes a record.',
            widget: 'textarea',
        }),
    }),
    notes: ['A record is {line, text}: the number of the line, counted from 1, and its text.'],
    ${EXAMPLES}
    async *extract({ text }, cx) {
        const lines = text.split(/\\r?\\n/).flatMap((line, at) => (line.trim() === '' ? [] : [{ line: at + 1, text: line }]));
        const end = Math.min(lines.length, cx.limit ?? lines.length);
        for (let from = countFrom(cx.resumeFrom); from < end; from += PAGE_SIZE) {
            await yieldToEventLoop(cx);
            const to = Math.min(from + PAGE_SIZE, end);
            yield { records: lines.slice(from, to), checkpoint: to };
        }
    },
});
`,
    spec: ({ code, name, file }) => `import { readPages } from '${READ_PAGES}';
import { ${name} } from '${file}';

describe('${code}', () => {
    it('numbers the lines of all pages', async () => {
        const text = Array.from({ length: 2500 }, (_, i) => \`no. \${i + 1}\`).join('\\n');
        const pages = await readPages({ extractor: ${name}, config: { text } });
        expect(pages.map(({ checkpoint }) => checkpoint)).toEqual([1000, 2000, 2500]);
        expect(pages[2]!.records.at(-1)).toEqual({ line: 2500, text: 'no. 2500' });
    });

    it('continues after its checkpoint', async () => {
        const pages = await readPages({ extractor: ${name}, config: { text: 'a\\nb\\nc' } }, { resumeFrom: 2 });
        expect(pages).toEqual([{ records: [{ line: 3, text: 'c' }], checkpoint: 3 }]);
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, fields, examples, and the generator with its checkpoints.`,
        'npm run test:unit -- src/adapters/extractors test/registry-contract    runs its spec, its examples and the contract',
        `npm run docs    writes docs/reference/extractors/${code}.md`,
    ],
};
