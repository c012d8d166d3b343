import { show } from '../../core/value/show';
import type { Change, StatementProgram } from '../../core/adapter/loader';
import { findFreeSlug, moveSlug, requestSlugLater } from '../entities/slugs';
import { forgetProduct } from './delete-catalogue';
import { touchProduct } from './catalogue';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredProduct } from './desired';
import { Diff } from '../entities/diff';
import type { RecordIssues } from '../entities/record-issues';
import {
    ambiguity,
    givenSlug,
    hasFreeSlug,
    productKey,
    type ProductRules,
    productsMeant,
    slugRequestOfName,
} from './match-products';
import { planChannels } from './plan-channels';
import { requireCustom, setCustom } from '../entities/plan-custom';
import { OptionsDraft } from './plan-options';
import { facetValuesIn, assetsOf, setFacetValues } from './plan-facets';
import { commitProgram, type CommitProgram, inSequence } from './plan-rules';
import { planVariant } from './plan-variant';
import { slugOf } from '../entities/slug';
import { Columns, Members } from '../entities/columns';
import { newEntity } from '../entities/new-entity';
import { newEntitiesIn } from '../entities/write-entities';
import { product as products } from '../entity-descriptions/product';
import type { OptionState, ProductState } from '../entity-descriptions/product-state';
import type { UnitOfWork } from '../entities/unit-of-work';
import { variant as variants } from '../entity-descriptions/variant';

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
    readonly faults: RecordIssues;
    readonly diff: Diff;
}

/** Decides about one product record and, unless it has an error, plans its changes. */
export function* planProduct(
    rules: ProductRules,
    desired: DesiredProduct,
    issues: RecordIssues,
): StatementProgram<Change> {
    const { work, strategy, matchBy } = rules;
    const key = productKey(desired, matchBy);
    if (key === undefined) {
        issues.add(
            matchBy === 'slug' ? desired.names.slug : keyField(desired, matchBy),
            matchBy === 'slug'
                ? 'is missing, and so is the name; products are matched by one of them'
                : 'is missing; products are matched by the SKU of their first variant',
        );
        return { action: 'reject', key: undefined, error: issues.error() };
    }
    const found = productsMeant(rules, desired);
    const [existing] = found;
    const problem = ambiguity(rules, desired, found);
    if (problem !== undefined) {
        issues.add(keyField(desired, matchBy), `is ${show(key)}; ${problem}`, key);
        return { action: 'reject', key, error: issues.error() };
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
        issues.add(keyField(desired, matchBy), `${show(key)} exists already, and the strategy is CREATE`, key);
    if (!existing && strategy === 'UPDATE')
        issues.add(
            keyField(desired, matchBy),
            `no product has the ${matchBy === 'slug' && desired.slug === undefined ? 'name' : matchBy} ${show(key)}, and the strategy is UPDATE`,
            key,
        );
    const product = existing ?? newProduct(rules);
    const plan: ProductPlan = { desired, existing, product, faults: issues, diff: new Diff() };
    const { moveProduct, moveVariants } = planChannels(rules, plan);
    const commits = [
        ...(yield* planTexts(rules, plan)),
        planOwn(rules, plan),
        moveProduct,
        ...planVariants(rules, plan),
        moveVariants,
    ];
    if (issues.count > 0) return { action: 'reject', key, error: issues.error() };
    yield* inSequence(commits);
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
    product.channels = newEntitiesIn([reference.channel.id, reference.defaultChannel.id]);
    product.setMembers('facetValues', new Members([]));
    product.groups = [];
    product.combinations = new Map();
    return product;
}

/** Names, slugs and descriptions; each language that is new to the product needs a name. */
function* planTexts(rules: ProductRules, plan: ProductPlan): StatementProgram<readonly CommitProgram[]> {
    const { desired, existing, product, faults: issues } = plan;
    const { names } = desired;
    const { catalogue, matchBy } = rules;
    const { language: own } = catalogue.reference;
    const commits: CommitProgram[] = [];
    if (!existing && !desired.texts.has(own)) issues.add(names.name, 'is missing; a new product needs one');
    for (const [language, texts] of desired.texts) {
        const prefix = language === own ? '' : `translations.${language}.`;
        const path = (field: 'name' | 'slug' | 'customFields'): string =>
            language === own ? names[field] : `${names.translations}.${language}.${names[field]}`;
        const stored = product.texts.get(language);
        const { name, slug: given } = texts.values;
        if (!stored && name === undefined)
            issues.add(path('name'), `is missing; ${existing ? 'a new translation' : 'a new product'} needs one`);
        if (!stored)
            requireCustom(catalogue.products.custom.localised, texts.custom, {
                faults: issues,
                path: path('customFields'),
            });
        const before = stored?.columns.get('slug');
        const requested = given ?? (stored ? undefined : (name ?? ''));
        const made = requested === undefined || requested === before ? undefined : slugOf(requested);
        const wanted = made === before ? undefined : made;
        if (wanted === '' || wanted === '-') issues.add(path('slug'), 'is missing, and none can be made of the name');
        const isKey = matchBy === 'slug' && language === own && (given !== undefined || hasFreeSlug(rules, desired));
        const request = { language, slug: wanted ?? '', token: product.token };
        const slug =
            wanted === undefined || isKey || issues.count > 0
                ? wanted
                : yield* findFreeSlug(
                      catalogue.products,
                      rules.work,
                      language === own && given === undefined ? slugRequestOfName(rules, desired, request) : request,
                  );
        commits.push(commitProgram(() => setTexts(rules, plan, { language, prefix, texts, slug, wanted })));
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
    { language, prefix, texts, slug, wanted: desired }: TextChange,
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
    if (slug !== desired && desired !== undefined && texts.values['slug'] !== undefined) {
        const { products: store } = catalogue;
        requestSlugLater(work, { store, state: product, language, slug: desired, diff, path: `${prefix}slug` });
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
function planOwn(rules: ProductRules, plan: ProductPlan): CommitProgram {
    const { desired, existing, product, faults: issues, diff } = plan;
    const { catalogue, work, strategy, modes } = rules;
    const facetValues = facetValuesIn(rules, desired, issues);
    const gallery = assetsOf(rules, desired, issues);
    if (!existing)
        requireCustom(catalogue.products.custom.base, desired.custom, {
            faults: issues,
            path: desired.names.customFields,
        });
    return commitProgram(() => {
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

function planVariants(
    rules: ProductRules,
    { desired, product, faults: issues, diff }: ProductPlan,
): readonly CommitProgram[] {
    const draft = product.groups ? new OptionsDraft(product, issues) : undefined;
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
            faults: issues,
            diff,
            prefix: variant.isFlat ? '' : `variants.${variant.sku}.`,
            productTexts: desired.texts,
        }),
    );
    const commitDraft = commitProgram(() => {
        const removal = draft?.removal;
        if (removal) diff.add('optionGroups', removal.before, removal.after);
        else if (draft && draft.newGroupNames.length > 0) diff.add('optionGroups', null, draft.newGroupNames);
        if (removal || draft?.addsGroups === true) touchProduct(rules.work, product);
        if (removal) leaveOptions(rules.work, product, draft!.removedOptions);
        draft?.commit();
    });
    return [commitDraft, ...commits];
}
