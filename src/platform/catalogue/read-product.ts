import { show } from '../../core/value/show';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/value/json';
import type { ChannelFacts } from '../lookup/reference';
import type { DesiredProduct, DesiredProductTexts, DesiredVariant } from './desired';
import { type Faults, known, quoted } from '../entities/faults';
import { type LoadFieldNames, VARIANT_FIELDS } from './load-config';
import { readsDelete } from '../entities/operation';
import { FieldReader, emptyProblem, isBlank, unfit } from '../entities/read-field';
import { type RecordRules, languagesOf, mergeTexts, onlyLocalised, readFacetValues, readVariant } from './read-variant';
import { slugOf } from '../entities/slug';

/** Reads a product record (spec 4, "productUpsert record"); undefined when something is wrong, which `faults` then says. */
export function readProduct(
    data: JsonObject,
    rules: RecordRules,
    { names, faults }: { names: LoadFieldNames; faults: Faults },
): DesiredProduct | undefined {
    const reader = new FieldReader(data, faults);
    if (reader.has(names.assets))
        reader.wrong(
            names.assets,
            isBlank(data[names.assets])
                ? emptyProblem(data[names.assets])
                : 'cannot be loaded: this load does not write assets',
        );
    const custom = rules.productFields.read(reader, names.customFields, { localisedOnly: false });
    const texts = readTexts(reader, rules, { names, localised: onlyLocalised(custom, rules.productFields) });
    const own = texts.get(rules.reference.language);
    const base =
        custom &&
        Object.fromEntries(
            Object.entries(custom).filter(([name]) => rules.productFields.find(name)?.isLocalised === false),
        );
    const slug = own?.slug ?? (own?.name === undefined ? undefined : slugOf(own.name));
    const product: DesiredProduct = {
        names,
        isDelete: readsDelete(reader, rules.reference.deleting),
        slug: slug === '' ? undefined : slug,
        texts,
        enabled: reader.flag(names.enabled),
        facetValues: readFacetValues(reader, names.facetValues),
        channels: readChannels(reader, rules, names.channels),
        optionGroups: reader.texts(names.optionGroups),
        custom: base,
        variants: readVariants(reader, rules, names),
    };
    return faults.count > 0 ? undefined : product;
}

interface TextPlace {
    readonly names: LoadFieldNames;
    readonly localised: DesiredProductTexts['custom'];
}

function readTexts(
    reader: FieldReader,
    rules: RecordRules,
    { names, localised }: TextPlace,
): ReadonlyMap<string, DesiredProductTexts> {
    const texts = new Map<string, DesiredProductTexts>();
    const own = mergeTexts<DesiredProductTexts>(undefined, { ...textsIn(reader, rules, names), custom: localised });
    if (Object.keys(own).length > 0) texts.set(rules.reference.language, own);
    for (const [language, inside] of languagesOf(reader, rules.reference, names.translations)) {
        const custom = rules.productFields.read(inside, names.customFields, { localisedOnly: true });
        texts.set(
            language,
            mergeTexts<DesiredProductTexts>(texts.get(language), { ...textsIn(inside, rules, names), custom }),
        );
    }
    return texts;
}

function textsIn(
    reader: FieldReader,
    { limits }: RecordRules,
    names: LoadFieldNames,
): { name: string | undefined; slug: string | undefined; description: string | undefined } {
    const given = reader.unpadded(names.slug, limits.slug);
    const slug = given === undefined ? undefined : slugOf(given);
    if (slug === '' || slug === '-') reader.wrong(names.slug, `is ${quoted(given)}, of which no slug can be made`);
    return {
        name: reader.text(names.name, limits.name),
        slug,
        description: reader.emptiableText(names.description, limits.description),
    };
}

function readChannels(
    reader: FieldReader,
    { reference }: RecordRules,
    field: string,
): readonly ChannelFacts[] | undefined {
    const tokens = reader.texts(field);
    return tokens?.flatMap(token => {
        const channel =
            reference.channels.find(c => c.token === token) ?? reference.channels.find(c => c.code === token);
        if (channel?.isWritable === true) return [channel];
        const problem = channel
            ? 'is a channel whose catalogue the run may not change'
            : `names no channel; ${known(reference.channels.filter(c => c.isWritable).map(c => c.token))}`;
        reader.faults.add(reader.path(field), `${show(token)} ${problem}`, token);
        return [];
    });
}

/** The list, or the one variant that stands at the top level, or neither: then variants are left alone. */
function readVariants(
    reader: FieldReader,
    rules: RecordRules,
    names: LoadFieldNames,
): readonly DesiredVariant[] | undefined {
    const flat = VARIANT_FIELDS.filter(field => reader.has(names[field]));
    if (!reader.has(names.variants)) {
        if (flat.length === 0) return undefined;
        const variant = readVariant(reader, rules, { names, isFlat: true });
        return variant && [variant];
    }
    if (flat.some(field => field !== 'sku')) {
        reader.wrong(
            names.variants,
            `stands beside ${flat.map(field => names[field]).join(', ')}, which means one variant; allowed: one or the other`,
        );
        return undefined;
    }
    const list = reader.data[names.variants];
    if (!Array.isArray(list)) return reader.refuse(names.variants, 'allowed: a list of variants');
    const variants = (list as readonly JsonValue[]).flatMap((entry, i) => {
        const path = `${names.variants}.${i}`;
        if (!isJsonObject(entry)) {
            reader.faults.add(path, unfit(entry, 'allowed: an object'), entry);
            return [];
        }
        const variant = readVariant(new FieldReader(entry, reader.faults, `${path}.`), rules, {
            names,
            isFlat: false,
        });
        return variant ? [variant] : [];
    });
    const repeated = variants.find((variant, i) => variants.findIndex(other => other.sku === variant.sku) < i);
    if (repeated) reader.faults.add(repeated.path + names.sku, `${show(repeated.sku)} comes twice`, repeated.sku);
    return variants;
}
