import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle } from '@vendure/dashboard';
import { LockIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EditedPipeline } from '../editor.graphql';

/** Why nothing can be changed here, and where it can be. */
export function CodeFirstNotice({ pipeline }: { readonly pipeline: EditedPipeline }): ReactNode {
    return (
        <Alert>
            <LockIcon aria-hidden />
            <AlertTitle>
                <Trans>It can be looked at, not changed</Trans>
            </AlertTitle>
            <AlertDescription>
                {pipeline.codeFirst ? (
                    <Trans>
                        This pipeline stands in the shop's code under the code “{pipeline.code}”: in the plugin's option{' '}
                        <code>pipelines</code>, in its configuration file, or it is made by one of its{' '}
                        <code>connectors</code>. Change it there; it is published when the shop starts.
                    </Trans>
                ) : pipeline.archived ? (
                    <Trans>It is archived. Whoever restores it can change it again.</Trans>
                ) : (
                    <Trans>Your role does not have the permission UpdateFlowPipeline.</Trans>
                )}
            </AlertDescription>
        </Alert>
    );
}
