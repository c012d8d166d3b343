import { z } from 'zod';
import { defineExtractor, type Extractor, type Page, type SavedCheckpoint } from '../../src/core/adapter/extractor';
import { type Change, defineLoader, type StatementProgram } from '../../src/core/adapter/loader';
import { DROP, recordOperator } from '../../src/core/adapter/operator';
import { Registry } from '../../src/core/adapter/registry';
import type { AdapterDefinition } from '../../src/core/adapter/definition';
import type { ExtractContext } from '../../src/core/adapter/extractor';
import { canonicalJson, type JsonObject, type JsonValue } from '../../src/core/value/json';
import type { Batch } from '../../src/core/data/record';
import { flowError } from '../../src/core/errors/flow-error';
import { rules } from '../../src/core/rules';
import type { ShopRequest } from './memory-ports';

const object = z.record(z.string(), z.any());

/** Yields the pages of its configuration; resumes at the page whose number is the checkpoint. */
export function toyPages(at: (point: string, cx: ExtractContext) => Promise<void> = async () => undefined) {
    return defineExtractor({
        code: 'toyPages',
        title: 'Toy pages',
        summary: 'Yields the pages that it was given.',
        config: z.strictObject({
            pages: z.array(
                z.strictObject({
                    records: z.array(object),
                    faults: z
                        .array(
                            z.strictObject({ index: z.number(), data: object, path: z.string(), problem: z.string() }),
                        )
                        .optional(),
                    /** Whether a run may resume after this page. */
                    marked: z.boolean().default(true),
                }),
            ),
        }),
        async *extract({ pages }, cx): AsyncGenerator<Page, void, void> {
            for (let i = typeof cx.resumeFrom === 'number' ? cx.resumeFrom : 0; i < pages.length; i++) {
                await at(`page ${i}`, cx);
                const { records, faults: issues, marked } = pages[i]!;
                yield { records, ...(issues && { faults: issues }), ...(marked && { checkpoint: i + 1 }) };
            }
            await at('end', cx);
        },
    });
}

/** The behaviour of a toy source, in addition to its pages. */
export interface ToyOutcomes {
    readonly at?: (point: string, cx?: ExtractContext) => Promise<void>;
    /** Throws if the other side does not accept a checkpoint. */
    readonly accepts?: (checkpoint: JsonValue, stepKey: string) => void;
    readonly by?: SavedCheckpoint['by'];
    /** Performs the actions; each is `{page}`. */
    readonly act?: (actions: readonly JsonObject[], stepKey: string) => Promise<void>;
}

/** Each page requests an action and sets the checkpoint of the next run after it. Checkpoints are page numbers, as in `toyPages`. */
export function toyOutcomes({ at = async () => undefined, accepts, by, act }: ToyOutcomes = {}): Extractor {
    const pages = toyPages(at);
    return {
        ...pages,
        ...(by && { saved: async () => ({ key: 'the source', startOver: false, by }) }),
        async *extract(config, cx): AsyncGenerator<Page, void, void> {
            if (cx.resumeFrom !== undefined) accepts?.(cx.resumeFrom, cx.stepKey);
            let page = typeof cx.resumeFrom === 'number' ? cx.resumeFrom : 0;
            for await (const one of pages.extract(config as Parameters<typeof pages.extract>[0], cx)) {
                page++;
                yield { ...one, nextRun: { from: page }, ...(act && { afterSuccess: [{ page }] }) };
            }
        },
        ...(act && {
            async afterSuccess(_config, actions, { stepKey }) {
                await at('afterSuccess');
                await act(actions, stepKey);
            },
        }),
    };
}

