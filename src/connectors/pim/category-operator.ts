import { z } from 'zod';
import { batchOperator } from '../../core/adapter/operator';
import type { FlowRecord } from '../../core/data/record';
import { recordInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { categoryMapping } from './mapping';
import {
    prunedArgument,
    type Holder,
    isPruned,
    languageArgument,
    MatchedInRun,
    rejectingRecord,
} from './operator-parts';
import { pimIdOf, transformCategory } from './transform';

/** Categories of the PIM as collectionUpsert takes them. */
export const pimCategory = batchOperator({
    code: 'pimCategory',
    category: 'PIM',
    title: 'Categories of the PIM',
    summary: 'Converts categories of the PIM to records for collectionUpsert.',
    config: z.strictObject({
        defaultLanguage: languageArgument,
        ...categoryMapping,
        rootPath: z.string().min(1).max(1_000).optional().meta({
            title: 'Root path',
            description: 'Categories directly below this path of the PIM become top-level collections.',
        }),
        missing: prunedArgument,
    }),
    notes: [
        'A record has pimId in addition to the fields of collectionUpsert. The slug of its parent is built from the data of the parent in the PIM.',
        'An unpublished parent becomes a private collection before its children, so that the tree is complete.',
        'Categories that arrive as {id, __operation: "DELETE"} are hidden or deleted by their remembered slug, as set in "missing"; categories that were never loaded are skipped. A slug that another category of the same run has rejects the record.',
    ],
    examples: [
        {
            args: { defaultLanguage: 'en' },
            in: [
                { id: '1', key: 'lamps', published: true, name: 'Lamps', index: 2, parent: {} },
                {
                    id: '2',
                    key: 'desk',
                    published: true,
                    name: 'Desk',
                    slug: 'desk-lamps',
                    parent: { id: '1', key: 'lamps', fullpath: '/Categories/lamps' },
                },
            ],
            out: [
                { pimId: '1', slug: 'lamps', name: 'Lamps', parent: null, position: 2, isPrivate: false },
                { pimId: '2', slug: 'desk-lamps', name: 'Desk', parent: 'lamps', isPrivate: false },
            ],
        },
        {
            args: { defaultLanguage: 'en', rootPath: '/Categories' },
            in: [
                {
                    id: '3',
                    key: 'hidden',
                    name: 'Hidden',
                    parent: { id: '9', key: 'Categories', fullpath: '/Categories' },
                },
            ],
            out: [{ pimId: '3', slug: 'hidden', name: 'Hidden', parent: null }],
        },
        {
            args: { defaultLanguage: 'en' },
            in: [{ id: '4', key: 'a', parent: { id: '5', key: 'b', name: 'B', published: false } }],
            out: [
                { pimId: '5', slug: 'b', name: 'B', isPrivate: true },
                { pimId: '4', slug: 'a', name: 'a', parent: 'b' },
            ],
        },
        {
            args: { defaultLanguage: 'en', slugField: null },
            in: [
                { id: '6', key: 'shoes' },
                { id: '7', key: 'Shoes' },
                { id: '8', __operation: 'DELETE' },
            ],
            out: [{ pimId: '6', slug: 'shoes', name: 'shoes' }],
            errors: ['is "shoes", which is that of the category "6" of the PIM as well'],
        },
    ],
    async open({ missing, rootPath, ...args }, cx) {
        const languages = (await cx.languages?.()) ?? [];
        const options = { ...args, mapping: args, rootPath, languages };
        return async (batch, call) => {
            const made = new Map<FlowRecord, JsonObject>();
            const keys = new Set<string>();
            for (const record of batch) {
                await call.turn();
                const category = rejectingRecord(call, record, () =>
                    isPruned(record.data) ? { pimId: pimIdOf(record.data) } : transformCategory(record.data, options),
                );
                if (!category) continue;
                made.set(record, category);
                keys.add(String(category['pimId']));
            }
            const known = await call.recall([...keys]);
            const there = [...made].filter(([{ data }]) => !isPruned(data)).map(([, category]) => holderOf(category));
            const met = await MatchedInRun.of(there, [], call);
            const out: FlowRecord[] = [];
            const parents = new Set<string>();
            for (const [record, category] of made) {
                const id = String(category['pimId']);
                const before = known.get(id);
                if (isPruned(record.data)) {
                    const gone = typeof before === 'string' ? goneCategory(id, before, missing) : undefined;
                    if (gone && missing === 'DELETE') call.remember(record, id, null);
                    if (gone) out.push({ ...record, data: gone });
                    continue;
                }
                const slug = String(category['slug']);
                const taken = met.taken(record, holderOf(category));
                if (taken) {
                    const problem = `is ${show(slug)}, which is that of the category ${show(taken.owner)} of the PIM as well`;
                    call.reject(record, recordInvalid(args.slugField ?? 'key', problem));
                    continue;
                }
                const parent = rejectingRecord(call, record, () => hiddenParent(record.data, options));
                if (parent && !parents.has(String(parent['pimId']))) {
                    parents.add(String(parent['pimId']));
                    out.push(call.derive(parent, [record]));
                }
                if (before !== slug) call.remember(record, id, slug);
                out.push({ ...record, data: category });
            }
            return out;
        };
    },
});

function holderOf({ pimId, slug }: JsonObject): Holder {
    return { id: String(pimId), keys: [String(slug)] };
}

/** A parent that the listing leaves out, since it is not published. */
function hiddenParent(
    node: JsonObject,
    options: Parameters<typeof transformCategory>[1] & object,
): JsonObject | undefined {
    const parent = node[options.mapping?.parentField ?? 'parent'];
    if (!isJsonObject(parent) || parent['published'] !== false || node['published'] === false) return undefined;
    const { parent: _, position: _position, ...category } = transformCategory(parent, options);
    return category;
}

function goneCategory(pimId: string, slug: string, missing: 'NONE' | 'DISABLE' | 'DELETE'): JsonObject | undefined {
    if (missing === 'NONE') return undefined;
    return { pimId, slug, ...(missing === 'DELETE' ? { __operation: 'DELETE' } : { isPrivate: true }) };
}
