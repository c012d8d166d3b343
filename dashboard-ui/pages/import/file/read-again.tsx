import { Trans } from '@lingui/react/macro';
import { Checkbox, Label } from '@vendure/dashboard';
import type { ReactNode } from 'react';

interface ReadAgainProps {
    readonly isChecked: boolean;
    readonly onChange: (isChecked: boolean) => void;
}

/** Whether later imports read the file from its source, or import the content of today. */
export function ReadAgain({ isChecked, onChange }: ReadAgainProps): ReactNode {
    return (
        <Label className="flex min-h-6 items-center gap-2 font-normal">
            <Checkbox checked={isChecked} onCheckedChange={checked => onChange(checked === true)} />
            <Trans>Read it again at every import</Trans>
        </Label>
    );
}
