import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle } from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText } from '../../i18n/use-server-texts';
import type { Pipeline } from './pipeline.graphql';

/** Why the definition of a pipeline in the shop's code is not published. */
export function PublicationIssues({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const textOf = useErrorText();
    const { publicationIssues: issues } = pipeline;
    if (!issues || issues.length === 0) return null;
    return (
        <Alert>
            <TriangleAlertIcon aria-hidden />
            <AlertTitle>
                <Trans>The definition in code is not published</Trans>
            </AlertTitle>
            <AlertDescription>
                <ul className="list-disc pl-4">
                    {issues.map(({ path, message, facts }) => (
                        <li key={`${path} ${message}`}>{textOf({ message, facts })}</li>
                    ))}
                </ul>
                <Trans>It is published automatically once this is resolved.</Trans>
            </AlertDescription>
        </Alert>
    );
}
