import { Trans } from '@lingui/react/macro';
import { Badge, Link } from '@vendure/dashboard';
import { CodeIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface CodeCellProps {
    readonly to: string;
    readonly name?: string;
    readonly code: string;
    readonly codeFirst: boolean;
    readonly enabled: boolean;
}

/** What people call it, its code, and where it comes from. */
export function CodeCell({ to, name, code, codeFirst, enabled }: CodeCellProps): ReactNode {
    return (
        <div className="min-w-40">
            <Link to={to} className="font-medium hover:underline" translate={name === undefined ? 'no' : undefined}>
                {name ?? code}
            </Link>
            <div className="flex flex-wrap items-center gap-2 text-xs text-muted-foreground">
                {name !== undefined && <span translate="no">{code}</span>}
                {codeFirst && <FromCode />}
                {!enabled && (
                    <Badge variant="outline">
                        <Trans>Removed from code</Trans>
                    </Badge>
                )}
            </div>
        </div>
    );
}

/** Marks what is defined in the shop's code and can only be changed there. */
export function FromCode(): ReactNode {
    return (
        <span className="inline-flex items-center gap-1">
            <CodeIcon aria-hidden className="size-3" />
            <Trans>Defined in code</Trans>
        </span>
    );
}
