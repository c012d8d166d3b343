import { useLingui } from '@lingui/react/macro';
import { cn, useLocalFormat } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import type { Run, RunStep } from './run.graphql';
import { useStepTitle } from './steps-table';
import { layOut, type StepPlace } from './step-layout';

const BOX = { width: 184, height: 84 };
const GAP = { x: 32, y: 24 };

const left = (column: number): number => column * (BOX.width + GAP.x);
const top = (row: number): number => row * (BOX.height + GAP.y);

/** The flow as a picture, with the figures of each step. The table of steps says the same, and more. */
export function StepGraph({ run }: { readonly run: Run }): ReactNode {
    const { t } = useLingui();
    const { places, edges } = layOut(
        run.steps.map(({ stepKey, next }) => ({ stepKey, next: next.map(edge => edge.stepKey) })),
    );
    const placed = new Map(places.map(place => [place.stepKey, place]));
    const width = left(Math.max(0, ...places.map(({ column }) => column))) + BOX.width;
    const height = top(Math.max(0, ...places.map(({ row }) => row))) + BOX.height;
    return (
        <div
            className="overflow-x-auto pb-2"
            tabIndex={0}
            role="group"
            aria-label={t`The steps of this run as a graph`}
        >
            <div className="relative" style={{ width, height }}>
                <svg aria-hidden className="absolute inset-0 text-muted-foreground" width={width} height={height}>
                    {edges.map(({ from, to }) => (
                        <path
                            key={`${from}>${to}`}
                            d={lineBetween(placed.get(from)!, placed.get(to)!)}
                            fill="none"
                            stroke="currentColor"
                            strokeWidth={1.5}
                        />
                    ))}
                </svg>
                <ol>
                    {run.steps.map(step => (
                        <StepBox
                            key={step.stepKey}
                            step={step}
                            place={placed.get(step.stepKey)!}
                            isFault={run.error?.stepKey === step.stepKey}
                        />
                    ))}
                </ol>
            </div>
        </div>
    );
}

function lineBetween(from: StepPlace, to: StepPlace): string {
    const startX = left(from.column) + BOX.width;
    const startY = top(from.row) + BOX.height / 2;
    const endX = left(to.column);
    const endY = top(to.row) + BOX.height / 2;
    const bend = GAP.x / 2;
    return `M ${startX} ${startY} C ${startX + bend} ${startY}, ${endX - bend} ${endY}, ${endX} ${endY}`;
}

interface StepBoxProps {
    readonly step: RunStep;
    readonly place: StepPlace;
    readonly isFault: boolean;
}

function StepBox({ step, place, isFault }: StepBoxProps): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    const { counters } = step;
    const titleOf = useStepTitle();
    const rejected = formatNumber(counters.rejected);
    const flow =
        step.kind === 'EXTRACT'
            ? formatNumber(counters.out)
            : `${formatNumber(counters.in)} → ${formatNumber(counters.out)}`;
    return (
        <li
            className={cn(
                'absolute flex flex-col gap-0.5 overflow-hidden rounded-md border bg-card p-2 text-sm',
                (isFault || counters.rejected > 0) && 'border-warning',
                isFault && 'border-2 border-destructive',
            )}
            style={{ left: left(place.column), top: top(place.row), width: BOX.width, height: BOX.height }}
        >
            <span className="truncate font-medium" translate="no">
                {step.stepKey}
            </span>
            <span className="truncate text-xs text-muted-foreground">{titleOf(step)}</span>
            <span className="mt-auto flex justify-between text-xs tabular-nums">
                <span>{flow}</span>
                {counters.rejected > 0 && <span className="font-medium">{t`${rejected} rejected`}</span>}
            </span>
        </li>
    );
}
