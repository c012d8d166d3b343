import { Trans } from '@lingui/react/macro';
import { Badge } from '@vendure/dashboard';
import type { ReactNode } from 'react';

/** How many codes are shown before the rest is counted. */
const SHOWN = 3;

/** Codes of what would miss it. */
export function UsedBy({ codes }: { readonly codes: readonly string[] }): ReactNode {
    if (codes.length === 0)
        return (
            <span className="text-muted-foreground">
                <Trans>none yet</Trans>
            </span>
        );
    const more = codes.length - SHOWN;
    return (
        <span className="flex flex-wrap gap-1" title={codes.join(', ')}>
            {codes.slice(0, SHOWN).map(code => (
                <Badge key={code} variant="outline" translate="no">
                    {code}
                </Badge>
            ))}
            {more > 0 && (
                <span className="text-muted-foreground">
                    <Trans>and {more} more</Trans>
                </span>
            )}
        </span>
    );
}
