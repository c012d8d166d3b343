import { Injectable } from '@nestjs/common';
import { type RequestContext, TransactionalConnection } from '@vendure/core';
import type { ImportWarning } from '../../core/import/import-profile';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { isJsonObject } from '../../core/value/json';
import { FlowDifference } from '../entities/difference';
import type { FlowPipelineRun } from '../entities/run';

const MAX_READ = 20_000;
/** Few rows, since each may have megabytes. */
const PAGE = 200;
/** A price that changes by more than this share. */
const LARGE_CHANGE = 0.5;
const MANY_PRICES = 0.2;
const LOW_PRICE = 0.01;
/** With fewer prices, their median says little. */
const MIN_PRICES = 20;
const MANY_DISABLED = 0.1;
/** With fewer records, shares say little. */
const MIN_RECORDS = 10;

/** Finds changes of a check that are possible, but rarely meant. Warnings count records and have no values of them, so that all users may read them. */
@Injectable()
export class UnusualChanges {
    constructor(private readonly connection: TransactionalConnection) {}

    /** `loaded` is how many records the load step has received without an error; `existing` how many entities the shop has. */
    async of(
        ctx: RequestContext,
        run: FlowPipelineRun,
        { loaded, existing }: { readonly loaded: number; readonly existing: number },
    ): Promise<readonly ImportWarning[]> {
        const seen = new ObservedChanges();
        let read = 0;
        for (let last: FlowDifference | undefined; read < MAX_READ;) {
            const page = await this.page(ctx, run, last);
            last = page.at(-1);
            if (!last) break;
            read += page.length;
            for (const difference of page) seen.add(difference);
        }
        return seen.warnings({ loaded, existing });
    }

    private page(
        ctx: RequestContext,
        { id: runId }: FlowPipelineRun,
        last: FlowDifference | undefined,
    ): Promise<FlowDifference[]> {
        const query = this.connection
            .getRepository(ctx, FlowDifference)
            .createQueryBuilder('difference')
            .where({ runId, channelId: ctx.channelId })
            .orderBy('difference.id', 'ASC')
            .take(PAGE);
        if (last) query.andWhere('difference.id > :last', { last: last.id });
        return query.getMany();
    }
}

/** What is counted over all differences of a check. */
export class ObservedChanges {
    private readonly keys = new Map<string, number>();
    private readonly prices: number[] = [];
    private changed = 0;
    private disabled = 0;

    add({
        stepKey,
        action,
        key,
        before,
        after,
    }: Pick<FlowDifference, 'stepKey' | 'action' | 'key' | 'before' | 'after'>): void {
        const name = `${stepKey} ${key}`;
        if (action !== 'DELETE') this.keys.set(name, (this.keys.get(name) ?? 0) + 1);
        const old = pricesIn(before);
        for (const [path, price] of pricesIn(after)) {
            this.prices.push(price);
            const was = old.get(path);
            if (was !== undefined && was > 0 && Math.abs(price - was) / was > LARGE_CHANGE) this.changed++;
        }
        if (after?.['enabled'] === false && before?.['enabled'] === true) this.disabled++;
    }

    warnings({ loaded, existing }: { readonly loaded: number; readonly existing: number }): readonly ImportWarning[] {
        const twice = [...this.keys.values()].filter(count => count > 1).length;
        const low = this.lowPrices();
        return [
            ...(twice > 0 ? [{ code: 'DUPLICATE_KEYS', args: { count: twice } }] : []),
            ...(loaded >= MIN_RECORDS && this.changed / loaded > MANY_PRICES
                ? [{ code: 'MANY_PRICE_CHANGES', args: { count: this.changed, total: loaded } }]
                : []),
            ...(low > 0 ? [{ code: 'VERY_LOW_PRICES', args: { count: low } }] : []),
            ...(existing >= MIN_RECORDS && this.disabled / existing > MANY_DISABLED
                ? [{ code: 'MANY_DISABLED', args: { count: this.disabled, total: existing } }]
                : []),
        ];
    }

    private lowPrices(): number {
        const sorted = [...this.prices].sort((a, b) => a - b);
        const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
        return sorted.length < MIN_PRICES ? 0 : sorted.filter(price => price < median * LOW_PRICE).length;
    }
}

/** The amounts of a record by their paths: its own, and those of its variants. */
function pricesIn(record: JsonObject | null): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    const walk = (value: JsonValue | undefined, path: string, depth: number): void => {
        if (depth > 4 || typeof value !== 'object' || value === null) return;
        for (const [name, inner] of Object.entries(value)) {
            const own = `${path}.${name}`;
            const isPrice = name === 'price' || /(^|\.)prices$/.test(path);
            if (isPrice && typeof inner === 'number') found.set(own, inner);
            else if (Array.isArray(inner) || isJsonObject(inner as JsonValue)) walk(inner as JsonValue, own, depth + 1);
        }
    };
    walk(record ?? undefined, '', 0);
    return found;
}
