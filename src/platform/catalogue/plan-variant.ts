import type { StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import type { JsonValue } from '../../core/value/json';
import type { ChannelFacts } from '../lookup/reference';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredVariant } from './desired';
import type { Diff } from '../entities/diff';
import type { RecordIssues } from '../entities/record-issues';
import type { ResolvedAssets } from '../entity-assets/entity-asset-sets';
import { requireCustom, setCustom } from '../entities/plan-custom';
import { facetValuesIn, assetsOf, setFacetValues } from './plan-facets';
import { gainsPrice, missingPriceNote, hasNoPrice, mustStayDisabled, requirePrice } from './missing-price';
import { type CommitProgram, commitProgram, type PlanRules } from './plan-rules';
import type { OptionsDraft } from './plan-options';
import { assignToChannel, setPrices, setStock } from './plan-stock-and-prices';
import { ensureStock, levelsProblem, thresholdOf } from './stock';
import { type CatalogueContext, productOf, touchVariant, variantOf } from './catalogue';
import { forgetVariant } from './delete-catalogue';
import { Columns, Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import { newEntity } from '../entities/new-entity';
import { newEntitiesIn } from '../entities/write-entities';
import type { ProductState } from '../entity-descriptions/product-state';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';

const nothing = commitProgram(() => undefined);

/** A record that is being planned. `commit` runs only if the record has no error. */
interface VariantPlan {
    readonly desired: DesiredVariant;
    readonly product: ProductState;
    readonly draft: OptionsDraft | undefined;
    readonly faults: RecordIssues;
    readonly diff: Diff;
    /** How differences name the variant's fields. */
    readonly prefix: string;
    /** The product's texts in the same record: a variant that is called like its product stays called like it. */
    readonly productTexts: ReadonlyMap<string, DesiredTexts>;
}

/** Checks the changes of a record to one variant; the returned function plans them. */
export function planVariant(rules: PlanRules, plan: VariantPlan): CommitProgram {
    const { desired, product, faults: issues, draft } = plan;
    const { work, strategy } = rules;
    const existing = variantOf(work, desired.sku);
    if (existing && !existing.belongsTo(product)) {
        const owner = ownerOf(rules, existing);
        issues.add(desired.path + desired.names.sku, `${show(desired.sku)} belongs to ${owner}`, desired.sku);
        return nothing;
    }
    if (desired.isDelete) return existing ? commitProgram(() => removeVariant(rules, existing, plan)) : nothing;
    if (!existing && strategy === 'UPDATE')
        issues.add(
            desired.path + desired.names.sku,
            `no variant has the SKU ${show(desired.sku)}, and the strategy is UPDATE`,
            desired.sku,
        );
    const facetValues = facetValuesIn(rules, desired, issues);
    const gallery = assetsOf(rules, desired, issues);
    checkStock(rules, plan, existing);
    draft?.check(desired, { isNew: !existing });
    if (!existing && strategy !== 'UPDATE') requirePrice(rules, desired, issues);
    if (!existing)
        requireCustom(rules.catalogue.variants.custom.base, desired.custom, {
            faults: issues,
            path: desired.path + desired.names.customFields,
        });
    if (existing) {
        const renames = renamed(plan, existing);
        return () => updateVariant(rules, existing, { ...plan, facetValues, gallery, renames });
    }
    return () => createVariant(rules, { ...plan, facetValues, gallery });
}

/** The product of a variant, as far as the run's channel knows it. */
function ownerOf({ catalogue, work }: PlanRules, variant: VariantState): string {
    const { language } = catalogue.reference;
    const product = productOf(work, variant);
    const own = product?.text(language, 'slug') ?? [...(product?.texts.values() ?? [])][0]?.columns.get('slug');
    return typeof own === 'string' ? `another product, ${show(own)}` : "a product that the run's channel does not have";
}

export function removeVariant(
    { work }: PlanRules,
    variant: VariantState,
    { diff, prefix }: Pick<VariantPlan, 'diff' | 'prefix'>,
): void {
    work.of(variants).remove(variant);
    forgetVariant(work, variant);
    diff.add(`${prefix}sku`, variant.key, null);
}

/** Vendure rejects a level below the threshold at which a variant counts as sold out (ProductVariantService.update). */
function checkStock(
    { catalogue: { reference } }: PlanRules,
    { desired, faults: issues }: VariantPlan,
    existing: VariantState | undefined,
): void {
    const threshold = thresholdOf(reference, existing, desired.trackInventory);
    const problem = existing?.stock && levelsProblem(existing, desired.stock);
    if (problem !== undefined) issues.add(desired.path + desired.names.stock, problem);
    for (const { isPlain, quantity } of desired.stock) {
        if (isPlain && quantity !== null && quantity !== 0 && quantity < threshold)
            issues.add(
                desired.path + desired.names.stock,
                `is ${quantity}, below the out-of-stock threshold ${threshold}`,
                quantity,
            );
    }
}

/** New names by language that a variant takes from its product, since it was called like it. */
function renamed({ desired, product, productTexts }: VariantPlan, existing: VariantState): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    if (!desired.isFlat) return names;
    for (const [
        language,
        {
            values: { name },
        },
    ] of productTexts) {
        if (name === undefined) continue;
        const own = existing.texts.get(language)?.columns.get('name');
        const isAlike =
            own === undefined
                ? [...existing.texts].every(([other, text]) => text.columns.get('name') === product.text(other, 'name'))
                : own === product.text(language, 'name');
        if (isAlike) names.set(language, name);
    }
    return names;
}

