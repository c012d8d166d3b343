import { Trans } from '@lingui/react/macro';
import { Card, CardContent, CardDescription, CardHeader, CardTitle, Link } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** The first steps, until a first real run has been. */
export function GettingStarted(): ReactNode {
    return (
        <Card>
            <CardHeader>
                <CardTitle role="heading" aria-level={2}>
                    <Trans>Getting started</Trans>
                </CardTitle>
                <CardDescription className="[&_a]:underline [&_a]:underline-offset-4">
                    <Trans>
                        Nothing has been loaded yet. <Link to="/flow/import">Import a file</Link> in a few clicks, or
                        set up a pipeline in three steps:
                    </Trans>
                </CardDescription>
            </CardHeader>
            <CardContent>
                <ol className="list-decimal space-y-2 pl-5 text-sm [&_a]:underline [&_a]:underline-offset-4">
                    <li>
                        <Trans>
                            Open a <Link to="/flow/pipelines">pipeline</Link> and start a dry run. It shows the changes
                            and writes nothing.
                        </Trans>
                    </li>
                    <li>
                        <Trans>
                            Upload a <Link to="/flow/files">file</Link> or create a{' '}
                            <Link to="/flow/connections">connection</Link> to your data.
                        </Trans>
                    </li>
                    <li>
                        <Trans>Run the pipeline. Records that could not be loaded are listed here.</Trans>
                    </li>
                </ol>
            </CardContent>
        </Card>
    );
}
