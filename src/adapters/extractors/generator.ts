import { z } from 'zod';
import { createHash } from 'node:crypto';
import { defineExtractor } from '../../core/adapter/extractor';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { jsonObject } from '../../core/schema/fields';
import { adviseBraces } from '../../core/adapter/placeholder-advice';
import { yieldToEventLoop, countFrom, PAGE_SIZE } from './paging';

const DEFAULT_COUNT = 10;
const MAX_COUNT = 1_000_000;

/**
 * The input for the values of one record. All of it is in the checkpoint, so a resumed run continues with the same
 * values.
 */
interface Moment {
    readonly index: number;
    readonly total: number;
    readonly startedAt: number;
    readonly seed: string;
}
type Make = (timestamp: Moment) => JsonValue;

/** Generates test records. */
export const generator = defineExtractor({
    code: 'generator',
    category: 'Data',
    title: 'Generated records',
    summary: 'Generates records for tests and demonstrations.',
    config: z.strictObject({
        count: z
            .int()
            .min(0)
            .max(MAX_COUNT)
            .default(DEFAULT_COUNT)
            .meta({ title: 'How many', description: `Number of records; 0 means ${DEFAULT_COUNT}.` }),
        template: jsonObject().optional().meta({
            title: 'Template',
            description:
                'The record to generate. Text may be uuid, timestamp, isoDate, index, random:N or seq:N, or contain {{index}}, {{count}} and {{total}}. Default: id, name, value and createdAt.',
            widget: 'json',
        }),
    }),
    notes: [
        'Every record has its number, starting with 0, in _index.',
        'Text that consists of one placeholder becomes a number. {{count}} and {{total}} are both the number of records.',
        'random:N is a whole number from 0 to N - 1; seq:N counts up from N. All times in a run are the start time of the run.',
        'Values that are not text are copied as they are.',
    ],
    examples: [
        {
            config: { count: 2, template: { sku: 'TS-{{index}}', place: 'seq:1', of: '{{total}}', tags: ['new'] } },
            out: [
                { sku: 'TS-0', place: 1, of: 2, tags: ['new'], _index: 0 },
                { sku: 'TS-1', place: 2, of: 2, tags: ['new'], _index: 1 },
            ],
        },
        {
            config: { count: 3, template: {} },
            out: [{ _index: 0 }, { _index: 1 }, { _index: 2 }],
            note: 'With an empty template, records only have their number.',
        },
    ],
    advise: ({ template = {} }) =>
        Object.entries(template).flatMap(([name, value]) =>
            typeof value === 'string' ? adviseBraces(`template.${name}`, value) : [],
        ),
    async *extract({ count, template }, cx) {
        const total = count === 0 ? DEFAULT_COUNT : count;
        const end = Math.min(total, cx.limit ?? total);
        const { from, startedAt } = resumed(cx.resumeFrom, cx.clock.now());
        const fields = Object.entries(template ?? DEFAULT_TEMPLATE).map(
            ([key, value]) => [key, compileValue(value, key)] as const,
        );
        for (let start = from; start < end; start += PAGE_SIZE) {
            await yieldToEventLoop(cx);
            const to = Math.min(start + PAGE_SIZE, end);
            const records: JsonObject[] = [];
            for (let index = start; index < to; index++) {
                const moment = { index, total, startedAt, seed: `${cx.stepKey}/${startedAt}/${index}` };
                records.push(
                    Object.fromEntries([
                        ...fields.map(([key, make]) => [key, make(moment)] as const),
                        ['_index', index],
                    ]),
                );
            }
            yield { records, checkpoint: { index: to, startedAt } };
        }
    },
});

const DEFAULT_TEMPLATE: JsonObject = {
    id: 'seq:1',
    name: 'Record {{index}}',
    value: 'random:1000',
    createdAt: 'isoDate',
};

function resumed(
    checkpoint: JsonValue | undefined,
    now: number,
): { readonly from: number; readonly startedAt: number } {
    if (!isJsonObject(checkpoint)) return { from: countFrom(checkpoint), startedAt: now };
    return { from: countFrom(checkpoint['index']), startedAt: countFrom(checkpoint['startedAt']) };
}

const PLACEHOLDER = /\{\{\s*(index|count|total)\s*\}\}/g;

function compileValue(value: JsonValue, field: string): Make {
    if (typeof value !== 'string') return () => value;
    const [, kind, argument] = /^(random|seq):(\d{1,15})$/.exec(value) ?? [];
    if (kind === 'seq') return ({ index }) => Number(argument) + index;
    if (kind === 'random') {
        const below = BigInt(argument!) || 1n;
        return moment => Number(BigInt(`0x${digest(moment, field).slice(0, 16)}`) % below);
    }
    switch (value) {
        case 'index':
            return ({ index }) => index;
        case 'timestamp':
            return ({ startedAt }) => startedAt;
        case 'isoDate':
            return ({ startedAt }) => new Date(startedAt).toISOString();
        case 'uuid':
            return moment => uuidOf(digest(moment, field));
    }
    if (/^\{\{\s*index\s*\}\}$/.test(value)) return ({ index }) => index;
    if (/^\{\{\s*(count|total)\s*\}\}$/.test(value)) return ({ total }) => total;
    if (!value.includes('{{')) return () => value;
    return ({ index, total }) =>
        value.replace(PLACEHOLDER, (_, name: string) => String(name === 'index' ? index : total));
}

/** A pseudo-random number that is the same after the run resumes: a digest of step, start, record and field. */
function digest(timestamp: Moment, field: string): string {
    return createHash('sha256').update(`${timestamp.seed}/${field}`).digest('hex');
}

function uuidOf(hex: string): string {
    const variant = '89ab'[parseInt(hex[16]!, 16) % 4]!;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
