import { isDeepStrictEqual } from 'node:util';
import { own } from '../data/own-properties';
import { compilePath } from '../data/path';
import { flowError, type FlowError } from '../errors/flow-error';
import { schemaOfFields } from '../schema/field-list';
import { sinkFields } from '../schema/sink-fields';
import type { JsonObject } from '../value/json';
import { show } from '../value/show';
import {
    type CustomSink,
    SINK_TYPE_ALIASES,
    SINK_TYPES,
    type SinkContext,
    type SinkRecordError,
    type SinkResult,
} from './custom-sink';
import type { Outcome } from './loader';
import { isPassing, messageOf } from './sink-failure';
import {
    defineSink,
    type Sink,
    SINK_ICONS,
    type SinkIcon,
    type SinkOperation,
    type SinkSession,
    type SinkRunContext,
} from './sink';

const CODE = /^[a-z][A-Za-z0-9]{0,63}$/;

/**
 * Adapts a sink that implements the public interface `CustomSink`. Throws a TypeError with the invalid property, as the
 * end of a sentence.
 */
export function adaptedSink(custom: CustomSink): Sink {
    const { code, name, description, category, icon, sinkType } = custom;
    if (typeof code !== 'string' || !CODE.test(code))
        throw new TypeError(`code is ${show(code)}; allowed: camelCase, at most 64 letters and digits`);
    if (typeof name !== 'string' || name.trim() === '')
        throw new TypeError(`name of "${code}" is ${show(name)}; allowed: a text`);
    if (!SINK_TYPES.includes(sinkType))
        throw new TypeError(`sinkType of "${code}" is ${show(sinkType)}; allowed: ${SINK_TYPES.join(', ')}`);
    if (!isSinkIcon(icon)) throw new TypeError(`icon of "${code}" is ${show(icon)}; allowed: ${SINK_ICONS.join(', ')}`);
    const config = schemaOfFields(custom.schema.fields).extend(sinkFields);
    return defineSink({
        code,
        title: name,
        summary: sentence(description ?? `Delivers records to ${name}`),
        category: category ?? 'Own',
        ...(icon !== undefined && { icon }),
        sinkType: own(SINK_TYPE_ALIASES, sinkType) ?? sinkType,
        config,
        ...(custom.secretUses && { secretUses: settings => custom.secretUses!(settings as JsonObject) }),
        open: async (settings, cx) => sessionOf(custom, settings as JsonObject, cx),
    });
}

function isSinkIcon(icon: unknown): icon is SinkIcon | undefined {
    return icon === undefined || SINK_ICONS.includes(icon as SinkIcon);
}

function sentence(text: string): string {
    return `${text.trim().replace(/[.\s]+$/, '')}.`;
}

function sessionOf(custom: CustomSink, config: JsonObject, cx: SinkRunContext): SinkSession {
    const context = contextOf(cx);
    const { idField, primaryKey, batchSize, defaultOperation } = config;
    const id = compilePath(text(idField) ?? text(primaryKey) ?? 'id');
    const { code } = custom;
    return {
        batchSize: batchSize as number,
        defaultOperation: defaultOperation as SinkOperation,
        identity: data => id.get(data),
        async deliver(batch) {
            const records = batch.map(({ data }) => data);
            const result = await custom.index(context, config, records);
            // Most sinks return the same record, some a copy of it.
            const place = ({ record }: SinkRecordError, isFree: (i: number) => boolean): number => {
                const same = records.findIndex((one, i) => isFree(i) && one === record);
                return same >= 0 ? same : records.findIndex((one, i) => isFree(i) && isDeepStrictEqual(one, record));
            };
            return outcomesOf({ code, count: records.length, done: 'indexed', place }, result);
        },
        ...(custom.delete && {
            async remove(identities) {
                const result = await custom.delete!(context, config, identities);
                const place = ({ record }: SinkRecordError, isFree: (i: number) => boolean): number =>
                    identities.findIndex((one, i) => isFree(i) && String(id.get(record)) === one);
                return outcomesOf({ code, count: identities.length, done: 'deleted', place }, result);
            },
        }),
        ...(custom.refresh && { finish: async () => custom.refresh!(context, config) }),
    };
}

