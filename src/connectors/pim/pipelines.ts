import type { PimEntity } from '../../adapters/extractors/pim-listing';
import type { extractors } from '../../adapters';
import type { operators } from '../../core/operators';
import { createPipelineBuilder, type PipelineBuilder } from '../../core/pipeline/builder';
import type { PipelineSource } from '../../core/pipeline/definition';
import { LOOKUP } from '../../core/schema/seed-mode';
import type { rules } from '../../core/rules';
import type { triggers } from '../../core/triggers';
import type { JsonObject } from '../../core/value/json';
import { USUAL_MAPPING } from './mapping';
import type { pimOperators } from './operators';
import type { PimOptions } from './options';
import { queryFor, responseFieldFor } from './queries';

/** What the pipelines are built of; loads belong to the shop, and are checked when it starts. */
interface PimCatalogue {
    readonly triggers: typeof triggers;
    readonly operators: readonly [...typeof operators, ...typeof pimOperators];
    readonly extractors: typeof extractors;
    readonly loaders: readonly never[];
    readonly rules: typeof rules;
}

/** The key of the trigger of both pipelines that take webhooks, and the code of the first. */
const WEBHOOK = 'pim-product-sync';

const SVG = 'image/svg+xml';

/** The pipelines that the options ask for: extract, validate, transform, delta filter, load. */
export function pimPipelines(options: PimOptions): readonly PipelineSource[] {
    const { productSync, categorySync, assetSync } = options.pipelines;
    return [
        ...(productSync.enabled ? [productPipeline(options)] : []),
        ...(categorySync.enabled ? [categoryPipeline(options)] : []),
        ...(assetSync.enabled ? [assetPipeline(options)] : []),
    ];
}

function productPipeline(options: PimOptions): PipelineSource {
    const { sync, mapping, pipelines, defaultLanguage } = options;
    const { name, schedule, syncVariants } = pipelines.productSync;
    const { variantsField = USUAL_MAPPING.product.variantsField } = mapping.product;
    const { missing, includeVariants, includeUnpublished } = sync;
    const operator = {
        ...mapping.product,
        variantsField,
        defaultLanguage,
        includeVariants,
        syncVariants,
        includeUnpublished,
        missing,
    };
    return started(options, { code: WEBHOOK, name, schedule, hasWebhook: true })
        .description('Products and variants of the PIM.')
        .extract('extract', extractOf('product', options, sync.pathFilter))
        .validate('validate', { rules: [{ type: 'required', spec: { field: 'id' } }] })
        .transform('transform', [{ op: 'pimProduct', args: operator }])
        .transform('delta-filter', afterwards(options, ['pimId']))
        .load('load', {
            adapterCode: 'productUpsert',
            // The PIM may know a product before it has a price.
            missingPrice: 'DISABLE',
            matchBy: syncVariants ? 'sku' : 'slug',
            // A picture that the PIM has lost keeps no product out.
            ...(mapping.product.assetsField !== null && { onPictureError: 'SKIP' }),
            missing: missingOf(options),
        })
        .build();
}

function categoryPipeline(options: PimOptions): PipelineSource {
    const { sync, mapping, pipelines, defaultLanguage } = options;
    const { schedule, rootPath } = pipelines.categorySync;
    const { missing } = sync;
    const under = rootPath ?? sync.pathFilter;
    const operator = { ...mapping.category, defaultLanguage, missing, ...(under !== undefined && { rootPath: under }) };
    return started(options, { code: 'pim-category-sync', name: 'PIM Category Sync', schedule, hasWebhook: true })
        .description('Categories of the PIM, as collections.')
        .extract('extract', extractOf('category', options, under))
        .validate('validate', { rules: [{ type: 'required', spec: { field: 'id' } }] })
        .transform('transform', [{ op: 'pimCategory', args: operator }])
        .transform('delta-filter', afterwards(options, ['pimId']))
        .load('load', { adapterCode: 'collectionUpsert', createMissingParents: true, missing: missingOf(options) })
        .build();
}

