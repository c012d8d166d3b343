import type { Change, StatementProgram } from '../../core/adapter/loader';
import { recordInvalid } from '../../core/errors/record-invalid';
import { show } from '../../core/value/show';
import { variant } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import { RecordIssues } from '../entities/record-issues';
import { oncePerBatch } from '../entities/once-per-batch';
import { rejectDelete } from '../entities/operation';
import { FieldReader } from '../entities/read-field';
import type { UnitOfWork } from '../entities/unit-of-work';
import { touchVariant } from './catalogue';
import { forgottenChange } from './forgotten';
import type { CatalogueLoad } from './session';

/** A record that changes something of one existing variant, and what is wrong with it. */
export interface VariantRecord {
    readonly faults: RecordIssues;
    readonly sku: string;
}

/** How such records are read: the field of the SKU, what they set (for example "a stock level"; it cannot be deleted), and their other fields. */
interface VariantRecords<R> {
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
        const issues = new RecordIssues();
        const reader = new FieldReader(data, issues);
        rejectDelete(reader, what);
        const sku = reader.key(skuField) ?? '';
        if (!reader.has(skuField)) issues.add(skuField, 'is missing');
        return { faults: issues, sku, ...rest(reader) };
    });
    return { of, locks: ({ sku }) => (sku === '' ? [] : [`sku:${sku}`]) };
}

/** The SKUs of the records without errors. */
export function validSkus(records: readonly VariantRecord[]): readonly string[] {
    return records.flatMap(({ sku, faults: issues }) => (issues.count > 0 ? [] : [sku]));
}

/** The variants of those records, which have been read. */
export function variantsOf(work: UnitOfWork, records: readonly VariantRecord[]): readonly VariantState[] {
    return [...new Set(validSkus(records).flatMap(sku => work.of(variant).seen(sku)))];
}

/** The result for each record: the change that `change` returns for its variant, or a reject. */
export function* changesOf<R extends VariantRecord>(
    work: UnitOfWork,
    records: readonly R[],
    {
        skuField,
        change,
    }: { readonly skuField: string; change(record: R, variant: VariantState): StatementProgram<Change> },
): StatementProgram<readonly Change[]> {
    const changes: Change[] = [];
    for (const record of records) {
        const { sku, faults: issues } = record;
        const found = work.of(variant).seen(sku);
        if (issues.count > 0) changes.push({ action: 'reject', key: sku || undefined, error: issues.error() });
        else if (found.length === 0 && work.of(variant).isForgotten(sku)) changes.push(forgottenChange(sku));
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