interface Resolved extends VariantPlan {
    readonly facetValues: readonly EntityState[] | undefined;
    readonly gallery: ResolvedAssets;
}

function* updateVariant(
    rules: PlanRules,
    variant: VariantState,
    plan: Resolved & { readonly renames: ReadonlyMap<string, string> },
): StatementProgram<void> {
    const { desired, diff, prefix, draft } = plan;
    const had = diff.size;
    setColumns(rules, variant, plan);
    for (const [language, name] of plan.renames) setText(rules, variant, { language, name, plan });
    for (const [language, texts] of desired.texts)
        setText(rules, variant, { language, name: texts.values['name'], plan });
    if (plan.facetValues)
        setFacetValues(diff, variant, {
            work: rules.work,
            values: plan.facetValues,
            path: `${prefix}facetValues`,
            mode: rules.modes.facetValues,
        });
    rules.catalogue.galleries?.assign(variant, { work: rules.work, resolved: plan.gallery, diff, prefix });
    if (desired.options && draft) setOptions(variant, plan);
    yield* setPrices(rules, variant, plan);
    setStock(variant, plan);
    if (diff.size > had) touchVariant(rules.work, variant);
}

/** How differences name the field: at the top level of a product record, `enabled` is that of the product. */
function enabledPath({ desired: { isFlat, sku }, prefix }: VariantPlan): string {
    return isFlat ? `variants.${sku}.enabled` : `${prefix}enabled`;
}

function setColumns(rules: PlanRules, variant: VariantState, plan: VariantPlan): void {
    const { desired, diff, prefix } = plan;
    const { catalogue, strategy } = rules;
    const set = (property: string, field: string, value: JsonValue | undefined): void => {
        if (value !== undefined) diff.set(variant.columns, property, { path: prefix + field, value });
    };
    if (mustStayDisabled(rules, desired, variant)) diff.note ??= missingPriceNote(rules, variant);
    else {
        const value = gainsPrice(rules, desired, variant) ? true : desired.enabled;
        if (value !== undefined) diff.set(variant.columns, 'enabled', { path: enabledPath(plan), value });
    }
    set('trackInventory', 'trackInventory', desired.trackInventory);
    if (desired.taxCategory && desired.taxCategory.id !== variant.columns.get('taxCategoryId')) {
        const { taxCategories } = catalogue.reference;
        const before = taxCategories.find(({ id }) => id === variant.columns.get('taxCategoryId'))?.name ?? null;
        variant.columns.set('taxCategoryId', desired.taxCategory.id);
        diff.add(`${prefix}taxCategory`, before, desired.taxCategory.name);
    }
    setCustom(diff, variant.columns, {
        fields: catalogue.variants.custom,
        values: desired.custom,
        path: `${prefix}customFields`,
        isMerge: strategy === 'MERGE',
    });
}

function setOptions(variant: VariantState, { desired, product, draft, diff, prefix }: VariantPlan): void {
    const options = draft!.optionsOf(desired);
    const before = variant.options ?? [];
    if (options.length === before.length && options.every(option => before.includes(option))) return;
    for (const [combination, sku] of product.combinations!)
        if (sku === variant.key) product.combinations!.delete(combination);
    product.combinations!.set(draft!.combinationOf(desired), variant.key);
    variant.options = [...options];
    variant.areOptionsChanged = true;
    diff.add(
        `${prefix}options`,
        before.map(option => option.name),
        options.map(option => option.name),
    );
}

/** Writes a translation; a new one needs a name, which is the product's when the record gives none. */
function setText(
    { catalogue, strategy }: PlanRules,
    variant: VariantState,
    { language, name, plan }: { language: string; name: string | undefined; plan: VariantPlan },
): void {
    const { desired, diff, prefix } = plan;
    const path = language === catalogue.reference.language ? prefix : `${prefix}translations.${language}.`;
    let text = variant.texts.get(language);
    if (!text) {
        text = { id: undefined, columns: new Columns({ name: null }) };
        variant.setText(language, text);
        const value = name ?? derivedName(catalogue, language, plan);
        diff.set(text.columns, 'name', { path: namePath(plan, { language, path, value }), value });
    } else if (name !== undefined) {
        diff.set(text.columns, 'name', { path: namePath(plan, { language, path, value: name }), value: name });
    }
    setCustom(diff, text.columns, {
        fields: catalogue.variants.custom,
        values: desired.texts.get(language)?.custom,
        path: `${path}customFields`,
        isMerge: strategy === 'MERGE',
    });
}

