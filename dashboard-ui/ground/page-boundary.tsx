import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button } from '@vendure/dashboard';
import { CircleAlertIcon, RotateCcwIcon } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { faultOf } from './fault';

interface State {
    readonly error: unknown;
}

/** Limits an error to its page: the navigation stays, and the page can be reloaded. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, State> {
    override state: State = { error: undefined };

    static getDerivedStateFromError(error: unknown): State {
        return { error };
    }

    override render(): ReactNode {
        const { error } = this.state;
        if (error === undefined) return this.props.children;
        return (
            <div className="m-4">
                <Alert variant="destructive">
                    <CircleAlertIcon />
                    <AlertTitle>
                        <Trans>This page could not be displayed</Trans>
                    </AlertTitle>
                    <AlertDescription className="space-y-3">
                        <p translate="no">{faultOf(error).message}</p>
                        <p>
                            <Trans>
                                Reload the page if the shop was updated. Unsaved changes of the editor are kept.
                            </Trans>
                        </p>
                        {/* A chunk that failed to load is requested again only by a full reload. */}
                        <Button variant="outline" size="sm" onClick={() => location.reload()}>
                            <RotateCcwIcon />
                            <Trans>Reload the page</Trans>
                        </Button>
                    </AlertDescription>
                </Alert>
            </div>
        );
    }
}
