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
                <Trans>Read-only</Trans>
            </AlertTitle>
            <AlertDescription>
                {pipeline.codeFirst ? (
                    <Trans>
                        This pipeline is defined in the shop's code under the code “{pipeline.code}”: in the plugin
                        option <code>pipelines</code>, in its configuration file, or by one of its{' '}
                        <code>connectors</code>. Change it there. It is published when the shop starts.
                    </Trans>
                ) : pipeline.archived ? (
                    <Trans>This pipeline is archived. Restore it to edit it.</Trans>
                ) : (
                    <Trans>Your role does not have the permission UpdateFlowPipeline.</Trans>
                )}
            </AlertDescription>
        </Alert>
    );
}