/** Where a difference names the variant's name: in a flat record, `name` is that of the product. */
function namePath(
    { desired: { isFlat, sku }, product }: VariantPlan,
    { language, path, value }: { readonly language: string; readonly path: string; readonly value: string },
): string {
    return isFlat && product.text(language, 'name') !== value ? `variants.${sku}.${path}name` : `${path}name`;
}

/** The product's name followed by the options, as Vendure's own importer names variants. */
function derivedName(
    { reference }: CatalogueContext,
    language: string,
    { product, desired, draft }: VariantPlan,
): string {
    const name =
        product.text(language, 'name') ??
        product.text(reference.language, 'name') ??
        [...product.texts.values()][0]?.columns.get('name') ??
        desired.sku;
    return [name, ...(draft?.optionsOf(desired) ?? []).map(option => option.name)].join(' ');
}

/** One of a product of the run's channel, without texts, prices and levels. */
export function newVariant(
    { reference: { channel, defaultChannel, defaultTaxCategory } }: Pick<CatalogueContext, 'reference'>,
    product: ProductState,
    { sku, taxCategory }: Pick<DesiredVariant, 'sku' | 'taxCategory'>,
): VariantState {
    const variant = newEntity(variants, sku);
    variant.madeFor = product;
    const { values } = variant.columns;
    values['trackInventory'] = 'INHERIT';
    values['taxCategoryId'] = (taxCategory ?? defaultTaxCategory)?.id ?? null;
    values['outOfStockThreshold'] = 0;
    values['useGlobalOutOfStockThreshold'] = true;
    values['featuredAssetId'] = null;
    variant.channels = newEntitiesIn([channel.id, defaultChannel.id]);
    variant.setMembers('facetValues', new Members<EntityState>([]));
    variant.prices = [];
    variant.stock = [];
    variant.options = [];
    return variant;
}

function* createVariant(rules: PlanRules, plan: Resolved): StatementProgram<void> {
    const { desired, product, diff, prefix, draft } = plan;
    const { catalogue, work } = rules;
    const { reference } = catalogue;
    const variant = newVariant(catalogue, product, desired);
    diff.add(`${prefix}sku`, null, desired.sku);
    if (desired.taxCategory) diff.add(`${prefix}taxCategory`, null, desired.taxCategory.name);
    const isDisabled = mustStayDisabled(rules, desired, undefined);
    const enabled = isDisabled ? false : desired.enabled;
    if (enabled !== undefined) diff.set(variant.columns, 'enabled', { path: enabledPath(plan), value: enabled });
    if (desired.trackInventory !== undefined)
        diff.set(variant.columns, 'trackInventory', { path: `${prefix}trackInventory`, value: desired.trackInventory });
    setCustom(diff, variant.columns, {
        fields: catalogue.variants.custom,
        values: desired.custom,
        path: `${prefix}customFields`,
        isMerge: false,
    });
    const isNamed = [...desired.texts.values()].some(({ values }) => values['name'] !== undefined);
    const languages = isNamed
        ? [reference.language, ...desired.texts.keys()]
        : [...product.texts.keys(), ...desired.texts.keys()];
    for (const language of new Set(languages))
        setText(rules, variant, { language, name: desired.texts.get(language)?.values['name'], plan });
    if (plan.facetValues)
        setFacetValues(diff, variant, {
            work,
            values: plan.facetValues,
            path: `${prefix}facetValues`,
            mode: rules.modes.facetValues,
        });
    catalogue.galleries?.assign(variant, { work, resolved: plan.gallery, diff, prefix });
    variant.options = [...(draft?.optionsOf(desired) ?? [])];
    if (variant.options.length > 0)
        diff.add(
            `${prefix}options`,
            null,
            variant.options.map(option => option.name),
        );
    variant.areOptionsChanged = variant.options.length > 0;
    if (hasNoPrice(rules, desired)) diff.note ??= missingPriceNote(rules, variant);
    yield* setPrices(rules, variant, plan);
    setStock(variant, plan);
    ensureStock(variant, reference.channel);
    for (const channel of furtherChannels(catalogue, product)) yield* assignToChannel(rules, variant, channel);
    work.of(variants).addNew(variant, variant.key);
    touchVariant(work, variant);
}

/** The channels of a product in addition to the run's own and the default one. */
export function furtherChannels({ reference }: CatalogueContext, product: ProductState): readonly ChannelFacts[] {
    const { channel, defaultChannel, channels } = reference;
    return channels.filter(({ id }) => id !== channel.id && id !== defaultChannel.id && product.channels!.has(id));
}
