import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { useEffect, useState } from 'react';
import type { VariablesOf } from '../../gql/graphql';
import { COLUMNS_STEP, type ExportDefinition } from './compile-export';
import { exportPreviewDocument } from './export.graphql';

/** Records that are read for a preview: filters of the product of a variant are applied to them. */
const READ = 50;
const PAUSE_MS = 400;

/** What the first records become; undefined until the first response. */
export function usePreview(definition: ExportDefinition, isAllowed: boolean) {
    const text = usePaused(JSON.stringify(definition));
    return useQuery({
        queryKey: ['flow', 'export-preview', text],
        queryFn: async () => {
            const input: VariablesOf<typeof exportPreviewDocument>['input'] = {
                definition: JSON.parse(text) as unknown,
                stepKey: COLUMNS_STEP,
                limit: READ,
            };
            const { testFlowStep } = await api.mutate(exportPreviewDocument, { input });
            return testFlowStep;
        },
        enabled: isAllowed,
        placeholderData: keepPreviousData,
        retry: false,
    });
}

/** A text once it has not changed for a moment. */
function usePaused(text: string): string {
    const [paused, setPaused] = useState(text);
    useEffect(() => {
        const timer = setTimeout(() => setPaused(text), PAUSE_MS);
        return () => clearTimeout(timer);
    }, [text]);
    return paused;
}
