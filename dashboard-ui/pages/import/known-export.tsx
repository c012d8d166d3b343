import { Trans } from '@lingui/react/macro';
import { Button, Card, CardContent } from '@vendure/dashboard';
import { PackageCheckIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { KNOWN_EXPORT_NAMES } from './import-words';
import { useWizard } from './wizard-context';
import { isReachable } from './wizard-state';

/** Names the system whose export the file is: there is nothing to map. Renders nothing for other files. */
export function KnownExport(): ReactNode {
    const { state, open, reading } = useWizard();
    const code = state.plan?.knownExport;
    if (code === undefined) return null;
    const name = KNOWN_EXPORT_NAMES[code] ?? code;
    return (
        <Card>
            <CardContent className="flex flex-wrap items-center gap-3">
                <PackageCheckIcon aria-hidden className="size-5 text-success" />
                <p className="min-w-0 grow">
                    <Trans>This file is an export of {name}. Its columns are mapped.</Trans>
                </p>
                {isReachable(state, 'CHECK') && (
                    <Button
                        variant="outline"
                        className="max-md:h-11"
                        disabled={reading.pending !== undefined}
                        onClick={() => open('CHECK')}
                    >
                        <Trans>Continue to check</Trans>
                    </Button>
                )}
            </CardContent>
        </Card>
    );
}