/** Writes records under `table/id` into the fake shop. The plan rejects `bad`, the database rejects `poison`, and `gone` deletes. */
export function toyLoader(at: (point: string) => Promise<void> = async () => undefined) {
    return defineLoader({
        code: 'toyUpsert',
        title: 'Toy upsert',
        summary: 'Writes records into the fake shop.',
        config: z.strictObject({ table: z.string().default('t') }),
        async open({ table }) {
            await at('open');
            const keyOf = (data: JsonObject): string => `${table}/${String(data['id'])}`;
            return {
                locks: batch => batch.map(({ data }) => keyOf(data)),
                *plan(
                    batch: Batch,
                ): StatementProgram<{ changes: readonly Change[]; apply(): StatementProgram<readonly []> }> {
                    const before = (yield {
                        read: batch.map(({ data }) => keyOf(data)),
                    } satisfies ShopRequest) as Array<JsonObject | undefined>;
                    const changes = batch.map(({ data }, i) => changeOf(keyOf(data), data, before[i]));
                    return { changes, apply: () => applied(changes) };
                },
            };
        },
    });
}

function changeOf(key: string, data: JsonObject, before: JsonObject | undefined): Change {
    if (data['bad'] === true) {
        return {
            action: 'reject',
            key,
            error: flowError('RECORD_INVALID', { path: 'bad', problem: 'it is bad' }, { details: { field: 'bad' } }),
        };
    }
    if (data['gone'] === true) return before ? { action: 'delete', key, before } : { action: 'unchanged', key };
    if (!before) return { action: 'create', key, after: data };
    return canonicalJson(before) === canonicalJson(data)
        ? { action: 'unchanged', key }
        : { action: 'update', key, before, after: data };
}

function* applied(changes: readonly Change[]): StatementProgram<readonly []> {
    for (const change of changes) {
        if (change.action === 'create' || change.action === 'update')
            yield { write: change.key, data: change.after } satisfies ShopRequest;
        if (change.action === 'delete') yield { remove: change.key } satisfies ShopRequest;
    }
    return [];
}

const common = { category: 'Toy', examples: [] };

/** Sets a field. */
export const toySet = recordOperator({
    ...common,
    code: 'toySet',
    title: 'Toy set',
    summary: 'Sets a field.',
    config: z.strictObject({ field: z.string(), value: z.any() }),
    compile:
        ({ field, value }) =>
        data => ({ ...data, [field]: value as JsonValue }),
});

/** Drops records whose field has a certain value. */
export const toyDrop = recordOperator({
    ...common,
    code: 'toyDrop',
    title: 'Toy drop',
    summary: 'Drops records.',
    config: z.strictObject({ field: z.string() }),
    compile:
        ({ field }) =>
        data =>
            data[field] === true ? DROP : data,
});

/** As many copies as a field says, distinguished by their ids. */
export const toyCopies = recordOperator({
    ...common,
    code: 'toyCopies',
    title: 'Toy copies',
    summary: 'Makes copies.',
    config: z.strictObject({ field: z.string() }),
    compile:
        ({ field }) =>
        data => {
            const count = data[field];
            if (typeof count !== 'number') return data;
            return Array.from({ length: count }, (_, i) => ({ ...data, id: `${String(data['id'])}.${i}` }));
        },
});

/** Throws at records whose field is true. */
export const toyThrow = recordOperator({
    ...common,
    code: 'toyThrow',
    title: 'Toy throw',
    summary: 'Throws at some records.',
    config: z.strictObject({ field: z.string() }),
    compile:
        ({ field }) =>
        data => {
            if (data[field] === true) throw new Error(`${field} cannot be borne`);
            return data;
        },
});

export const TOY_OPERATORS: readonly AdapterDefinition[] = [toySet, toyDrop, toyCopies, toyThrow];

/** All toys, or those given in place of the usual ones. */
export function toyRegistry(...instead: readonly AdapterDefinition[]): Registry {
    const codes = new Set(instead.map(({ code }) => code));
    const usual = [toyPages(), toyLoader(), ...TOY_OPERATORS, ...rules].filter(({ code }) => !codes.has(code));
    return Registry.of(usual, instead);
}
