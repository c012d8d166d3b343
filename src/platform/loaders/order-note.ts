import { Permission } from '@vendure/core';
import { z } from 'zod';
import { type Change, defineLoader, type LoaderFixture } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { Diff } from '../entities/diff';
import { fieldArgument } from '../entities/entity-config';
import { RecordIssues, quoted, trimIn } from '../entities/record-issues';
import { loadArguments, strategyProblem } from '../entities/load-arguments';
import { oncePerBatch } from '../entities/once-per-batch';
import { readsDelete } from '../entities/operation';
import { overflowOf } from '../entities/overflow';
import { FieldReader } from '../entities/read-field';
import { unitOfWork } from '../entities/unit-of-work';
import { deletingBy } from '../lookup/deleting';
import { vendureOf } from '../lookup/vendure';
import { NoteSet, type NoteState, NoteStore } from '../orders/order-notes';
import { LONG, readDate, SHORT } from '../orders/order-parts';

const FIELDS = {
    code: "order's code",
    note: 'text',
    key: 'key that identifies the note',
    isPublic: 'whether the customer may read it',
    createdAt: 'time when it was written',
} as const;

const config = z.strictObject({
    codeField: fieldArgument('code', FIELDS.code),
    noteField: fieldArgument('note', FIELDS.note),
    keyField: fieldArgument('key', FIELDS.key),
    isPublicField: fieldArgument('isPublic', FIELDS.isPublic),
    createdAtField: fieldArgument('createdAt', FIELDS.createdAt),
    strategy: loadArguments.strategy,
});

/** The limit of a column for JSON, whatever must be escaped. */
const TEXT = { ...LONG, max: 10_000 };

const given: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] },
    {
        loader: 'orderUpsert',
        config: { mode: 'HISTORY' },
        records: [
            {
                code: 'A-1001',
                state: 'Shipped',
                orderPlacedAt: '2024-03-01T10:00:00.000Z',
                lines: [{ sku: 'LAMP-1', quantity: 1, price: 4900, taxRate: 20 }],
            },
        ],
    },
];
const keys = ['Desk lamp', 'LAMP-1', 'A-1001'];
const note = { code: 'A-1001', note: 'Left with the neighbour' };
const keyed: LoaderFixture = { loader: 'orderNote', records: [{ ...note, key: 'crm-7' }] };

interface Asked {
    readonly faults: RecordIssues;
    readonly isDelete: boolean;
    readonly code: string | undefined;
    readonly note: string | undefined;
    readonly key: string | undefined;
    readonly isPublic: boolean | undefined;
    readonly createdAt: string | undefined;
}

