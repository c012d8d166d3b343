import type { LoadNote } from '../../core/adapter/loader';
import { logText } from '../../core/log/log-text';
import type { VariantState } from '../entity-descriptions/variant-state';
import type { RecordIssues } from '../entities/record-issues';
import type { DesiredVariant } from './desired';
import type { PlanRules } from './plan-rules';
import { priceOf } from './prices';

type MissingPriceRules = Pick<PlanRules, 'catalogue' | 'missingPrice'>;

/** Whether a record has no price in the default currency of the run's channel. */
export function hasNoPrice({ catalogue }: MissingPriceRules, { prices }: Pick<DesiredVariant, 'prices'>): boolean {
    return typeof prices.get(catalogue.reference.channel.defaultCurrency) !== 'number';
}

/** Adds an error if the record of a new variant has no price and the step rejects that. */
export function requirePrice(rules: MissingPriceRules, desired: DesiredVariant, issues: RecordIssues): void {
    if (rules.missingPrice !== 'REJECT' || !hasNoPrice(rules, desired)) return;
    const { defaultCurrency } = rules.catalogue.reference.channel;
    const { names, path, prices } = desired;
    const field = prices.size === 0 ? names.price : `${names.prices}.${defaultCurrency}`;
    issues.add(
        path + field,
        `is missing. A new variant needs a price in ${defaultCurrency}: add it, or set missingPrice to DISABLE or ZERO`,
    );
}

/**
 * Whether a record would put a variant without a price on sale, in a step that prevents this. If
 * `dependsOnStoredPrice` is true, its stored prices have been read.
 */
export function mustStayDisabled(
    rules: MissingPriceRules,
    desired: DesiredVariant,
    existing: VariantState | undefined,
): boolean {
    if (rules.missingPrice !== 'DISABLE' || !hasNoPrice(rules, desired)) return false;
    if (!existing) return true;
    if (!dependsOnStoredPrice(rules, desired) || existing.columns.get('enabled') === true) return false;
    const { id: channelId, defaultCurrency: currency } = rules.catalogue.reference.channel;
    return (priceOf(existing, { channelId, currency })?.price ?? 0) === 0;
}

/** Whether a record enables a variant, and the step only allows that if the variant has a price. */
export function dependsOnStoredPrice(
    { missingPrice }: Pick<PlanRules, 'missingPrice'>,
    { enabled }: DesiredVariant,
): boolean {
    return missingPrice === 'DISABLE' && enabled === true;
}

/**
 * Whether a record puts a variant on sale because it gives the price for which the variant was created disabled. The `enabled` of a product
 * record is that of the product; a variant whose own `enabled` is given follows that.
 */
export function gainsPrice(rules: MissingPriceRules, desired: DesiredVariant, existing: VariantState): boolean {
    if (rules.missingPrice !== 'DISABLE' || desired.enabled !== undefined) return false;
    const { id: channelId, defaultCurrency: currency } = rules.catalogue.reference.channel;
    if (existing.columns.get('enabled') !== false || (desired.prices.get(currency) ?? 0) === 0) return false;
    return (priceOf(existing, { channelId, currency })?.price ?? 0) === 0;
}

/** The note about a variant without a price. */
export function missingPriceNote({ catalogue, missingPrice }: MissingPriceRules, { key }: VariantState): LoadNote {
    const { defaultCurrency } = catalogue.reference.channel;
    const event = missingPrice === 'DISABLE' ? 'PRICES_MISSING_DISABLED' : 'PRICES_MISSING';
    const what = logText(event, { currency: defaultCurrency });
    return { code: 'VARIANTS_WITHOUT_PRICE', what, example: key };
}
