import { api, usePermissions, useQuery } from '@vendure/dashboard';
import { settingsDocument } from '../../settings/settings.graphql';

/** The shop's limit in bytes; undefined for users who may not see the settings. The server enforces it for all. */
export function useMaxFileSize(): number | undefined {
    const { hasPermissions } = usePermissions();
    const { data } = useQuery({
        queryKey: ['flow', 'import-max-file-size'],
        queryFn: () => api.query(settingsDocument, {}),
        enabled: hasPermissions(['ManageFlowConnections']),
        staleTime: Infinity,
        retry: false,
    });
    const value = data?.flowSettings.find(({ path }) => path === 'files.maxFileSize')?.value;
    return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value);
}
