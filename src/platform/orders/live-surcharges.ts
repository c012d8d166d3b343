import type { RequestContext } from '@vendure/core';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { type RecordIssues, quoted } from '../entities/record-issues';
import type { Strategy } from '../entities/load-arguments';
import type { LivePayment, LiveSurcharge } from './live-record';
import { surchargeValue } from './live-store';

/** The elements of a list that are not in another one; duplicates count separately. */
export function without<T extends JsonValue>(list: readonly T[], others: readonly JsonValue[]): readonly T[] {
    const left = new Map<string, number>();
    for (const other of others.map(canonicalJson)) left.set(other, (left.get(other) ?? 0) + 1);
    return list.filter(one => {
        const text = canonicalJson(one);
        const count = left.get(text) ?? 0;
        left.set(text, count - 1);
        return count <= 0;
    });
}

/** The resulting surcharges of an order: the remaining ones in their order, followed by the new ones. */
export function requestedSurcharges(
    said: readonly LiveSurcharge[],
    had: readonly JsonObject[],
    { strategy, ctx }: { readonly strategy: Strategy; readonly ctx: RequestContext },
): JsonObject[] {
    const desired = said.map(({ description, sku, price, priceIncludesTax, taxLines }) =>
        surchargeValue({
            ...{ description, sku, listPrice: price, taxLines: [...taxLines] },
            listPriceIncludesTax: priceIncludesTax ?? ctx.channel.pricesIncludeTax,
        }),
    );
    const kept = strategy === 'MERGE' ? had : without(had, without(had, desired));
    return [...kept, ...without(desired, had)];
}

/** What Vendure cannot do to the surcharges of an order that was placed. */
export function checkPlacedSurcharges(
    { before, after }: { readonly before: readonly JsonObject[]; readonly after: readonly JsonObject[] },
    said: readonly LiveSurcharge[],
    { faults: issues, path }: { readonly faults: RecordIssues; readonly path: string },
): void {
    const [gaps] = without(before, after);
    if (gaps)
        issues.add(
            path,
            `lacks ${quoted(gaps['description']!)}, which the order has; Vendure takes none off an order that was placed, and a further one below 0 makes up for it`,
        );
    for (const { path: at, taxLines } of said)
        if (taxLines.length > 1)
            issues.add(
                `${at}.taxLines`,
                `has ${taxLines.length} entries; of an order that was placed Vendure takes one`,
            );
}

/** Checks that the payments equal the total of an order. */
export function checkPaid(
    payments: readonly LivePayment[],
    total: number,
    { faults: issues, path }: { readonly faults: RecordIssues; readonly path: string },
): void {
    const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
    if (paid === total) return;
    const [first] = payments;
    if (payments.length === 1) issues.add(`${first!.path}.amount`, `is ${paid}; the order costs ${total}`, paid);
    else issues.add(path, `add up to ${paid}; the order costs ${total}`);
}
