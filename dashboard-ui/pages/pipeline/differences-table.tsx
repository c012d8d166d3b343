import { Trans, useLingui } from '@lingui/react/macro';
import { TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import { MinusIcon, PencilIcon, PlusIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../../ground/state-badge';
import { shownText } from '../../parts/record-fields';
import { WideTable } from '../../parts/wide-table';
import type { RevisionDifference } from './pipeline.graphql';

/** Differences as a table: what became of what, before and after. */
export function DifferencesTable({ differences }: { readonly differences: readonly RevisionDifference[] }): ReactNode {
    const { t } = useLingui();
    if (differences.length === 0)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>They are equivalent.</Trans>
            </p>
        );
    return (
        <WideTable name={t({ message: 'Differences', context: 'flow' })}>
            <TableHeader>
                <TableRow>
                    <TableHead>
                        <Trans context="flow">Name</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Step</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Where</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Before</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">After</Trans>
                    </TableHead>
                </TableRow>
            </TableHeader>
            <TableBody>
                {differences.map(difference => (
                    <DifferenceRow
                        key={`${difference.kind} ${difference.subject} ${difference.path}`}
                        difference={difference}
                    />
                ))}
            </TableBody>
        </WideTable>
    );
}

const KINDS = {
    ADDED: { icon: PlusIcon, tone: 'good' },
    REMOVED: { icon: MinusIcon, tone: 'bad' },
    CHANGED: { icon: PencilIcon, tone: 'quiet' },
} as const;

/** The step is in the neighbouring column. */
function pathWithin({ path, stepKey }: RevisionDifference): string {
    const ofStep = `steps.${stepKey ?? ''}`;
    return stepKey !== null && `${path}.`.startsWith(`${ofStep}.`) ? path.slice(ofStep.length + 1) : path;
}

function DifferenceRow({ difference }: { readonly difference: RevisionDifference }): ReactNode {
    const { t } = useLingui();
    const kinds = { ADDED: t`added`, REMOVED: t`removed`, CHANGED: t`changed` };
    const subjects = {
        STEP: t`step`,
        OPERATOR: t`operator`,
        ARGUMENT: t`argument`,
        EDGE: t`edge`,
        SETTING: t`setting`,
    };
    const { icon, tone } = KINDS[difference.kind];
    return (
        <TableRow>
            <TableCell className="align-top">
                <StateBadge tone={tone} icon={icon}>
                    {`${subjects[difference.subject]}: ${kinds[difference.kind]}`}
                </StateBadge>
            </TableCell>
            <TableCell className="align-top" translate="no">
                {difference.stepKey ?? ''}
            </TableCell>
            <TableCell className="min-w-32 align-top font-mono text-xs break-all whitespace-normal" translate="no">
                {pathWithin(difference)}
            </TableCell>
            <TableCell
                className="max-w-72 align-top break-words whitespace-pre-wrap text-muted-foreground"
                translate="no"
            >
                {shownText(difference.before ?? undefined)}
            </TableCell>
            <TableCell className="max-w-72 align-top break-words whitespace-pre-wrap" translate="no">
                {shownText(difference.after ?? undefined)}
            </TableCell>
        </TableRow>
    );
}
