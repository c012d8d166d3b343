import { useChannel } from '@vendure/dashboard';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSearch } from '../../parts/use-search';
import { defaultFields } from './export-fields';
import { EXPORT_ENTITIES, type ExportPlan, type ExportShop } from './export-plan';
import { newPlan } from './new-plan';
import { exportStore, type StoredExport } from './stored-export';

/** What the user has decided so far. */
export interface UnfinishedExport extends StoredExport {
    /** It was begun before the page was opened. */
    readonly isRestored: boolean;
    readonly change: (changes: Partial<ExportPlan>) => void;
    readonly rename: (name: string) => void;
    /** Drops it and begins another one. */
    readonly startOver: () => void;
    /** Drops it: its pipeline was created. */
    readonly finish: () => void;
}

/** Keeps the decisions in this tab after the first change. The entity that the address names is what the user came for. */
export function useUnfinishedExport(shop: ExportShop): UnfinishedExport {
    const [{ entity: requested }, setSearch] = useSearch();
    const { activeChannel } = useChannel();
    const channelId = activeChannel?.id ?? '';
    const store = useMemo(() => exportStore(sessionStorage, channelId), [channelId]);
    const [restored, setRestored] = useState(() => {
        const stored = store.find(shop);
        return requested === undefined || requested === stored?.plan.entity ? stored : undefined;
    });
    const [begun, setBegun] = useState(() => restored ?? { plan: firstPlan(shop, requested) });
    const [current, setCurrent] = useState<StoredExport>(begun);
    useEffect(() => {
        if (current !== begun) store.keep(current);
    }, [store, current, begun]);
    const change = useCallback(
        (changes: Partial<ExportPlan>): void => {
            setCurrent(before => ({ ...before, plan: { ...before.plan, ...changes } }));
            // When the page is reloaded, the user does not come for the first entity any more.
            if (changes.entity !== undefined) setSearch({ entity: undefined });
        },
        [setSearch],
    );
    const startOver = (): void => {
        const fresh = { plan: firstPlan(shop, undefined) };
        store.drop();
        setRestored(undefined);
        setBegun(fresh);
        setCurrent(fresh);
    };
    return {
        ...current,
        isRestored: restored !== undefined,
        change,
        rename: name => setCurrent(before => ({ ...before, name })),
        startOver,
        finish: store.drop,
    };
}

function firstPlan(shop: ExportShop, requested: string | undefined): ExportPlan {
    const plan = newPlan(shop, Intl.DateTimeFormat().resolvedOptions().timeZone);
    const entity = EXPORT_ENTITIES.find(one => one === requested);
    return entity === undefined ? plan : { ...plan, entity, fields: defaultFields(entity, shop, plan.language) };
}
