import { show } from '../../core/value/show';
import type { Change, Script } from '../../core/adapter/loader';
import { resolveFacetValues } from './facet-values';
import { freeSlug } from './slugs';
import type { DesiredProduct, DesiredProductTexts } from './desired';
import { Diff } from '../entities/diff';
import type { Faults } from '../entities/faults';
import { planChannels } from './plan-channels';
import { requireCustom, setCustom } from '../entities/plan-custom';
import { setFacetValues } from './plan-facets';
import { OptionsDraft } from './plan-options';
import { commitScript, type CommitScript, type PlanRules, planVariant } from './plan-variant';
import { slugOf } from '../entities/slug';
import { Columns, Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import { ProductState } from './state';
import type { Id } from '../../database/write';

export interface ProductRules extends PlanRules {
    readonly matchBy: 'slug' | 'sku';
    readonly isDryRun: boolean;
}

/** The key that finds a record's product; undefined when it has none. */
export function productKey(desired: DesiredProduct, matchBy: 'slug' | 'sku'): string | undefined {
    return matchBy === 'slug' ? desired.slug : desired.variants?.[0]?.sku;
}

/** Where that key stands in the record. */
function keyField({ names, variants }: DesiredProduct, matchBy: 'slug' | 'sku'): string {
    const [first] = variants ?? [];
    if (matchBy === 'slug') return names.slug;
    return first ? first.path + first.names.sku : names.sku;
}

export function findProduct({ world, matchBy }: ProductRules, desired: DesiredProduct): ProductState | undefined {
    const key = productKey(desired, matchBy);
    if (key === undefined) return undefined;
    if (matchBy === 'slug') return world.bySlug.get(key);
    const variant = world.bySku.get(key);
    return variant && world.productOf(variant);
}

interface ProductPlan {
    readonly desired: DesiredProduct;
    readonly existing: ProductState | undefined;
    readonly product: ProductState;
    readonly faults: Faults;
    readonly diff: Diff;
}

/** Decides about one product record and, unless something is wrong with it, changes the world as it asks. */
export function* planProduct(rules: ProductRules, desired: DesiredProduct, faults: Faults): Script<Change> {
    const { world, strategy, matchBy } = rules;
    const key = productKey(desired, matchBy);
    if (key === undefined) {
        faults.add(
            keyField(desired, matchBy),
            matchBy === 'slug'
                ? 'is missing, and no slug can be made of the name; products are matched by it'
                : 'is missing; products are matched by the SKU of their first variant',
        );
        return { action: 'reject', key: undefined, error: faults.error() };
    }
    const existing = findProduct(rules, desired);
    if (desired.isDelete) {
        if (!existing) return { action: 'unchanged', key };
        world.forgetProduct(existing);
        const { language } = rules.catalogue.reference;
        return {
            action: 'delete',
            key,
            before: { name: existing.text(language, 'name') ?? null, slug: existing.text(language, 'slug') ?? null },
        };
    }
    if (existing && strategy === 'CREATE')
        faults.add(keyField(desired, matchBy), `${show(key)} exists already, and the strategy is CREATE`, key);
    if (!existing && strategy === 'UPDATE')
        faults.add(
            keyField(desired, matchBy),
            `no product has the ${matchBy} ${show(key)}, and the strategy is UPDATE`,
            key,
        );
    const product = existing ?? newProduct(rules);
    const plan: ProductPlan = { desired, existing, product, faults, diff: new Diff() };
    const { moveProduct, moveVariants } = planChannels(rules, plan);
    const commits = [
        yield* planTexts(rules, plan),
        planOwn(rules, plan),
        moveProduct,
        ...planVariants(rules, plan),
        moveVariants,
    ];
    if (faults.count > 0) return { action: 'reject', key, error: faults.error() };
    yield* inOrder(commits);
    if (!existing) world.addProduct(product);
    return plan.diff.change(key, !existing);
}

function newProduct({ catalogue: { reference } }: ProductRules): ProductState {
    const product = new ProductState(undefined, new Columns({ enabled: true }));
    product.channels = new Members<Id>([]);
    product.channels.replace([reference.channel.id, reference.defaultChannel.id]);
    product.facetValues = new Members<EntityState>([]);
    product.groups = [];
    product.combinations = new Map();
    return product;
}

function* inOrder(commits: readonly CommitScript[]): Script<void> {
    for (const commit of commits) yield* commit();
}

/** Names, slugs and descriptions; each language that is new to the product needs a name. */
function* planTexts(rules: ProductRules, plan: ProductPlan): Script<CommitScript> {
    const { desired, existing, product, faults } = plan;
    const { names } = desired;
    const { catalogue, matchBy } = rules;
    const { language: own } = catalogue.reference;
    const commits: CommitScript[] = [];
    if (!existing && !desired.texts.has(own)) faults.add(names.name, 'is missing; a new product needs one');
    for (const [language, texts] of desired.texts) {
        const prefix = language === own ? '' : `translations.${language}.`;
        const path = (field: 'name' | 'slug' | 'customFields'): string =>
            language === own ? names[field] : `${names.translations}.${language}.${names[field]}`;
        const stored = product.texts.get(language);
        if (!stored && texts.name === undefined)
            faults.add(path('name'), `is missing; ${existing ? 'a new translation' : 'a new product'} needs one`);
        if (!stored)
            requireCustom(catalogue.productFields.localised, texts.custom, { faults, path: path('customFields') });
        const asked = texts.slug ?? (stored ? undefined : slugOf(texts.name ?? ''));
        const wanted = asked === stored?.columns.get('slug') ? undefined : asked;
        if (wanted === '') faults.add(path('slug'), 'is missing, and none can be made of the name');
        const isKey = matchBy === 'slug' && language === own;
        const slug =
            wanted === undefined || isKey || faults.count > 0
                ? wanted
                : yield* freeSlug(catalogue, rules.world, { language, slug: wanted, token: product.token });
        commits.push(commitScript(() => setTexts(rules, plan, { language, prefix, texts, slug })));
    }
    return () => inOrder(commits);
}

interface TextChange {
    readonly language: string;
    readonly prefix: string;
    readonly texts: DesiredProductTexts;
    readonly slug: string | undefined;
}

function setTexts(
    { catalogue, world, strategy }: ProductRules,
    { product, diff }: ProductPlan,
    { language, prefix, texts, slug }: TextChange,
): void {
    const had = diff.size;
    let stored = product.texts.get(language);
    if (!stored)
        product.texts.set(
            language,
            (stored = { id: undefined, columns: new Columns({ name: null, slug: null, description: '' }) }),
        );
    const { columns } = stored;
    if (texts.name !== undefined) diff.set(columns, 'name', { path: `${prefix}name`, value: texts.name });
    const before = (columns.get('slug') ?? undefined) as string | undefined;
    if (slug !== undefined && diff.set(columns, 'slug', { path: `${prefix}slug`, value: slug }))
        world.moveSlug(product, language, { from: before, to: slug });
    if (texts.description !== undefined)
        diff.set(columns, 'description', { path: `${prefix}description`, value: texts.description });
    setCustom(diff, columns, {
        fields: catalogue.productFields,
        values: texts.custom,
        path: `${prefix}customFields`,
        isMerge: strategy === 'MERGE',
    });
    if (diff.size > had) product.isTouched = true;
}

/** What stands in the product's own row, and its facet values. */
function planOwn(rules: ProductRules, plan: ProductPlan): CommitScript {
    const { desired, existing, product, faults, diff } = plan;
    const { catalogue, world, strategy } = rules;
    const facetValues =
        desired.facetValues &&
        resolveFacetValues(world, desired.facetValues, {
            createsMissing: rules.createsFacetValues,
            channelCode: catalogue.reference.channel.code,
            faults,
        });
    if (!existing)
        requireCustom(catalogue.productFields.base, desired.custom, { faults, path: desired.names.customFields });
    return commitScript(() => {
        const had = diff.size;
        if (desired.enabled !== undefined)
            diff.set(product.columns, 'enabled', { path: 'enabled', value: desired.enabled });
        setCustom(diff, product.columns, {
            fields: catalogue.productFields,
            values: desired.custom,
            path: 'customFields',
            isMerge: strategy === 'MERGE',
        });
        if (facetValues)
            setFacetValues(diff, product, {
                world,
                values: facetValues,
                path: 'facetValues',
                isMerge: strategy === 'MERGE',
            });
        if (diff.size > had) product.isTouched = true;
    });
}

function planVariants(rules: ProductRules, { desired, product, faults, diff }: ProductPlan): readonly CommitScript[] {
    const draft = product.groups ? new OptionsDraft(product, faults) : undefined;
    for (const text of desired.optionGroups ?? []) draft?.group(text, desired.names.optionGroups);
    for (const variant of desired.variants ?? []) if (!variant.isDelete) draft?.choose(variant);
    const commits = (desired.variants ?? []).map(variant =>
        planVariant(rules, {
            desired: variant,
            product,
            draft,
            faults,
            diff,
            prefix: variant.isFlat ? '' : `variants.${variant.sku}.`,
            productTexts: desired.texts,
        }),
    );
    const commitDraft = commitScript(() => {
        if (draft && draft.newGroupNames.length > 0) diff.add('optionGroups', null, draft.newGroupNames);
        draft?.commit();
    });
    return [commitDraft, ...commits];
}
