import { type BrowserStorage, dropStored, readStored, writeStored } from '../../parts/browser-storage';
import { fieldsOf, offeredFields } from './export-fields';
import { EXPORT_ENTITIES, type ExportPlan, type ExportShop } from './export-plan';
import { newPlan } from './new-plan';

/** An export that was not finished. */
export interface StoredExport {
    readonly plan: ExportPlan;
    /** Undefined until the user has changed it. */
    readonly name?: string;
}

/** Of the stored value. Another version is not restored. */
const VERSION = 1;

/** The unfinished export of a channel, in the storage of a tab: it is kept when the page is reloaded or left. */
export function exportStore(storage: BrowserStorage, channelId: string) {
    const key = `flow-export-${channelId}`;
    return {
        /** With the fields and the language that the shop still has. */
        find(shop: ExportShop): StoredExport | undefined {
            const stored = readStored(storage, key) as Partial<StoredExport & { version: number }> | null | undefined;
            const { plan, name, version } = stored ?? {};
            if (version !== VERSION || !plan || !EXPORT_ENTITIES.includes(plan.entity)) return undefined;
            return { plan: fitting(plan, shop), ...(name !== undefined && { name }) };
        },
        keep: (unfinished: StoredExport): void => void writeStored(storage, key, { version: VERSION, ...unfinished }),
        drop: (): void => dropStored(storage, key),
    };
}

function fitting(plan: ExportPlan, shop: ExportShop): ExportPlan {
    const language = shop.languages.includes(plan.language) ? plan.language : shop.defaultLanguage;
    const columns = new Set(plan.fields.map(({ column }) => column));
    const offered = offeredFields(plan.entity, shop, language);
    const { facetValue, ...filters } = plan.filters;
    const hasFacet = shop.facets.some(({ code }) => code === facetValue?.facet);
    return {
        ...newPlan(shop, plan.timezone),
        ...plan,
        language,
        fields: fieldsOf(offered, ({ column }) => columns.has(column)),
        filters: { ...filters, ...(facetValue && hasFacet && { facetValue }) },
    };
}
