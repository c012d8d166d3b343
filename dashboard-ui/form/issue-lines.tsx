import { useLingui } from '@lingui/react/macro';
import { FieldError } from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { FormIssue } from './form-context';
import { useSought } from './sought';

/** Issues of a field that come from elsewhere: errors and warnings, which differ by word and icon. */
export function IssueLine({ issue }: { readonly issue: FormIssue }): ReactNode {
    const { t } = useLingui();
    if (issue.severity === 'ERROR') return <FieldError>{issue.message}</FieldError>;
    return (
        <p className="flex gap-1.5 text-sm">
            <TriangleAlertIcon aria-label={t`Warning`} className="mt-0.5 size-4 shrink-0 text-warning" />
            <span>{issue.message}</span>
        </p>
    );
}

/** Issues of fields that are not shown, each with its path. A search for an issue leads to its line here. */
export function IssueLines({ issues }: { readonly issues: readonly FormIssue[] }): ReactNode {
    const place = useRef<HTMLDivElement>(null);
    useSought(place, issues);
    if (issues.length === 0) return null;
    return (
        <div ref={place} className="outline-none">
            {issues.map(issue => (
                <IssueLine key={`${issue.path} ${issue.message}`} issue={withPlace(issue)} />
            ))}
        </div>
    );
}

function withPlace(issue: FormIssue): FormIssue {
    return issue.path === '' ? issue : { ...issue, message: `${issue.path}: ${issue.message}` };
}
