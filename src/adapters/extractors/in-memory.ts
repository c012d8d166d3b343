import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';
import { jsonObject } from '../../core/schema/fields';
import { yieldToEventLoop, countFrom, PAGE_SIZE } from './paging';

/** Records in the step itself. The checkpoint is the number of records that have been read. */
export const inMemory = defineExtractor({
    code: 'inMemory',
    category: 'Data',
    title: 'Inline records',
    summary: 'Reads records that are written in the step.',
    config: z.strictObject({
        data: z
            .union([z.array(jsonObject()), jsonObject()])
            .optional()
            .meta({
                title: 'Records',
                description: 'A list of objects, or one object. Default: no records.',
                widget: 'json',
            }),
    }),
    examples: [
        {
            config: {
                data: [
                    { sku: 'TS-1', price: 1995 },
                    { sku: 'TS-2', price: null },
                ],
            },
            out: [
                { sku: 'TS-1', price: 1995 },
                { sku: 'TS-2', price: null },
            ],
        },
        {
            config: { data: { sku: 'TS-1', tags: ['new'] } },
            out: [{ sku: 'TS-1', tags: ['new'] }],
            note: 'One object is one record.',
        },
        { config: {}, out: [] },
    ],
    async *extract({ data }, cx) {
        const records: readonly JsonObject[] =
            data === undefined ? [] : Array.isArray(data) ? data : [data as JsonObject];
        const end = Math.min(records.length, cx.limit ?? records.length);
        for (let from = countFrom(cx.resumeFrom); from < end; from += PAGE_SIZE) {
            await yieldToEventLoop(cx);
            const to = Math.min(from + PAGE_SIZE, end);
            yield { records: records.slice(from, to), checkpoint: to };
        }
    },
});