function assetPipeline(options: PimOptions): PipelineSource {
    const { mapping, pipelines } = options;
    const { schedule, folderPath, mimeTypes } = pipelines.assetSync;
    const required = [...new Set(['id', mapping.asset.urlField])].map(field => ({
        type: 'required' as const,
        spec: { field },
    }));
    return started(options, { code: 'pim-asset-sync', name: 'PIM Asset Sync', schedule, hasWebhook: false })
        .description('Pictures of the PIM, as assets.')
        .extract('extract', extractOf('asset', options, folderPath))
        .validate('validate', { rules: required })
        .transform('transform', [
            { op: 'when', args: { conditions: [{ field: 'mimetype', cmp: 'in', value: mimeTypes }] } },
            { op: 'pimAsset', args: { ...mapping.asset, changedField: 'modificationDate' } },
        ])
        .transform('delta-filter', afterwards(options, ['pimId', 'pimChanged']))
        .load('load', {
            adapterCode: 'assetImport',
            // An option that lists the type allows such pictures.
            ...(mimeTypes.includes(SVG) && { pictureAllowSvg: true }),
        })
        .build();
}

interface Started {
    readonly code: string;
    readonly name: string;
    readonly schedule: string | undefined;
    readonly hasWebhook: boolean;
}

/** A pipeline with its triggers: webhook, schedule, and by hand. */
function started(
    { platformChannel, webhookSecretCode, sync }: PimOptions,
    { code, name, schedule, hasWebhook }: Started,
): PipelineBuilder<PimCatalogue> {
    const builder = createPipelineBuilder<PimCatalogue>()(code).name(name).throughput({ batchSize: sync.batchSize });
    if (platformChannel !== undefined) builder.channel(platformChannel);
    if (hasWebhook)
        builder.trigger(WEBHOOK, {
            type: 'WEBHOOK',
            authentication: 'HMAC',
            secretCode: webhookSecretCode,
            hmacHeaderName: 'X-Flow-Signature',
            idempotencyKeyHeader: 'X-Idempotency-Key',
        });
    if (schedule !== undefined) builder.trigger('schedule', { type: 'SCHEDULE', cron: schedule });
    return builder.trigger('manual', { type: 'MANUAL' });
}

function extractOf(entityType: PimEntity, options: PimOptions, under: string | undefined) {
    const { connectionCode, timeoutMs, defaultLanguage, languages, sync } = options;
    const responseField = responseFieldFor(entityType, options);
    const query = queryFor(entityType, options);
    // A custom query may define its order and language itself.
    const declares = (variable: string): boolean => new RegExp(`\\$${variable}\\b`).test(query);
    const ofObjects = {
        includeUnpublished: sync.includeUnpublished,
        seedMode: LOOKUP,
        ...(declares('defaultLanguage') && { defaultLanguage }),
    } as const;
    return {
        adapterCode: 'pimGraphQL' as const,
        connectionCode,
        entityType,
        query,
        ...(responseField !== undefined && { responseField }),
        ...(declares('sortBy') && { sortBy: entityType === 'category' ? 'fullpath' : 'id', sortOrder: 'ASC' as const }),
        first: sync.batchSize,
        maxPages: sync.maxPages,
        ...(under !== undefined && { filter: below(under) }),
        ...(languages && { languages }),
        ...(entityType !== 'asset' && ofObjects),
        timeoutMs,
    };
}

/** The path column of the PIM is that of the folder, with a trailing slash. */
function below(path: string): string {
    const folder = path.replace(/\/+$/, '').replace(/[\\%_]/g, '\\$&');
    return JSON.stringify({ path: { $like: `${folder}/%` } });
}

/** Leaves out unchanged records, and fields that the loader does not use. */
function afterwards({ sync }: PimOptions, own: readonly string[]) {
    const remove = own.map(path => ({ op: 'remove' as const, args: { path } }));
    return sync.deltaSync ? [{ op: 'deltaFilter' as const, args: { idPath: 'pimId' } }, ...remove] : remove;
}

function missingOf({ sync }: PimOptions): JsonObject {
    const { missing: action, missingMaxShare: maxShare } = sync;
    return action === 'NONE' ? { action } : { action, maxShare };
}
