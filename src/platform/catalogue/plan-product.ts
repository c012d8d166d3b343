import { show } from '../../core/value/show';
import type { Change, Script } from '../../core/adapter/loader';
import { freeSlug, moveSlug, wishSlug } from '../entities/slugs';
import { forgetProduct } from './delete-catalogue';
import { touchProduct } from './catalogue';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredProduct } from './desired';
import { Diff } from '../entities/diff';
import type { Faults } from '../entities/faults';
import {
    ambiguity,
    givenSlug,
    hasFreeSlug,
    productKey,
    type ProductRules,
    productsMeant,
    madeOfName,
} from './match-products';
import { planChannels } from './plan-channels';
import { requireCustom, setCustom } from '../entities/plan-custom';
import { OptionsDraft } from './plan-options';
import { facetValuesIn, galleryOf, setFacetValues } from './plan-facets';
import { commitScript, type CommitScript, inOrder } from './plan-rules';
import { planVariant } from './plan-variant';
import { slugOf } from '../entities/slug';
import { Columns, Members } from '../entities/columns';
import { newEntity } from '../entities/new-entity';
import { newIn } from '../entities/write-entities';
import { product as products } from '../described/product';
import type { OptionState, ProductState } from '../described/product-state';
import type { UnitOfWork } from '../entities/unit-of-work';
import { variant as variants } from '../described/variant';

/** The path of the key in the record that identifies its product. */
function keyField({ names, slug, variants }: DesiredProduct, matchBy: 'slug' | 'sku'): string {
    const [first] = variants ?? [];
    if (matchBy === 'slug') return slug === undefined ? names.name : names.slug;
    return first ? first.path + first.names.sku : names.sku;
}

interface ProductPlan {
    readonly desired: DesiredProduct;
    readonly existing: ProductState | undefined;
    readonly product: ProductState;
    readonly faults: Faults;
    readonly diff: Diff;
}

/** Decides about one product record and, unless it has an error, plans its changes. */
export function* planProduct(rules: ProductRules, desired: DesiredProduct, faults: Faults): Script<Change> {
    const { work, strategy, matchBy } = rules;
    const key = productKey(desired, matchBy);
    if (key === undefined) {
        faults.add(
            matchBy === 'slug' ? desired.names.slug : keyField(desired, matchBy),
            matchBy === 'slug'
                ? 'is missing, and so is the name; products are matched by one of them'
                : 'is missing; products are matched by the SKU of their first variant',
        );
        return { action: 'reject', key: undefined, error: faults.error() };
    }
    const found = productsMeant(rules, desired);
    const [existing] = found;
    const problem = ambiguity(rules, desired, found);
    if (problem !== undefined) {
        faults.add(keyField(desired, matchBy), `is ${show(key)}; ${problem}`, key);
        return { action: 'reject', key, error: faults.error() };
    }
    if (desired.isDelete) {
        if (!existing) return { action: 'unchanged', key };
        const gone = toldKey(rules, desired, existing);
        forgetProduct(work, rules.catalogue.products, existing);
        work.of(products).remove(existing);
        const { language } = rules.catalogue.reference;
        return {
            action: 'delete',
            key: gone,
            before: { name: existing.text(language, 'name') ?? null, slug: existing.text(language, 'slug') ?? null },
        };
    }
    if (existing && strategy === 'CREATE')
        faults.add(keyField(desired, matchBy), `${show(key)} exists already, and the strategy is CREATE`, key);
    if (!existing && strategy === 'UPDATE')
        faults.add(
            keyField(desired, matchBy),
            `no product has the ${matchBy === 'slug' && desired.slug === undefined ? 'name' : matchBy} ${show(key)}, and the strategy is UPDATE`,
            key,
        );
    const product = existing ?? newProduct(rules);
    const plan: ProductPlan = { desired, existing, product, faults, diff: new Diff() };
    const { moveProduct, moveVariants } = planChannels(rules, plan);
    const commits = [
        ...(yield* planTexts(rules, plan)),
        planOwn(rules, plan),
        moveProduct,
        ...planVariants(rules, plan),
        moveVariants,
    ];
    if (faults.count > 0) return { action: 'reject', key, error: faults.error() };
    yield* inOrder(commits);
    if (!existing) work.of(products).addNew(product, product.key);
    const given = givenSlug(rules, desired);
    if (given) rules.spelt?.add(given);
    return plan.diff.change(toldKey(rules, desired, product), !existing);
}

/** The key in the report of a change: that of its record, else the product's slug. */
function toldKey({ matchBy }: ProductRules, desired: DesiredProduct, product: ProductState): string {
    return matchBy === 'slug' && desired.slug === undefined ? product.key : productKey(desired, matchBy)!;
}

/** One of the run's channel, without texts. */
export function newProduct({ catalogue: { reference } }: Pick<ProductRules, 'catalogue'>): ProductState {
    const product = newEntity(products, '');
    product.columns.values['featuredAssetId'] = null;
    product.channels = newIn([reference.channel.id, reference.defaultChannel.id]);
    product.setMembers('facetValues', new Members([]));
    product.groups = [];
    product.combinations = new Map();
    return product;
}

