import type { Change, StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import { ProductState } from '../entity-descriptions/product-state';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import type { RecordIssues } from '../entities/record-issues';
import { touchProduct, variantOf } from './catalogue';
import type { DesiredVariant } from './desired';
import { OptionsDraft } from './plan-options';
import { inSequence, type PlanRules } from './plan-rules';
import { planVariant, removeVariant } from './plan-variant';
import { ownerOf, productsNamed } from './read-needed';

/** Decides about a record of one variant and, unless it has an error, plans its changes. */
export function* planVariantRecord(
    rules: PlanRules,
    desired: DesiredVariant,
    issues: RecordIssues,
): StatementProgram<Change> {
    const { work, strategy } = rules;
    const { sku, names } = desired;
    const existing = variantOf(work, sku);
    const diff = new Diff();
    if (desired.isDelete) {
        if (!existing) return { action: 'unchanged', key: sku };
        removeVariant(rules, existing, { diff, prefix: '' });
        return { action: 'delete', key: sku, before: { sku } };
    }
    if (existing && strategy === 'CREATE')
        issues.add(names.sku, `${show(sku)} exists already, and the strategy is CREATE`, sku);
    const product = ownerOf(rules, desired);
    if (!existing && strategy !== 'UPDATE' && !product) {
        const { productSlug } = desired;
        const count = productSlug === undefined ? 0 : productsNamed(rules, productSlug).length;
        issues.add(
            names.productSlug,
            productSlug === undefined
                ? 'is missing; a new variant needs the slug of its product'
                : count > 1
                  ? `is ${show(productSlug)}; ${count} products have this name. Give the slug of one`
                  : `${show(productSlug)} is the slug of no product`,
            productSlug,
        );
    }
    if (!existing && strategy === 'UPDATE')
        issues.add(names.sku, `no variant has the SKU ${show(sku)}, and the strategy is UPDATE`, sku);
    if (desired.options && existing && !product?.groups)
        issues.add(names.options, "cannot be set: the product is not in the run's channel");
    if (issues.count > 0) return { action: 'reject', key: sku, error: issues.error() };
    const draft = product?.groups ? new OptionsDraft(product, issues) : undefined;
    draft?.choose(desired);
    // The product of an existing variant is only needed for its id.
    const owner = product ?? new ProductState(existing!.productId, new Columns({}), '');
    const commit = planVariant(rules, {
        desired,
        product: owner,
        draft,
        faults: issues,
        diff,
        prefix: '',
        productTexts: new Map(),
    });
    if (issues.count > 0) return { action: 'reject', key: sku, error: issues.error() };
    if (draft?.addsGroups === true) touchProduct(work, owner);
    draft?.commit();
    yield* inSequence([commit]);
    return diff.change(sku, !existing);
}
