import { Trans, useLingui } from '@lingui/react/macro';
import { Button, cn } from '@vendure/dashboard';
import { ArrowDownIcon, ArrowUpIcon, CircleAlertIcon, PlusIcon, Trash2Icon, TriangleAlertIcon } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from '../../../ground/icon-button';
import { adapterOf } from '../catalogue/catalogue';
import { KindIcon } from '../catalogue/kind-icon';
import { useKindWords } from '../../../parts/kind-words';
import { titleOf } from '../model/definition';
import { deleteSteps, moveInFlow } from '../model/edits';
import { type OutlineLine, outlineOf } from '../model/outline';
import { usePalette } from '../palette/palette-state';
import { useEditor } from '../state/editor-context';
import { countOf, stepKeyOf } from '../state/issues';

const INDENT_REM = 1.5;

/** The pipeline as an indented list in the order of its flow: a full editor without a mouse, and what a phone shows. */
export function Outline(): ReactNode {
    const { t } = useLingui();
    const { drawing, isReadOnly } = useEditor();
    const palette = usePalette();
    const lines = outlineOf(drawing.definition);
    const titles = new Map(lines.map(({ step }) => [step.key, titleOf(step)]));
    const list = useRef<HTMLOListElement>(null);
    const place = useRef(0);
    const count = lines.length;
    const before = useRef(count);
    // After the focused line is deleted, the focus moves to the line at its position.
    useEffect(() => {
        const isLess = count < before.current;
        before.current = count;
        if (!isLess || document.activeElement !== document.body) return;
        const all = list.current?.querySelectorAll<HTMLElement>('[data-flow-line]') ?? [];
        all[Math.min(place.current, count - 1)]?.focus();
    }, [count]);
    const walk = (event: KeyboardEvent<HTMLOListElement>): void => {
        const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        if (step === 0 || !(event.target instanceof HTMLElement) || !event.target.matches('[data-flow-line]')) return;
        const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-flow-line]')];
        event.preventDefault();
        all[all.indexOf(event.target) + step]?.focus();
    };
    return (
        <div className="rounded-lg border bg-card" data-flow-drawing>
            <ol
                ref={list}
                aria-label={t`The steps in order`}
                className="divide-y"
                onKeyDown={walk}
                onFocus={({ target, currentTarget }) => {
                    place.current = [...currentTarget.children].findIndex(line => line.contains(target));
                }}
            >
                {lines.map(line => (
                    <Line key={line.step.key} line={line} titles={titles} />
                ))}
            </ol>
            {lines.length === 0 && (
                <p className="p-4 text-sm text-muted-foreground">
                    <Trans>No steps yet. Start with a trigger and a source.</Trans>
                </p>
            )}
            {!isReadOnly && (
                <div className="border-t p-2">
                    <Button
                        variant="ghost"
                        size="sm"
                        className="h-auto min-h-8 text-left whitespace-normal"
                        onClick={() => palette.open({})}
                    >
                        <PlusIcon aria-hidden />
                        <Trans>Add an unconnected step</Trans>
                    </Button>
                </div>
            )}
        </div>
    );
}

interface LineProps {
    readonly line: OutlineLine;
    /** What steps are called, by their keys. */
    readonly titles: ReadonlyMap<string, string>;
}

function Line({ line: { step, depth, comesFrom }, titles }: LineProps): ReactNode {
    const { t } = useLingui();
    const { drawing, catalogue, checks, isReadOnly } = useEditor();
    const palette = usePalette();
    const wordOf = useKindWords();
    const { key } = step;
    const isChosen = drawing.selected.includes(key);
    const { errors, warnings } = countOf(checks.issues.filter(issue => stepKeyOf(issue, drawing.definition) === key));
    const title = titleOf(step);
    const from = comesFrom
        .map(edge => [titles.get(edge.from), edge.branch && `(${edge.branch})`].filter(Boolean).join(' '))
        .join(', ');
    const moved = (way: 'earlier' | 'later') => moveInFlow(drawing.definition, key, way);
    return (
        <li
            className={cn('flex items-center gap-x-1 py-1 pr-1', isChosen && 'bg-accent')}
            style={{ paddingLeft: `${0.5 + depth * INDENT_REM}rem` }}
        >
            <button
                type="button"
                data-flow-line
                aria-current={isChosen}
                className="flex min-w-0 grow items-center gap-2 rounded-md px-1 py-1 text-left outline-none focus-visible:ring-3 focus-visible:ring-ring/50"
                onClick={event => {
                    const adds = event.shiftKey || event.ctrlKey || event.metaKey;
                    if (!adds) return drawing.select([key]);
                    const others = drawing.selected.filter(one => one !== key);
                    return drawing.select(isChosen ? others : [...others, key]);
                }}
            >
                <KindIcon kind={step.kind} className="size-4 shrink-0 text-muted-foreground" />
                <span className="min-w-0">
                    <span
                        className={cn('block truncate text-sm font-medium', step.isDisabled && 'line-through')}
                        translate="no"
                    >
                        {title}
                    </span>
                    <span
                        className={cn('block truncate text-xs', isChosen ? 'text-foreground' : 'text-muted-foreground')}
                    >
                        {adapterOf(catalogue, step)?.title ?? wordOf(step.kind)}
                        {from !== '' && (
                            <>
                                {' · '}
                                <Trans>comes from {from}</Trans>
                            </>
                        )}
                        {step.isDisabled && ` · ${t({ message: 'disabled', context: 'flow' })}`}
                    </span>
                </span>
                {errors > 0 && (
                    <CircleAlertIcon className="size-4 shrink-0 text-destructive" aria-label={t`has errors`} />
                )}
                {warnings > 0 && (
                    <TriangleAlertIcon className="size-4 shrink-0 text-warning" aria-label={t`has warnings`} />
                )}
            </button>
            {!isReadOnly && (
                <span className="ml-auto flex shrink-0">
                    <IconButton
                        label={t`Move ${title} up`}
                        isOff={moved('earlier') === drawing.definition}
                        onPress={() => drawing.edit(() => moved('earlier'))}
                    >
                        <ArrowUpIcon />
                    </IconButton>
                    <IconButton
                        label={t`Move ${title} down`}
                        isOff={moved('later') === drawing.definition}
                        onPress={() => drawing.edit(() => moved('later'))}
                    >
                        <ArrowDownIcon />
                    </IconButton>
                    <IconButton label={t`Add a step after ${title}`} onPress={() => palette.open({ behind: { key } })}>
                        <PlusIcon />
                    </IconButton>
                    <IconButton
                        label={t`Delete ${title}`}
                        onPress={() => drawing.edit(old => deleteSteps(old, [key]), { select: [] })}
                    >
                        <Trash2Icon />
                    </IconButton>
                </span>
            )}
        </li>
    );
}
