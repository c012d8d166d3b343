import { show } from '../../core/value/show';
import type { Change, Script } from '../../core/adapter/loader';
import { resolveFacetValues } from './facet-values';
import { freeSlug, moveSlug } from './slugs';
import { productOf, productWith, touchProduct, variantOf } from './catalogue';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredProduct } from './desired';
import { Diff } from '../entities/diff';
import type { Faults } from '../entities/faults';
import { planChannels } from './plan-channels';
import { requireCustom, setCustom } from '../entities/plan-custom';
import { setFacetValues } from './plan-facets';
import { OptionsDraft } from './plan-options';
import { commitScript, type CommitScript, facetRules, type PlanRules, planVariant } from './plan-variant';
import { slugOf } from '../entities/slug';
import { Columns, Members } from '../entities/columns';
import { newEntity } from '../entities/new-entity';
import { newIn } from '../entities/write-entities';
import { product as products } from '../described/product';
import type { ProductState } from '../described/product-state';
import { variant as variants } from '../described/variant';

export interface ProductRules extends PlanRules {
    readonly matchBy: 'slug' | 'sku';
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

export function findProduct({ work, matchBy }: ProductRules, desired: DesiredProduct): ProductState | undefined {
    const key = productKey(desired, matchBy);
    if (key === undefined) return undefined;
    if (matchBy === 'slug') return productWith(work, key);
    const variant = variantOf(work, key);
    return variant && productOf(work, variant);
}

interface ProductPlan {
    readonly desired: DesiredProduct;
    readonly existing: ProductState | undefined;
    readonly product: ProductState;
    readonly faults: Faults;
    readonly diff: Diff;
}

/** Decides about one product record and, unless something is wrong with it, plans what it asks. */
export function* planProduct(rules: ProductRules, desired: DesiredProduct, faults: Faults): Script<Change> {
    const { work, strategy, matchBy } = rules;
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
        removeProduct(rules, existing);
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
    if (!existing) work.of(products).addNew(product, product.key);
    return plan.diff.change(key, !existing);
}

function newProduct({ catalogue: { reference } }: ProductRules): ProductState {
    const product = newEntity(products, '');
    product.channels = newIn([reference.channel.id, reference.defaultChannel.id]);
    product.members.set('facetValues', new Members([]));
    product.groups = [];
    product.combinations = new Map();
    return product;
}

/** Removes a product with its slugs and those of its variants that are at hand. */
function removeProduct({ work, catalogue: { reference } }: ProductRules, product: ProductState): void {
    for (const [language, { columns }] of product.texts)
        moveSlug(work, reference, {
            state: product,
            language,
            from: columns.values['slug'] as string | undefined,
            to: undefined,
        });
    for (const variant of work.of(variants).ownedBy(product)) work.of(variants).remove(variant);
    work.of(products).remove(product);
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
        const { name, slug: given } = texts.values;
        if (!stored && name === undefined)
            faults.add(path('name'), `is missing; ${existing ? 'a new translation' : 'a new product'} needs one`);
        if (!stored)
            requireCustom(catalogue.products.custom.localised, texts.custom, { faults, path: path('customFields') });
        const asked = given ?? (stored ? undefined : slugOf(name ?? ''));
        const wanted = asked === stored?.columns.get('slug') ? undefined : asked;
        if (wanted === '') faults.add(path('slug'), 'is missing, and none can be made of the name');
        const isKey = matchBy === 'slug' && language === own;
        const slug =
            wanted === undefined || isKey || faults.count > 0
                ? wanted
                : yield* freeSlug(catalogue, rules.work, { language, slug: wanted, token: product.token });
        commits.push(commitScript(() => setTexts(rules, plan, { language, prefix, texts, slug })));
    }
    return () => inOrder(commits);
}

interface TextChange {
    readonly language: string;
    readonly prefix: string;
    readonly texts: DesiredTexts;
    readonly slug: string | undefined;
}

function setTexts(
    { catalogue, work, strategy }: ProductRules,
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
    const { name, description } = texts.values;
    if (name !== undefined) diff.set(columns, 'name', { path: `${prefix}name`, value: name });
    const before = (columns.get('slug') ?? undefined) as string | undefined;
    if (slug !== undefined && diff.set(columns, 'slug', { path: `${prefix}slug`, value: slug }))
        moveSlug(work, catalogue.reference, { state: product, language, from: before, to: slug });
    if (description !== undefined)
        diff.set(columns, 'description', { path: `${prefix}description`, value: description });
    setCustom(diff, columns, {
        fields: catalogue.products.custom,
        values: texts.custom,
        path: `${prefix}customFields`,
        isMerge: strategy === 'MERGE',
    });
    if (diff.size > had) touchProduct(work, product);
}

/** What stands in the product's own row, and its facet values. */
function planOwn(rules: ProductRules, plan: ProductPlan): CommitScript {
    const { desired, existing, product, faults, diff } = plan;
    const { catalogue, work, strategy } = rules;
    const facetValues = desired.facetValues && resolveFacetValues(work, desired.facetValues, facetRules(rules, faults));
    if (!existing)
        requireCustom(catalogue.products.custom.base, desired.custom, { faults, path: desired.names.customFields });
    return commitScript(() => {
        const had = diff.size;
        if (desired.enabled !== undefined)
            diff.set(product.columns, 'enabled', { path: 'enabled', value: desired.enabled });
        setCustom(diff, product.columns, {
            fields: catalogue.products.custom,
            values: desired.custom,
            path: 'customFields',
            isMerge: strategy === 'MERGE',
        });
        if (facetValues)
            setFacetValues(diff, product, {
                work,
                values: facetValues,
                path: 'facetValues',
                isMerge: strategy === 'MERGE',
            });
        if (diff.size > had) touchProduct(work, product);
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
        if (draft && draft.newGroupNames.length > 0) {
            diff.add('optionGroups', null, draft.newGroupNames);
            touchProduct(rules.work, product);
        }
        draft?.commit();
    });
    return [commitDraft, ...commits];
}
