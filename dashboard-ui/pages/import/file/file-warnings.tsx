import { Plural } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FileWarning } from '../import.graphql';
import { useWarningText } from '../import-words';

/** Warnings that are shown before all are shown. */
const SHOWN = 3;

/** What is unusual about a file. */
export function FileWarnings({ warnings }: { readonly warnings: readonly FileWarning[] }): ReactNode {
    const textOf = useWarningText();
    const [isOpen, setOpen] = useState(false);
    const shown = isOpen ? warnings : warnings.slice(0, SHOWN);
    const more = warnings.length - shown.length;
    if (warnings.length === 0) return null;
    return (
        <div className="space-y-2">
            <ul className="space-y-1 text-sm">
                {shown.map((warning, at) => (
                    <li key={at} className="flex items-start gap-2">
                        <TriangleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
                        {textOf(warning)}
                    </li>
                ))}
            </ul>
            {more > 0 && (
                <Button variant="ghost" size="sm" onClick={() => setOpen(true)}>
                    <Plural value={more} one="Show # more warning" other="Show # more warnings" />
                </Button>
            )}
        </div>
    );
}
