import { CircleAlertIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText, useLineText } from '../../../i18n/use-server-texts';
import type { StepTest } from '../editor.graphql';

/** What ended a trial before its end, and what it warned of. */
export function TrialRemarks({ test: { error, log } }: { readonly test: Pick<StepTest, 'error' | 'log'> }): ReactNode {
    const textOf = useLineText();
    const messageOf = useErrorText();
    const warnings = log.filter(({ level }) => level === 'WARN' || level === 'ERROR');
    if (!error && warnings.length === 0) return null;
    return (
        <ul className="space-y-1 text-sm">
            {error && (
                <li className="flex gap-1.5">
                    <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-destructive" />
                    <span className="min-w-0 wrap-anywhere">{messageOf(error)}</span>
                </li>
            )}
            {warnings.map((line, i) => (
                <li key={i} className="flex gap-1.5">
                    <TriangleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
                    <span className="min-w-0 wrap-anywhere">{textOf(line)}</span>
                </li>
            ))}
        </ul>
    );
}
