import type { AdapterContext } from '../../core/adapter/context';
import { invalidConfig } from '../../core/steps/parse-config';
import { vendureOf } from '../lookup/vendure';
import { type QuerySettings, ShopQuery } from './shop-query';

/** Throws DEFINITION_INVALID if a step's configuration names something that the shop does not have; `under` is the path of the query in it. */
export function openQuery(settings: QuerySettings, cx: AdapterContext, under = ''): ShopQuery {
    const query = new ShopQuery(settings, vendureOf(cx));
    const { faults: issues } = query;
    if (issues.length === 0) return query;
    const at = `${cx.stepKey}.${under}`;
    throw invalidConfig(issues.map(({ path, message }) => ({ path: at + path, message: at + message })));
}
