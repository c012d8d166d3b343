import { TransactionalConnection, type RequestContext } from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import type { Change, ServiceLoader, ServiceSession } from '../../core/adapter/loader';
import type { FlowRecord } from '../../core/data/record';
import { tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { withDatabaseErrors } from '../../database/database-errors';
import { RecordIssues, trimIn } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { vendureOf } from '../lookup/vendure';
import type { ServiceEntity } from '../services/service-entity';
import { living } from '../services/service-store';
import { type DeleteNames, deleteReader, readId } from './read-delete';

/** A kind of entity that Vendure's own service deletes, as the loader of its kind has it do. */
export interface ServiceDeletedKind {
    readonly loader: ServiceLoader;
    readonly entity: ServiceEntity;
}

interface Read {
    readonly faults: RecordIssues;
    readonly id: Id | undefined;
    /** As the loader of the kind takes it. */
    readonly record: FlowRecord;
}

type Found = Readonly<Record<string, unknown>> & {
    readonly channels?: ReadonlyArray<{ readonly id: Id }>;
    readonly translations?: ReadonlyArray<Readonly<Record<string, unknown>>>;
};

/** A step that deletes entities by their service: each record is handed to the loader of the kind, with DELETE and nothing else but its key. */
export async function serviceDeletes(
    { loader, entity: { key, type, called, name } }: ServiceDeletedKind,
    names: DeleteNames,
    cx: AdapterContext,
): Promise<ServiceSession> {
    const platform = vendureOf(cx);
    const { dataSource, injector } = platform;
    const table = tableOf(dataSource, type);
    const isOfChannels = dataSource.getMetadata(type).findRelationWithPropertyPath('channels') !== undefined;
    const connection = injector.get(TransactionalConnection);
    const inner = await loader.open(loader.config.parse({ [`${key}Field`]: names.key }), cx);
    const read = oncePerBatch((record): Read => {
        const issues = new RecordIssues();
        const reader = deleteReader(record.data, issues);
        const id = names.byId ? readId(reader, names.key, table) : undefined;
        const given = record.data[names.key];
        if (!names.byId && given === undefined) issues.add(names.key, `is missing; ${called[1]} are found by it`);
        return { faults: issues, id, record: deleting(given, record) };
    });
    const one = (record: FlowRecord): Read => read([record])[0]!;
    // A name that is translated is that in the run's language.
    const keyOf = (foundEntity: Found, { languageCode }: RequestContext): string | undefined => {
        const text = foundEntity.translations?.find(text => text.languageCode === languageCode);
        return (foundEntity[key] ?? text?.[key]) as string | undefined;
    };
    const kind = name.charAt(0).toLowerCase() + name.slice(1);

    function deleting(text: FlowRecord['data'][string] | undefined, { origin }: FlowRecord): FlowRecord {
        return { data: { ...(text !== undefined && { [names.key]: text }), __operation: 'DELETE' }, origin };
    }

    async function change(
        ctx: RequestContext,
        outer: FlowRecord,
        work: (record: FlowRecord) => Promise<Change>,
    ): Promise<Change> {
        const { faults: issues, id, record } = one(outer);
        if (issues.count > 0) throw issues.error();
        if (id === undefined) return work(record);
        const repository = connection.getRepository(ctx, type);
        // The key of an entity that is deleted already may belong to another one now.
        const found = (await repository.findOne({
            where: { id, ...living(repository) } as never,
            ...(isOfChannels && { relations: { channels: true } as never }),
        })) as Found | null;
        const isSeen = found && (!isOfChannels || found.channels!.some(({ id: of }) => of === ctx.channelId));
        if (!isSeen) return { action: 'unchanged', key: String(id) };
        return { ...(await work(deleting(keyOf(found, ctx), outer))), key: String(id) };
    }

    return {
        locks: record => {
            const { id, faults: issues, record: own } = one(record);
            if (id !== undefined) return [`${kind} id:${id}`];
            return issues.count > 0 ? [] : inner.locks(own);
        },
        dryRun: record => withDatabaseErrors(() => change(platform.ctx, record, own => inner.dryRun(own))),
        loadOne: (ctx, record) => change(ctx as RequestContext, record, own => inner.loadOne(ctx, own)),
        undone: async () => inner.undone?.(),
        trimmed: batch => trimIn(read(batch)) ?? inner.trimmed?.(read(batch).map(({ record }) => record)),
    };
}