/** Notes in the history of orders, in bulk and each once. */
export const orderNote = defineLoader({
    code: 'orderNote',
    title: 'Notes of orders',
    category: 'Orders',
    summary: 'Adds notes to the history of existing orders, matched by code.',
    config,
    notes: [
        'A record is {code, note, key, isPublic, createdAt}. A new note is private unless its record has `isPublic: true`; customers can read public notes in the shop. No mail is sent and no event is published.',
        'With a `key`, a note is identified by it, so the same key with another text changes the note. Without a key, it is identified by its text, so an existing note is not added again. A file can therefore be loaded again.',
        'createdAt is the time of a new note. Default: the time when it is loaded. It cannot be changed later.',
        'A record with the operation DELETE removes the note identified by its key or text.',
        "The order must be in the run's channel. The author is the run's user.",
        'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated.',
    ],
    requires: [Permission.UpdateOrder],
    examples: [
        {
            given,
            in: [note, { ...note, note: 'Thank you', isPublic: true }, note],
            keys,
            does: ['create', 'create', 'unchanged'],
            after: [
                { note: 'Left with the neighbour', isPublic: false },
                { note: 'Thank you', isPublic: true },
            ],
            again: ['unchanged', 'unchanged', 'unchanged'],
        },
        {
            note: 'The text of a note with a key can be changed.',
            given: [...given, keyed],
            in: [{ code: 'A-1001', key: 'crm-7', note: 'Left with the concierge' }],
            keys,
            does: ['update'],
            after: [{ note: 'Left with the concierge' }],
        },
        {
            given: [...given, keyed],
            in: [{ code: 'A-1001', key: 'crm-7', __operation: 'DELETE' }],
            keys,
            does: ['delete'],
        },
        {
            given,
            in: [
                { code: 'A-1002', note: 'Left with the neighbour' },
                { code: 'A-1001' },
                { ...note, isPublic: 'yes' },
                { ...note, createdAt: 'yesterday' },
                note,
            ],
            keys: [...keys, 'A-1002'],
            does: ['reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['code', 'note', 'isPublic', 'createdAt'],
        },
    ],
    fields: options =>
        new Map(
            ['__operation', ...Object.keys(FIELDS).map(field => options[`${field as 'key'}Field`])].map(field => [
                field,
                undefined,
            ]),
        ),
    async open(options, cx) {
        const platform = vendureOf(cx);
        const store = new NoteStore(platform);
        const isLive = cx.mode === 'live';
        const overflow = overflowOf(cx, 'notes of orders');
        // As Vendure's own mutation does.
        const deleting = deletingBy(platform.ctx, [Permission.UpdateOrder]);
        const read = oncePerBatch(({ data }) => requested(data));
        return {
            locks: batch => read(batch).flatMap(({ code }) => (code === undefined ? [] : [`order:${code}`])),
            *plan(batch) {
                const work = unitOfWork(platform, cx.mode);
                const set = work.part(NoteSet);
                const records = read(batch);
                yield* store.read(
                    work,
                    records.flatMap(({ faults: issues, code }) => (issues.isSound ? code! : [])),
                );
                const changes = records.map(record => changeOf(record, set));
                if (!isLive) {
                    work.settle();
                    overflow(set.isFull);
                }
                return {
                    changes,
                    *apply() {
                        yield* store.write(set);
                        return [];
                    },
                };
            },
            trimmed: batch => trimIn(read(batch)),
        };

        function requested(data: JsonObject): Asked {
            const { codeField, noteField, keyField, isPublicField, createdAtField } = options;
            const issues = new RecordIssues();
            const reader = new FieldReader(data, issues);
            const isDelete = readsDelete(reader, deleting);
            const code = reader.key(codeField, SHORT);
            if (!reader.has(codeField)) reader.wrong(codeField, 'is missing; orders are found by it');
            const key = data[keyField] === null ? undefined : reader.key(keyField, SHORT);
            const text = reader.text(noteField, TEXT);
            if (!reader.has(noteField) && !(isDelete && key !== undefined)) reader.wrong(noteField, 'is missing');
            return {
                faults: issues,
                isDelete,
                code,
                note: text,
                key,
                isPublic: reader.flag(isPublicField),
                createdAt: readDate(reader, createdAtField) ?? undefined,
            };
        }

        function changeOf(record: Asked, set: NoteSet): Change {
            const { code, key } = record;
            const issues = new RecordIssues(record.faults);
            const reject = (field: string, problem: string, value?: string): Change => {
                issues.add(field, problem, value);
                return { action: 'reject', key: code, error: issues.error() };
            };
            if (!issues.isSound) return { action: 'reject', key: code, error: issues.error() };
            const notes = set.of(code!);
            const { codeField, noteField, keyField, strategy } = options;
            if (!notes)
                return reject(codeField, `is ${quoted(code)}; no order of the run's channel has this code`, code);
            const found = notes.find(one => (key === undefined ? one.note === record.note : one.key === key));
            if (record.isDelete) {
                if (!found) return { action: 'unchanged', key: code! };
                set.put(
                    code!,
                    notes.filter(one => one !== found),
                );
                return { action: 'delete', key: code!, before: { note: found.note, isPublic: found.isPublic } };
            }
            const problem = strategyProblem(strategy, found !== undefined);
            if (problem !== undefined) {
                const [field, value] = key === undefined ? [noteField, record.note] : [keyField, key];
                return reject(field, `is ${quoted(value)}; the note ${problem}`, value);
            }
            const next: NoteState = {
                id: found?.id,
                note: record.note!,
                key: found?.key ?? key,
                isPublic: record.isPublic ?? found?.isPublic ?? false,
                createdAt: found ? found.createdAt : record.createdAt,
            };
            const diff = new Diff();
            for (const field of ['note', 'isPublic'] as const)
                if (next[field] !== found?.[field]) diff.add(field, found?.[field] ?? null, next[field]);
            if (!found) set.put(code!, [...notes, next]);
            else if (diff.size > 0)
                set.put(
                    code!,
                    notes.map(one => (one === found ? next : one)),
                );
            return diff.change(code!, !found);
        }
    },
});
