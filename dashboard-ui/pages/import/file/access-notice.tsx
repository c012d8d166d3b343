import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, api, useDisplayLocale, useQuery } from '@vendure/dashboard';
import { InfoIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { importAccessDocument } from '../import.graphql';

/** Permissions that the user lacks, before the import ends half-way. Renders nothing if there are none. */
export function AccessNotice(): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    const { data } = useQuery({
        queryKey: ['flow', 'import-access'],
        queryFn: () => api.query(importAccessDocument, {}),
        staleTime: 60_000,
        // Each step reports its own errors.
        retry: false,
    });
    const missing = data?.flowImportAccess.missing ?? [];
    if (missing.length === 0) return null;
    const list = new Intl.ListFormat(bcp47Tag).format(missing);
    return (
        <Alert>
            <InfoIcon aria-hidden />
            <AlertTitle>
                <Trans>Your role lacks permissions that imports need</Trans>
            </AlertTitle>
            <AlertDescription>
                <p>
                    <Trans>
                        You can prepare an import, but parts of it may be rejected. Ask an administrator for a role
                        with:
                    </Trans>{' '}
                    <span translate="no">{list}</span>
                </p>
            </AlertDescription>
        </Alert>
    );
}
