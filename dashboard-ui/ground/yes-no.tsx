import { Trans } from '@lingui/react/macro';
import { CheckIcon, MinusIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Yes or no, as an icon and a word. */
export function YesNo({ value }: { readonly value: boolean }): ReactNode {
    const Icon = value ? CheckIcon : MinusIcon;
    return (
        <span className={value ? 'flex items-center gap-1' : 'flex items-center gap-1 text-muted-foreground'}>
            <Icon aria-hidden className="size-4" />
            {value ? <Trans context="flow">yes</Trans> : <Trans context="flow">no</Trans>}
        </span>
    );
}
