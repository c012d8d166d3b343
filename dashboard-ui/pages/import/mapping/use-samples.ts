import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { useEffect, useState } from 'react';
import type { FileProfile } from '../import.graphql';
import type { ImportPlan } from '../import-plan';
import { type FieldSamples, importMatchesDocument, importSamplesDocument } from './mapping.graphql';

/** After a change, requests wait for the next one. */
const PAUSE_MS = 300;

/** Three values of each field before and after its conversions. The former ones stay until the new ones arrive. */
export function useSamples(profile: FileProfile, plan: ImportPlan) {
    const settled = useSettled(plan);
    const { data, error } = useQuery({
        queryKey: [
            'flow',
            'import-samples',
            profile.id,
            JSON.stringify([settled.fields, settled.variants, settled.prices]),
        ],
        queryFn: () => api.query(importSamplesDocument, { profileId: profile.id, plan: settled, take: 3 }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    const samples: ReadonlyMap<string, FieldSamples> = new Map(
        data?.flowImportSamples.map(one => [one.field, one] as const),
    );
    return { samples, error };
}

/** How many rows match something in the shop. */
export function useMatches(profile: FileProfile, plan: ImportPlan) {
    const settled = useSettled(plan);
    const { data } = useQuery({
        queryKey: [
            'flow',
            'import-matches',
            profile.id,
            JSON.stringify([settled.matchBy, settled.fields, settled.target]),
        ],
        queryFn: () => api.query(importMatchesDocument, { profileId: profile.id, plan: settled }),
        placeholderData: keepPreviousData,
        retry: false,
    });
    return data?.flowImportMatches;
}

function useSettled(plan: ImportPlan): ImportPlan {
    const [settled, setSettled] = useState(plan);
    useEffect(() => {
        const timer = setTimeout(() => setSettled(plan), PAUSE_MS);
        return () => clearTimeout(timer);
    }, [plan]);
    return settled;
}
