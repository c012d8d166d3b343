import { Tag } from '@vendure/core';
import { z } from 'zod';
import {
    type JsonObject,
    type StatementProgram,
    type VendurePlatform,
    defineExtractor,
    defineLoader,
    recordInvalid,
} from '../../src';
import type { Change } from '../../src/core/adapter/loader';
import { name, raw, select, send, sql } from '../../src/database/statement';
import { tableOf } from '../../src/database/table';
import { insertRows } from '../../src/database/write';

/** Writes Vendure's tags: the smallest loader that plans, writes and takes time, for tests of the parts around loading. */
export const tagLoader = defineLoader({
    code: 'tags',
    title: 'Tags',
    summary: 'Makes tags.',
    config: z.strictObject({
        sleepMs: z
            .int()
            .default(0)
            .meta({ title: 'Sleep', description: 'Milliseconds that each batch takes, on PostgreSQL.' }),
    }),
    requires: ['UpdateCatalog'],
    open: ({ sleepMs }, cx) => {
        const { dataSource, database } = cx.platform as VendurePlatform;
        const table = tableOf(dataSource, Tag);
        return Promise.resolve({
            locks: batch => batch.map(({ data }) => `tag:${String(data['value'])}`),
            *plan(batch) {
                if (sleepMs > 0) yield* send(sql`SELECT pg_sleep(${raw(String(sleepMs / 1000))})`);
                const known = new Set(
                    (yield* select<{ value: string }>(
                        sql`SELECT ${table.column('value')} AS ${name('value')} FROM ${table.name}`,
                    )).map(row => row.value),
                );
                const changes = batch.map(({ data }) => changeFor(data, known));
                return {
                    changes,
                    *apply(): StatementProgram<[]> {
                        const rows = changes.flatMap(change =>
                            change.action === 'create' ? [{ value: change.key }] : [],
                        );
                        if (rows.length > 0) yield* insertRows({ table, dialect: database.dialect }, rows);
                        return [];
                    },
                };
            },
        });
    },
});

function changeFor({ value }: JsonObject, known: Set<string>): Change {
    if (typeof value !== 'string' || value === '')
        return { action: 'reject', key: undefined, error: recordInvalid('value', 'is missing') };
    if (known.has(value)) return { action: 'unchanged', key: value };
    known.add(value);
    return { action: 'create', key: value, after: { value } };
}

/** Numbers, page by page, each after a pause; a run can resume after every page. */
export const slowNumbers = defineExtractor({
    code: 'slowNumbers',
    title: 'Slow numbers',
    summary: 'Counts slowly.',
    config: z.strictObject({
        count: z.int().meta({ title: 'Count', description: 'How many.' }),
        pageSize: z.int().default(10).meta({ title: 'Page size', description: 'Records of a page.' }),
        pageMs: z.int().default(0).meta({ title: 'Page time', description: 'Milliseconds that a page takes.' }),
    }),
    async *extract({ count, pageSize, pageMs }, cx) {
        for (let at = Number(cx.resumeFrom ?? 0); at < count; at += pageSize) {
            if (pageMs > 0) await cx.clock.sleep(pageMs, cx.signal);
            const records = Array.from({ length: Math.min(pageSize, count - at) }, (_, i) => ({
                value: `tag-${at + i}`,
            }));
            yield { records, checkpoint: at + pageSize };
        }
    },
});
