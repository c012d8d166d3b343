import type { JsonObject } from '../../core/value/json';
import { Faults } from '../entities/faults';
import { FieldReader, unfit } from '../entities/read-field';

const UPSERTS: ReadonlySet<unknown> = new Set([undefined, null, 'CREATE', 'UPDATE', 'UPSERT']);

/** A record that changes something of one existing variant, and what is wrong with it. */
export interface VariantRecord {
    readonly reader: FieldReader;
    readonly faults: Faults;
    readonly sku: string | undefined;
}

/** Reads which variant a record is about. `what` (say "a stock level") is what the load sets, and what no DELETE can mean. */
export function readVariantRecord(data: JsonObject, skuField: string, what: string): VariantRecord {
    const faults = new Faults();
    const reader = new FieldReader(data, faults);
    const operation = data['__operation'];
    if (operation === 'DELETE')
        faults.add(
            '__operation',
            `is "DELETE", but ${what} cannot be deleted; set it, or delete the variant`,
            operation,
        );
    else if (!UPSERTS.has(operation))
        faults.add('__operation', unfit(operation, 'allowed: CREATE, UPDATE, UPSERT'), operation);
    const sku = reader.key(skuField);
    if (!reader.has(skuField)) faults.add(skuField, 'is missing');
    return { reader, faults, sku };
}

/** What a load locks for a SKU, so that whoever matches by it does so alone (architecture 10a, "Locks"). */
export function skuLock(sku: string): string {
    return `sku:${sku}`;
}