function text(value: unknown): string | undefined {
    return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The part of the platform's request that a sink receives. The core knows nothing else of it. */
interface Request {
    readonly channelId: string | number;
    readonly channel: { readonly token: string };
    readonly languageCode: string;
    readonly currencyCode: string;
}

function contextOf({
    run,
    platform,
    signal,
    log,
    stepKey,
    secrets,
    connections,
    outbound,
    mode,
}: SinkRunContext): SinkContext {
    const request = (platform as { readonly ctx?: Request } | undefined)?.ctx;
    const { pipelineId, pipelineCode, revision, runId, throughput, errorHandling } = run;
    const dryRun = mode !== 'live';
    return {
        ctx: request,
        pipelineId,
        stepKey,
        pipelineContext: {
            ...{ pipelineCode, revision, runId, throughput, errorHandling, dryRun, signal },
            channelId: String(request?.channelId ?? ''),
            channelToken: request?.channel.token ?? '',
            languageCode: request?.languageCode ?? '',
            currencyCode: request?.currencyCode ?? '',
        },
        secrets,
        connections,
        outbound,
        logger: log,
        dryRun,
    };
}

/** A call of a sink: the number of its records, the name of their count, and the record that an error is about. */
interface Called {
    readonly code: string;
    readonly count: number;
    readonly done: 'indexed' | 'deleted';
    place(error: SinkRecordError, isFree: (index: number) => boolean): number;
}

/** Throws SINK_RESULT_INVALID for a result that does not add up: guessing would lose records. */
function outcomesOf({ code, count, done, place }: Called, result: SinkResult | undefined): readonly Outcome[] {
    const { [done]: ok = 0, failed = 0, errors = [] } = result ?? ({} as Partial<SinkResult>);
    const invalid = (problem: string): FlowError => flowError('SINK_RESULT_INVALID', { code, problem });
    if (!isCount(ok) || !isCount(failed) || ok + failed !== count)
        throw invalid(`reports ${String(ok)} ${done} and ${String(failed)} failed records; it received ${count}`);
    if (!Array.isArray(errors) || errors.length > failed)
        throw invalid(`reports that ${failed} of ${count} records failed, and has errors of ${errors.length}`);
    const outcomes: Outcome[] = Array.from({ length: count }, () => ({ ok: true }));
    for (const error of errors) {
        const index = place(error, i => outcomes[i]!.ok);
        if (index < 0) throw invalid('has an error of a record that it did not receive');
        outcomes[index] = { ok: false, error: errorOf(code, error) };
    }
    rejectUnnamed(outcomes, failed - errors.length);
    return outcomes;
}

function isCount(value: unknown): boolean {
    return Number.isInteger(value) && (value as number) >= 0;
}

/** Rejects records that failed without a separate error: the last ones of the call without an error. */
function rejectUnnamed(outcomes: Outcome[], unnamed: number): void {
    const problem =
        outcomes.length === unnamed
            ? 'the sink gives no reason'
            : `the sink says that ${unnamed} of ${outcomes.length} records failed, and not which; this may be another one`;
    const error = flowError('TARGET_REFUSED', { problem });
    for (let i = outcomes.length - 1, left = unnamed; left > 0; i--) {
        if (!outcomes[i]!.ok) continue;
        outcomes[i] = { ok: false, error };
        left--;
    }
}

/** A target that is down or busy has not decided about the record. */
function errorOf(code: string, error: SinkRecordError): FlowError {
    const { statusCode } = error;
    const problem = messageOf(error);
    if (statusCode !== undefined && isPassing(statusCode))
        return flowError('REMOTE_BUSY', {
            host: `The target of ${code}`,
            problem: `answered ${statusCode}: ${problem}`,
            attempts: 1,
        });
    return flowError('TARGET_REFUSED', { problem });
}
