import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { CircleAlertIcon, CircleCheckIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import { WithCode } from '../../../parts/with-code';
import { undrawn } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { countOf, type EditorIssue, messageInStep, stepKeyOf } from '../state/issues';

/** Everything that is wrong or hardly meant; a line leads to the field that it is about. */
export function ProblemList(): ReactNode {
    const { t } = useLingui();
    const { checks, drawing } = useEditor();
    const { errors, warnings } = countOf(checks.issues);
    const hidden = undrawn(drawing.definition);
    if (checks.error) return <FaultNotice error={checks.error} />;
    const sorted = [...checks.issues].sort((a, b) => a.severity.localeCompare(b.severity));
    return (
        <section aria-label={t`Problems`} className="space-y-2 rounded-lg border bg-card p-3">
            <h2 className="flex flex-wrap items-center gap-x-3 text-sm font-medium" aria-live="polite">
                {errors + warnings === 0 ? (
                    <span className="flex items-center gap-1.5">
                        <CircleCheckIcon aria-hidden className="size-4 text-success" />
                        <Trans>No problems found</Trans>
                    </span>
                ) : (
                    <>
                        {errors > 0 && <span>{t`${plural(errors, { one: '# error', other: '# errors' })}`}</span>}
                        {warnings > 0 && (
                            <span>{t`${plural(warnings, { one: '# warning', other: '# warnings' })}`}</span>
                        )}
                    </>
                )}
                {!checks.isCurrent && (
                    <span className="font-normal text-muted-foreground">
                        <Trans>checking …</Trans>
                    </span>
                )}
            </h2>
            {hidden > 0 && (
                <p className="text-sm text-muted-foreground">
                    {t`${plural(hidden, {
                        one: '# entry cannot be displayed. It is kept and can be edited as text.',
                        other: '# entries cannot be displayed. They are kept and can be edited as text.',
                    })}`}
                </p>
            )}
            {sorted.length > 0 && (
                <ul className="max-h-56 space-y-px overflow-y-auto">
                    {sorted.map(issue => (
                        <Problem key={`${issue.code} ${issue.path} ${issue.message}`} issue={issue} />
                    ))}
                </ul>
            )}
        </section>
    );
}

function Problem({ issue }: { readonly issue: EditorIssue }): ReactNode {
    const { t } = useLingui();
    const { drawing, seek } = useEditor();
    const key = stepKeyOf(issue, drawing.definition);
    const isError = issue.severity === 'ERROR';
    const Icon = isError ? CircleAlertIcon : TriangleAlertIcon;
    return (
        <li>
            <button
                type="button"
                className="flex w-full gap-2 rounded-md px-1 py-1 text-left text-sm outline-none hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50"
                onClick={() => {
                    drawing.select(key === undefined ? [] : [key]);
                    seek(issue);
                }}
            >
                <Icon
                    aria-label={isError ? t`Error` : t`Warning`}
                    className={
                        isError ? 'mt-0.5 size-4 shrink-0 text-destructive' : 'mt-0.5 size-4 shrink-0 text-warning'
                    }
                />
                <span className="min-w-0 break-words">
                    {key !== undefined && (
                        <code translate="no" className="mr-1.5">
                            {key}
                        </code>
                    )}
                    <WithCode text={messageInStep(issue)} />
                </span>
            </button>
        </li>
    );
}