/** Names, slugs and descriptions; each language that is new to the product needs a name. */
function* planTexts(rules: ProductRules, plan: ProductPlan): Script<readonly CommitScript[]> {
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
        const before = stored?.columns.get('slug');
        const asked = given ?? (stored ? undefined : (name ?? ''));
        const made = asked === undefined || asked === before ? undefined : slugOf(asked);
        const wanted = made === before ? undefined : made;
        if (wanted === '' || wanted === '-') faults.add(path('slug'), 'is missing, and none can be made of the name');
        const isKey = matchBy === 'slug' && language === own && (given !== undefined || hasFreeSlug(rules, desired));
        const request = { language, slug: wanted ?? '', token: product.token };
        const slug =
            wanted === undefined || isKey || faults.count > 0
                ? wanted
                : yield* freeSlug(
                      catalogue.products,
                      rules.work,
                      language === own && given === undefined ? madeOfName(rules, desired, request) : request,
                  );
        commits.push(commitScript(() => setTexts(rules, plan, { language, prefix, texts, slug, wanted })));
    }
    return commits;
}

interface TextChange {
    readonly language: string;
    readonly prefix: string;
    readonly texts: DesiredTexts;
    readonly slug: string | undefined;
    /** The slug that the record requests, which another product may have. */
    readonly wanted: string | undefined;
}

function setTexts(
    { catalogue, work, strategy }: ProductRules,
    { product, diff }: ProductPlan,
    { language, prefix, texts, slug, wanted }: TextChange,
): void {
    const had = diff.size;
    let stored = product.texts.get(language);
    if (!stored)
        product.setText(
            language,
            (stored = { id: undefined, columns: new Columns({ name: null, slug: null, description: '' }) }),
        );
    const { columns } = stored;
    const { name, description } = texts.values;
    if (name !== undefined) diff.set(columns, 'name', { path: `${prefix}name`, value: name });
    const before = (columns.get('slug') ?? undefined) as string | undefined;
    if (slug !== undefined && diff.set(columns, 'slug', { path: `${prefix}slug`, value: slug }))
        moveSlug(work, catalogue.products, { state: product, language, from: before, to: slug });
    if (slug !== wanted && wanted !== undefined && texts.values['slug'] !== undefined) {
        const { products: store } = catalogue;
        wishSlug(work, { store, state: product, language, slug: wanted, diff, path: `${prefix}slug` });
    }
    if (description !== undefined)
        diff.set(columns, 'description', { path: `${prefix}description`, value: description });
    setCustom(diff, columns, {
        fields: catalogue.products.custom,
        values: texts.custom,
        path: `${prefix}customFields`,
        isMerge: strategy === 'MERGE',
    });
    if (diff.size > had) {
        touchProduct(work, product);
        work.of(products).nameChanged(product);
    }
}

/** Plans the product's own row and its facet values. */
function planOwn(rules: ProductRules, plan: ProductPlan): CommitScript {
    const { desired, existing, product, faults, diff } = plan;
    const { catalogue, work, strategy, modes } = rules;
    const facetValues = facetValuesIn(rules, desired, faults);
    const gallery = galleryOf(rules, desired, faults);
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
                mode: modes.facetValues,
            });
        catalogue.galleries?.assign(product, { work, resolved: gallery, diff });
        if (diff.size > had) touchProduct(work, product);
    });
}

/** Removes the options of removed groups from the loaded variants of a product. */
function leaveOptions(work: UnitOfWork, product: ProductState, gone: ReadonlySet<OptionState>): void {
    for (const variant of work.of(variants).ownedBy(product))
        if (variant.options) variant.options = variant.options.filter(option => !gone.has(option));
}

function planVariants(rules: ProductRules, { desired, product, faults, diff }: ProductPlan): readonly CommitScript[] {
    const draft = product.groups ? new OptionsDraft(product, faults) : undefined;
    const listed = desired.variants ?? [];
    const { optionGroups: named } = desired;
    // null empties the list, which is joined otherwise.
    const mode = rules.modes.optionGroups ?? (named === null ? 'REPLACE' : 'MERGE');
    draft?.leave(listed);
    if (named !== undefined) draft?.name(named ?? [], desired.names.optionGroups, mode);
    for (const variant of listed) if (!variant.isDelete) draft?.choose(variant);
    draft?.checkRemoved(listed, desired.names.optionGroups);
    draft?.move(listed);
    const commits = listed.map(variant =>
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
        const removal = draft?.removal;
        if (removal) diff.add('optionGroups', removal.before, removal.after);
        else if (draft && draft.newGroupNames.length > 0) diff.add('optionGroups', null, draft.newGroupNames);
        if (removal || draft?.addsGroups === true) touchProduct(rules.work, product);
        if (removal) leaveOptions(rules.work, product, draft!.removedOptions);
        draft?.commit();
    });
    return [commitDraft, ...commits];
}
