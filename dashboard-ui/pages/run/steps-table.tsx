import { Trans, useLingui } from '@lingui/react/macro';
import { Link, TableBody, TableCell, TableHead, TableHeader, TableRow, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { Count } from '../../parts/figure';
import { useKindWords } from '../../parts/kind-words';
import { Duration } from '../../parts/moment';
import { useTriggerWords } from '../../parts/trigger-words';
import { usePlaceText } from '../../parts/use-place-text';
import { Waiting } from '../../parts/waiting';
import { WideTable } from '../../parts/wide-table';
import type { Run, RunStep } from './run.graphql';

interface StepsTableProps {
    readonly run: Run;
    readonly isStale: boolean;
}

/** Step by step: what came in, what went out, how fast, and what it waits for. */
export function StepsTable({ run, isStale }: StepsTableProps): ReactNode {
    const { t } = useLingui();
    const longest = Math.max(1, ...run.steps.map(({ ms }) => ms ?? 0));
    return (
        <div className={isStale ? 'overflow-x-auto opacity-60' : 'overflow-x-auto'}>
            <WideTable name={t({ message: 'Steps', context: 'flow' })}>
                <TableHeader>
                    <TableRow>
                        <TableHead>
                            <Trans context="flow">Step</Trans>
                        </TableHead>
                        <NumberHead>
                            <Trans context="flow records">In</Trans>
                        </NumberHead>
                        <NumberHead>
                            <Trans context="flow records">Out</Trans>
                        </NumberHead>
                        <NumberHead>
                            <Trans context="flow records">Filtered</Trans>
                        </NumberHead>
                        <NumberHead>
                            <Trans context="flow records">Rejected</Trans>
                        </NumberHead>
                        <NumberHead>
                            <Trans>Records/s</Trans>
                        </NumberHead>
                        <TableHead>
                            <Trans>Time</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans>Progress</Trans>
                        </TableHead>
                    </TableRow>
                </TableHeader>
                <TableBody>
                    {run.steps.map(step => (
                        <StepRow key={step.stepKey} run={run} step={step} longest={longest} />
                    ))}
                </TableBody>
            </WideTable>
        </div>
    );
}

function NumberHead({ children }: { readonly children: ReactNode }): ReactNode {
    return <TableHead className="text-right">{children}</TableHead>;
}

interface StepRowProps {
    readonly run: Run;
    readonly step: RunStep;
    readonly longest: number;
}

function StepRow({ run, step, longest }: StepRowProps): ReactNode {
    const { counters } = step;
    const titleOf = useStepTitle();
    return (
        <TableRow>
            <TableCell>
                <span className="font-medium" translate="no">
                    {step.stepKey}
                </span>
                <span className="block text-xs text-muted-foreground">{titleOf(step)}</span>
            </TableCell>
            <TableCell className="text-right">
                {step.kind === 'EXTRACT' || step.kind === 'TRIGGER' ? '–' : <Count value={counters.in} />}
            </TableCell>
            <TableCell className="text-right">
                <Count value={counters.out} />
            </TableCell>
            <TableCell className="text-right">
                <Count value={counters.filtered} />
            </TableCell>
            <TableCell className="text-right">
                {counters.rejected === 0 ? (
                    <Count value={0} />
                ) : (
                    <Link
                        to="/flow/record-errors"
                        search={{ runId: run.id, stepKey: step.stepKey } as never}
                        className="inline-block min-h-6 font-medium underline underline-offset-4"
                    >
                        <Count value={counters.rejected} />
                    </Link>
                )}
            </TableCell>
            <TableCell className="text-right">
                {step.recordsPerSecond === null ? '–' : <Count value={Math.round(step.recordsPerSecond)} />}
            </TableCell>
            <TableCell>
                <TimeBar ms={step.ms} longest={longest} />
            </TableCell>
            <TableCell className="text-sm">
                <IsAt step={step} />
            </TableCell>
        </TableRow>
    );
}

function TimeBar({ ms, longest }: { readonly ms: number | null; readonly longest: number }): ReactNode {
    if (ms === null) return '–';
    return (
        <span className="flex items-center gap-2">
            <span aria-hidden className="h-1.5 w-16 overflow-hidden rounded-full bg-muted">
                <span className="block h-full bg-primary" style={{ width: `${((ms / longest) * 100).toFixed(0)}%` }} />
            </span>
            <Duration ms={ms} />
        </span>
    );
}

function IsAt({ step: { source, waitsFor, counters } }: { readonly step: RunStep }): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    const placeOf = usePlaceText();
    if (waitsFor) return <Waiting wait={waitsFor} />;
    if (source) {
        const { filename, place } = source;
        // Of several files a place says in which of them it is.
        const isNamed = filename !== null && place?.startsWith(filename) === true;
        return <span translate="no">{[!isNamed && filename, placeOf(place)].filter(Boolean).join(', ')}</span>;
    }
    const done = [
        [t({ message: 'created', context: 'flow records' }), counters.created],
        [t({ message: 'updated', context: 'flow records' }), counters.updated],
        [t({ message: 'deleted', context: 'flow records' }), counters.deleted],
        [t({ message: 'unchanged', context: 'flow records' }), counters.unchanged],
        [t({ message: 'held', context: 'flow records' }), counters.held],
    ] as const;
    return done
        .filter(([, count]) => count > 0)
        .map(([word, count]) => `${formatNumber(count)} ${word}`)
        .join(', ');
}

/** The description of a step without a name: its kind in words, and its adapter. */
export function useStepTitle(): (step: RunStep) => string {
    const wordOf = useKindWords();
    const triggers = useTriggerWords();
    return ({ name, stepKey, kind, adapterCode }) => {
        if (name !== stepKey) return name;
        const what = adapterCode !== null && kind === 'TRIGGER' ? (triggers[adapterCode] ?? adapterCode) : adapterCode;
        return [wordOf(kind), what].filter(Boolean).join(' · ');
    };
}
