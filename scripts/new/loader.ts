import { CAMEL_CASE, type ComponentKind } from './component-kind';

/** Run by test/contract/loaders.contract.ts on a shop. */
const EXAMPLES = `examples: [
        { in: [{ tag: 'Größe' }, { tag: 'Farbe' }], keys: ['Größe', 'Farbe'], does: ['create', 'create'] },
        {
            in: [{ tag: 'a' }, { tag: 'A' }, { tag: 'a' }],
            keys: ['a', 'A'],
            does: ['create', 'create', 'unchanged'],
            note: 'The case of letters counts.',
        },
        {
            config: { tagField: 'label' },
            in: [{ label: 'b' }, { tag: 'b' }, { label: 7 }, { label: 'b', __operation: 'DELETE' }],
            keys: ['b'],
            does: ['create', 'reject', 'reject', 'reject'],
            rejects: ['label', 'label', '__operation'],
        },
    ],`;

/** Writes records into the shop. */
export const loader: ComponentKind = {
    codes: CAMEL_CASE,
    folder: 'src/platform/loaders',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/platform/index.ts',
    list: 'loaders',
    declaration: ({ code, name, title }) => `import { Tag } from '@vendure/core';
import { z } from 'zod';
import { type Change, defineLoader } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { RecordIssues, quoted } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { FieldReader, type TextLimit } from '../entities/read-field';
import { vendureOf } from '../lookup/vendure';
import { name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import { insertRows } from '../../database/write';

/** ${title}: the tags of the shop. */
export const ${name} = defineLoader({
    code: '${code}',
    title: '${title}',
    category: 'Catalogue',
    summary: 'Creates the tags that the shop does not have yet.',
    notes: ['A record is {tag}. An existing tag is not changed. Tags are case-sensitive.'],
    requires: ['UpdateCatalog'],
    config: z.strictObject({
        tagField: z
            .string()
            .min(1)
            .max(100)
            .default('tag')
            .meta({ title: 'Field of tag', description: 'Field of the record that holds the tag.' }),
    }),
    ${EXAMPLES}
    fields: ({ tagField }) => new Map([tagField, '__operation'].map(field => [field, undefined])),
    async open({ tagField }, cx) {
        const { dataSource, database } = vendureOf(cx);
        const { dialect } = database;
        const table = tableOf(dataSource, Tag);
        const value = table.column('value');
        const read = oncePerBatch(({ data }) => readTag(data, tagField, table.limitOf('value')));
        // A dry run writes nothing, so what its earlier batches planned is not found in the database.
        const planned = new Set<string>();
        return {
            locks: batch => read(batch).flatMap(({ tag }) => (tag === undefined ? [] : [\`tag:\${tag}\`])),
            *plan(batch) {
                const wanted = [...new Set(read(batch).flatMap(({ tag }) => tag ?? []))];
                const found = yield* select<{ tag: string }>(
                    sql\`SELECT \${value} AS \${name('tag')} FROM \${table.name} WHERE \${dialect.oneOf(value, wanted)}\`,
                );
                // Compared here: to some databases "a" and "A" are the same.
                const known = new Set([...found.map(({ tag }) => tag), ...wanted.filter(tag => planned.has(tag))]);
                const changes = read(batch).map(request => changeFor(request, known));
                const made = changes.flatMap(change => (change.action === 'create' ? [{ value: change.key }] : []));
                if (cx.mode !== 'live') for (const tag of made) planned.add(tag.value);
                return {
                    changes,
                    *apply() {
                        yield* insertRows({ table, dialect }, made);
                        return [];
                    },
                };
            },
        };
    },
});

/** The operations of records: a tag has no fields to update, and this loader does not delete. */
const OPERATIONS: ReadonlySet<unknown> = new Set([undefined, 'CREATE', 'UPSERT']);

/** The request of one record. */
interface TagRequest {
    readonly tag: string | undefined;
    readonly issues: RecordIssues;
}

function readTag(data: JsonObject, field: string, limit: TextLimit | undefined): TagRequest {
    const issues = new RecordIssues();
    const reader = new FieldReader(data, issues);
    const tag = reader.text(field, limit);
    if (!reader.has(field)) issues.add(field, 'is missing');
    const operation = data['__operation'];
    if (!OPERATIONS.has(operation))
        issues.add('__operation', \`is \${quoted(operation)}; allowed: CREATE, UPSERT\`, operation);
    return { tag, issues };
}

/** The first of several records with the same tag creates it. */
function changeFor({ tag, issues }: TagRequest, known: Set<string>): Change {
    if (tag === undefined || issues.count > 0) return { action: 'reject', key: tag, error: issues.error() };
    if (known.has(tag)) return { action: 'unchanged', key: tag };
    known.add(tag);
    return { action: 'create', key: tag, after: { tag } };
}
`,
    spec: ({ code, name, file }) => `import { Tag } from '@vendure/core';
import { memoryShop, type MemoryShop, TEXT } from '../../../test/kit/memory-shop';
import { ${name} } from '${file}';

describe('${code}', () => {
    let shop: MemoryShop;
    beforeEach(async () => {
        shop = await memoryShop([{ entity: Tag, columns: { value: TEXT } }]);
    });
    afterEach(() => shop.close());

    it('creates a tag once, and finds it again', async () => {
        const load = await shop.open(${name}, {});
        expect(await load([{ tag: 'a' }, { tag: 'b' }, { tag: 'a' }])).toMatchObject({
            does: ['create', 'create', 'unchanged'],
            statements: 2,
        });
        expect(await load([{ tag: 'b' }, { tag: 'c' }])).toMatchObject({ does: ['unchanged', 'create'] });
        expect(await shop.rows(Tag)).toMatchObject([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    });

    it('writes nothing in a dry run, and remembers the tags that its earlier batches would have created', async () => {
        const load = await shop.open(${name}, {}, 'dryRun');
        expect(await load([{ tag: 'a' }])).toMatchObject({ does: ['create'] });
        expect(await load([{ tag: 'a' }, { tag: 'b' }])).toMatchObject({ does: ['unchanged', 'create'] });
        expect(await shop.rows(Tag)).toEqual([]);
    });

    it('locks each tag that it may create, and nothing for a record that it rejects', async () => {
        const load = await shop.open(${name}, {});
        expect(await load([{ tag: 'a' }, {}, { tag: 'b' }])).toMatchObject({ locks: ['tag:a', 'tag:b'] });
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, fields, permissions, examples, locks, plan and apply.`,
        'npm run test:unit -- src/platform/loaders    runs its spec on a table in memory',
        'npm run test:contract -- test/contract/loaders    runs its examples and the contract on a shop',
        `npm run docs    writes docs/reference/loaders/${code}.md`,
    ],
};
