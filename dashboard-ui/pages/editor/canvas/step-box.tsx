import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { cn } from '@vendure/dashboard';
import { Handle, type NodeProps, Position, useUpdateNodeInternals } from '@xyflow/react';
import { CircleAlertIcon, TriangleAlertIcon } from 'lucide-react';
import { memo, type ReactNode, useEffect } from 'react';
import { KindIcon } from '../catalogue/kind-icon';
import { useKindWords } from '../../../parts/kind-words';
import { BOX } from './layout';
import type { StepNode } from './nodes';

const HANDLE = '!size-3 !border-2 !border-background !bg-muted-foreground hover:!bg-primary';

/** The box of a step: what it is called, what it is, and whether something is wrong with it. */
export const StepBox = memo(function StepBox({ id, data, selected, isConnectable }: NodeProps<StepNode>): ReactNode {
    const { t } = useLingui();
    const wordOf = useKindWords();
    const { title, kind, adapter, calls, isDisabled, isFirst, branches, errors, warnings } = data;
    // Lines begin where the points are now.
    const updateInternals = useUpdateNodeInternals();
    const points = branches?.join(' ');
    useEffect(() => {
        if (points !== undefined) updateInternals(id);
    }, [points, id, updateInternals]);
    const word = wordOf(kind);
    const what =
        adapter ?? (calls === undefined ? word : t`${word}, ${plural(calls, { one: '# entry', other: '# entries' })}`);
    return (
        <div
            className={cn(
                'relative flex flex-col justify-center gap-1 rounded-lg border-2 bg-card px-3 text-card-foreground shadow-xs',
                errors > 0 ? 'border-destructive' : warnings > 0 ? 'border-warning' : 'border-border',
                selected && 'ring-2 ring-ring ring-offset-1 ring-offset-background',
                isDisabled && 'opacity-60',
            )}
            style={BOX}
        >
            {!isFirst && (
                <Handle type="target" position={Position.Top} className={HANDLE} isConnectable={isConnectable} />
            )}
            <div className="flex items-center gap-2">
                <KindIcon kind={kind} className="size-4 shrink-0 text-muted-foreground" />
                <span className={cn('truncate text-sm font-medium', isDisabled && 'line-through')} translate="no">
                    {title}
                </span>
                <span className="ml-auto flex shrink-0 gap-1">
                    {errors > 0 && (
                        <CircleAlertIcon
                            className="size-4 text-destructive"
                            aria-label={t`${plural(errors, { one: '# error', other: '# errors' })}`}
                        />
                    )}
                    {warnings > 0 && (
                        <TriangleAlertIcon
                            className="size-4 text-warning"
                            aria-label={t`${plural(warnings, { one: '# warning', other: '# warnings' })}`}
                        />
                    )}
                </span>
            </div>
            <span className="truncate text-xs text-muted-foreground">{isDisabled ? t`${what}, disabled` : what}</span>
            {branches === undefined ? (
                <Handle type="source" position={Position.Bottom} className={HANDLE} isConnectable={isConnectable} />
            ) : (
                branches.map((branch, i) => (
                    <Handle
                        key={branch}
                        id={branch}
                        type="source"
                        position={Position.Bottom}
                        title={branch}
                        className={HANDLE}
                        isConnectable={isConnectable}
                        style={{ left: `${((i + 1) / (branches.length + 1)) * 100}%` }}
                    />
                ))
            )}
        </div>
    );
});
