import type { Change, Script } from '../../core/adapter/loader';
import { recordInvalid } from '../../core/errors/record-invalid';
import { show } from '../../core/value/show';
import { variant } from '../described/variant';
import type { VariantState } from '../described/variant-state';
import { Faults } from '../entities/faults';
import { oncePerBatch } from '../entities/once-per-batch';
import { refuseDelete } from '../entities/operation';
import { FieldReader } from '../entities/read-field';
import type { UnitOfWork } from '../entities/unit-of-work';
import { touchVariant } from './catalogue';
import type { CatalogueLoad } from './session';

/** A record that changes something of one existing variant, and what is wrong with it. */
export interface VariantRecord {
    readonly faults: Faults;
    readonly sku: string;
}

/** How such records are read: the field of the SKU, what they set (for example "a stock level"; it cannot be deleted), and their other fields. */
export interface VariantRecords<R> {
    readonly skuField: string;
    readonly what: string;
    rest(reader: FieldReader): R;
}

/** Reads records of existing variants, each once. */
export function variantRecords<R>({
    skuField,
    what,
    rest,
}: VariantRecords<R>): Pick<CatalogueLoad<VariantRecord & R>, 'of' | 'locks'> {
    const of = oncePerBatch(({ data }) => {
        const faults = new Faults();
        const reader = new FieldReader(data, faults);
        refuseDelete(reader, what);
        const sku = reader.key(skuField) ?? '';
        if (!reader.has(skuField)) faults.add(skuField, 'is missing');
        return { faults, sku, ...rest(reader) };
    });
    return { of, locks: ({ sku }) => (sku === '' ? [] : [`sku:${sku}`]) };
}

/** The SKUs of the records without errors. */
export function soundSkus(records: readonly VariantRecord[]): readonly string[] {
    return records.flatMap(({ sku, faults }) => (faults.count > 0 ? [] : [sku]));
}

/** The variants of those records, which have been read. */
export function variantsOf(work: UnitOfWork, records: readonly VariantRecord[]): readonly VariantState[] {
    return [...new Set(soundSkus(records).flatMap(sku => work.of(variant).seen(sku)))];
}

/** What becomes of each record: that which `change` says of its variant, or a reject. */
export function* changesOf<R extends VariantRecord>(
    work: UnitOfWork,
    records: readonly R[],
    { skuField, change }: { readonly skuField: string; change(record: R, variant: VariantState): Script<Change> },
): Script<readonly Change[]> {
    const changes: Change[] = [];
    for (const record of records) {
        const { sku, faults } = record;
        const found = work.of(variant).seen(sku);
        if (faults.count > 0) changes.push({ action: 'reject', key: sku || undefined, error: faults.error() });
        else if (found.length === 1) {
            const made = yield* change(record, found[0]!);
            if (made.action === 'update') touchVariant(work, found[0]!);
            changes.push(made);
        } else {
            const has =
                found.length === 0
                    ? "no variant of the run's channel has"
                    : `${found.length} variants of the run's channel have`;
            const error = recordInvalid(skuField, `is ${show(sku)}: ${has} this SKU`);
            changes.push({ action: 'reject', key: sku, error });
        }
    }
    return changes;
}
