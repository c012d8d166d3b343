import type { AdapterContext } from '../../core/adapter/context';
import type { Change, StatementProgram, TableSession } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { collection } from '../entity-descriptions/collection';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import { type EffectPublishers, entitiesChanged } from '../effects/effect';
import type { EntityDescription } from '../entities/description';
import { Diff } from '../entities/diff';
import { EntityStore } from '../entities/entity-store';
import { RecordIssues, trimIn } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { overflowOf } from '../entities/overflow';
import { rejectDelete } from '../entities/operation';
import { FieldReader } from '../entities/read-field';
import { type UnitOfWork, unitOfWork } from '../entities/unit-of-work';
import { idsOf, saveEntities } from '../entities/write-entities';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import type { ReadyImages } from '../asset-import/asset-downloader';
import { EntityAssetSets } from './entity-asset-sets';
import { type DesiredAssets, type EntityAssetOptions, readAssets } from './read-assets';

/** The kinds of entities that have assets, as a step names them. */
export const ATTACHED_TO = ['PRODUCT', 'PRODUCT_VARIANT', 'COLLECTION'] as const;
type AttachedTo = (typeof ATTACHED_TO)[number];

/** The options of an attaching load. */
interface AttachOptions extends EntityAssetOptions {
    readonly entity: AttachedTo;
    readonly slugField: string;
    readonly skuField: string;
    readonly assetsField: string;
    readonly featuredAssetField: string;
    readonly sideEffects: EffectPublishers;
}

/** The entity of each kind. */
function attachedEntity(to: AttachedTo): EntityDescription {
    return { PRODUCT: product, PRODUCT_VARIANT: variant, COLLECTION: collection }[to] as unknown as EntityDescription;
}

/** The field of a record that names the entity. */
export function attachedBy({ entity, slugField, skuField }: AttachOptions): string {
    return entity === 'PRODUCT_VARIANT' ? skuField : slugField;
}

interface Attaching {
    readonly faults: RecordIssues;
    readonly key: string;
    readonly gallery: DesiredAssets;
}

/** Gives existing entities assets, a batch at a time, as their services' `update` does. */
export async function openAttaching(options: AttachOptions, cx: AdapterContext): Promise<TableSession> {
    const platform = vendureOf(cx);
    const entity = attachedEntity(options.entity);
    const keyField = attachedBy(options);
    const store = new EntityStore(entity, platform);
    const channel = await readRunChannel(platform);
    const { sideEffects } = options;
    const entityAssetSets = new EntityAssetSets(cx, options, { channel, strategy: 'UPSERT', sideEffects });
    const overflow = overflowOf(cx, entity.called[1]);
    const read = oncePerBatch(({ data }) => attaching(data));
    const sound = (records: readonly Attaching[]): readonly Attaching[] =>
        records.filter(({ faults: issues }) => issues.isSound);
    return {
        locks: batch =>
            read(batch).flatMap(({ key, gallery }) => [
                ...(key === '' ? [] : [lockOf(key)]),
                ...entityAssetSets.locks(gallery),
            ]),
        prepare: async batch => entityAssetSets.prepare(sound(read(batch)).map(({ gallery }) => gallery)),
        *plan(batch, pictures) {
            const work = unitOfWork(platform, cx.mode);
            const records = read(batch);
            yield* readFor(work, sound(records), pictures as ReadyImages);
            const changes = records.map(record => changeOf(work, record, pictures as ReadyImages));
            if (cx.mode !== 'live') overflow(work.settle());
            return { changes, apply: () => write(work) };
        },
        trimmed: batch => trimIn(read(batch)),
    };

    function lockOf(key: string): string {
        // As those are locked by whom they are written.
        const kinds = { PRODUCT: `slug:${channel.language}`, PRODUCT_VARIANT: 'sku', COLLECTION: 'collection' };
        return `${kinds[options.entity]}:${key}`;
    }

    function attaching(data: JsonObject): Attaching {
        const issues = new RecordIssues();
        const reader = new FieldReader(data, issues);
        rejectDelete(reader, 'a list of assets', 'empty it, or use the assetsMode REMOVE');
        if (!reader.has(keyField)) reader.wrong(keyField, `is missing; ${entity.called[1]} are found by it`);
        const { assetsField: assets, featuredAssetField: featuredAsset } = options;
        if (!reader.has(assets) && !reader.has(featuredAsset))
            reader.wrong(assets, `is missing, and so is "${featuredAsset}"`);
        const key = reader.key(keyField) ?? '';
        return { faults: issues, key, gallery: readAssets(reader, { assets, featuredAsset }, options) };
    }

    function* readFor(work: UnitOfWork, records: readonly Attaching[], images: ReadyImages): StatementProgram<void> {
        yield* store.readKeys(
            work,
            records.map(({ key }) => key),
        );
        yield* entityAssetSets.readAssets(
            work,
            records.map(({ gallery }) => gallery),
            images,
        );
        const found = records.filter(({ gallery }) => entityAssetSets.asks(gallery));
        yield* entityAssetSets.readGalleries(
            work,
            entity.type,
            found.flatMap(({ key }) => work.of(entity).seen(key)),
        );
    }

    function changeOf(work: UnitOfWork, { faults: issues, key, gallery }: Attaching, images: ReadyImages): Change {
        const own = new RecordIssues(issues);
        const found = key === '' ? [] : work.of(entity).seen(key);
        const [state] = found;
        if (own.count === 0 && found.length !== 1) {
            const [one, many] = entity.called;
            const who = found.length === 0 ? `no ${one}` : `${found.length} ${many}`;
            own.add(keyField, `is ${show(key)}; ${who} of channel ${channel.code} with this ${entity.key.holds}`, key);
        }
        const resolved =
            own.count === 0 ? entityAssetSets.resolve(gallery, { work, pictures: images, faults: own }) : undefined;
        if (!resolved || !state || own.count > 0)
            return { action: 'reject', key: key === '' ? undefined : key, error: own.error() };
        const diff = new Diff();
        entityAssetSets.assign(state, { work, resolved, diff });
        if (diff.size > 0) work.of(entity).touch(state);
        return diff.change(key, false);
    }

    function* write(work: UnitOfWork): StatementProgram<ReturnType<typeof entitiesChanged>> {
        const { changed } = work.of(entity);
        const effects = yield* entityAssetSets.writeAssets(work, changed);
        yield* saveEntities({ store, channel }, { created: [], changed });
        yield* entityAssetSets.write(work, entity.type, changed);
        const change = { entity: entity.name, operation: 'UPDATE', ids: idsOf(changed), sideEffects } as const;
        return [...effects, ...entitiesChanged(change)];
    }
}
