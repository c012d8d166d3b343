import { unpadded } from '../../core/data/unpadded';
import { show } from '../../core/value/show';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/value/json';
import type { ChannelFacts } from '../lookup/reference';
import type { DesiredProduct, DesiredVariant } from './desired';
import { type RecordIssues, known } from '../entities/record-issues';
import { readTexts } from '../entities/read-texts';
import { type LoadFieldNames, VARIANT_FIELDS } from './load-config';
import { readsDelete } from '../entities/operation';
import { FieldReader, invalidValue } from '../entities/read-field';
import { channelOf, assetsIn, type RecordRules, readFacetValues, readVariant } from './read-variant';
import { slugOf } from '../entities/slug';
import { NO_ASSETS } from '../entity-assets/read-assets';

/** Reads a product record; undefined when something is wrong, which `faults` then says. */
export function readProduct(
    data: JsonObject,
    rules: RecordRules,
    { names, faults: issues }: { names: LoadFieldNames; faults: RecordIssues },
): DesiredProduct | undefined {
    const reader = new FieldReader(data, issues);
    const { texts, custom } = readTexts(reader, { fields: rules.product, names, channel: channelOf(rules) });
    const { slug, name } = texts.get(rules.reference.language)?.values ?? {};
    const madeSlug = slugOf(slug ?? name ?? '');
    const isDelete = readsDelete(reader, rules.reference.deleting);
    const gallery = assetsIn(reader, rules, names);
    const product: DesiredProduct = {
        names,
        isDelete,
        slug,
        name,
        madeSlug: madeSlug === '' || madeSlug === '-' ? undefined : madeSlug,
        texts,
        enabled: reader.flag(names.enabled),
        facetValues: readFacetValues(reader, names.facetValues),
        channels: readChannels(reader, rules, names.channels),
        optionGroups: data[names.optionGroups] === null ? null : reader.texts(names.optionGroups),
        gallery: isDelete ? NO_ASSETS : gallery,
        custom,
        variants: readVariants(reader, rules, names),
    };
    return issues.count > 0 ? undefined : product;
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

/** The list, the single variant at the top level, or neither: then variants stay unchanged. */
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
            `is set together with ${flat.map(field => names[field]).join(', ')}, which means one variant; set one or the other`,
        );
        return undefined;
    }
    const list = reader.data[names.variants];
    if (!Array.isArray(list)) return reader.refuse(names.variants, 'allowed: a list of variants');
    const variants = (list as readonly JsonValue[]).flatMap((entry, i) => {
        const path = `${names.variants}.${i}`;
        if (!isJsonObject(entry)) {
            reader.faults.add(path, invalidValue(entry, 'allowed: an object'), entry);
            return [];
        }
        const variant = readVariant(new FieldReader(entry, reader.faults, `${path}.`), rules, {
            names,
            isFlat: false,
        });
        return variant ? [variant] : [];
    });
    const own = reader.data[names.sku];
    if (own !== undefined && own !== null && !variants.some(({ sku }) => sku === unpadded(String(own))))
        reader.wrong(names.sku, `is ${show(own)}, which is the SKU of none of the record's ${names.variants}`);
    const repeated = variants.find((variant, i) => variants.findIndex(other => other.sku === variant.sku) < i);
    if (repeated) reader.faults.add(repeated.path + names.sku, `${show(repeated.sku)} comes twice`, repeated.sku);
    return variants;
}
