import { type FlowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import type { JsonObject, JsonValue } from '../../core/value/json';
import type { QueriedEntity } from './entities';

/** By which fields a seed names entities of a kind, and which events are about one, so that their `id` is its own. */
const NAMED_BY: Readonly<Record<QueriedEntity, { readonly field: string; readonly events: RegExp }>> = {
    PRODUCT: { field: 'productId', events: /^Product(Channel)?Event$/ },
    PRODUCT_VARIANT: { field: 'productVariantId', events: /^ProductVariant(Channel)?Event$/ },
    CUSTOMER: { field: 'customerId', events: /^CustomerEvent$/ },
    ORDER: { field: 'orderId', events: /^Order(Placed|StateTransition)?Event$/ },
    COLLECTION: { field: 'collectionId', events: /^Collection(Modification)?Event$/ },
    FACET: { field: 'facetId', events: /^FacetEvent$/ },
    FACET_VALUE: { field: 'facetValueId', events: /^FacetValueEvent$/ },
    PROMOTION: { field: 'promotionId', events: /^PromotionEvent$/ },
    ASSET: { field: 'assetId', events: /^AssetEvent$/ },
};

/** The maximum number of ids in one record, which limits the size of a batch. */
export const MAX_IDS = 10_000;

/**
 * The ids of entities of a kind that a record names: by `productVariantId` or `productVariantIds`, else by `id` or `ids`, unless the
 * record is an event about something else. An error rejects the record.
 */
export function idsOfSeed(record: JsonObject, entity: QueriedEntity): readonly string[] | FlowError {
    const { field, events } = NAMED_BY[entity];
    const { event } = record;
    const isOwn = typeof event !== 'string' || events.test(event);
    const names = [field, `${field}s`, ...(isOwn ? ['id', 'ids'] : [])];
    const found = names.find(name => record[name] !== undefined && record[name] !== null);
    if (found === undefined) {
        const about = isOwn ? '' : `; the id of ${event} is that of something else`;
        return recordInvalid(
            field,
            `is missing, so that no ${entity} can be looked up; allowed: ${names.join(', ')}${about}`,
        );
    }
    const ids = textsOf(record[found]);
    if (!ids) return recordInvalid(found, 'names nothing; allowed: an id or a list of ids');
    if (ids.length <= MAX_IDS) return ids;
    return recordInvalid(found, `has ${ids.length} ids; allowed: at most ${MAX_IDS}`);
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
    const all = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    const texts = all.map(one => (typeof one === 'number' ? String(one) : one));
    return texts.every((one): one is string => typeof one === 'string' && one !== '') ? texts : undefined;
}
