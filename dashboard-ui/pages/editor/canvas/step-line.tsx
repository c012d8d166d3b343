import { useLingui } from '@lingui/react/macro';
import { cn } from '@vendure/dashboard';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { PlusIcon, XIcon } from 'lucide-react';
import { createContext, memo, type ReactNode, useContext } from 'react';
import type { StepLine as Line } from './nodes';

/** What can be done with a line; undefined where nothing can. */
export interface LineActions {
    /** Puts a step on it. */
    insert(index: number): void;
    remove(index: number): void;
}

/** Actions of all lines: the same object for as long as the canvas is there, so that lines are not drawn again. */
export const LineActionsContext = createContext<LineActions | undefined>(undefined);

const BUTTON =
    'flex size-6 items-center justify-center rounded-full border bg-background text-muted-foreground hover:border-primary hover:text-foreground focus-visible:ring-3 focus-visible:ring-ring/50 outline-none';

/** A line between two steps, with its branch, and a button that puts a step on it. */
export const StepLine = memo(function StepLine(props: EdgeProps<Line>): ReactNode {
    const { t } = useLingui();
    const actions = useContext(LineActionsContext);
    const { source, target, data, selected } = props;
    const [path, x, y] = getBezierPath(props);
    const { index = 0, shift = 0 } = data ?? {};
    return (
        <>
            <BaseEdge
                path={path}
                interactionWidth={24}
                style={{
                    stroke: selected ? 'var(--primary)' : 'var(--muted-foreground)',
                    strokeWidth: selected ? 2.5 : 1.5,
                }}
            />
            <EdgeLabelRenderer>
                <div
                    className="nodrag nopan absolute flex items-center gap-1"
                    style={{
                        transform: `translate(-50%, -50%) translate(${x}px, ${y + shift}px)`,
                        pointerEvents: 'all',
                    }}
                >
                    {data?.branch !== undefined && (
                        <span
                            translate="no"
                            title={data.branch}
                            className="max-w-24 truncate rounded-sm border bg-background px-1 text-xs text-foreground"
                        >
                            {data.branch}
                        </span>
                    )}
                    {actions && (
                        <button
                            type="button"
                            className={cn(BUTTON, !selected && 'opacity-0 hover:opacity-100 focus-visible:opacity-100')}
                            aria-label={t`Add a step between ${source} and ${target}`}
                            onClick={() => actions.insert(index)}
                        >
                            <PlusIcon aria-hidden className="size-3.5" />
                        </button>
                    )}
                    {actions && selected && (
                        <button
                            type="button"
                            className={BUTTON}
                            aria-label={t`Remove the connection from ${source} to ${target}`}
                            onClick={() => actions.remove(index)}
                        >
                            <XIcon aria-hidden className="size-3.5" />
                        </button>
                    )}
                </div>
            </EdgeLabelRenderer>
        </>
    );
});
