import { useLingui } from '@lingui/react/macro';
import { cn } from '@vendure/dashboard';
import { MinusIcon, PencilIcon, PlusIcon } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { BOX, laidOut } from '../editor/canvas/layout';
import { KindIcon } from '../editor/catalogue/kind-icon';
import { type Definition, edgeId } from '../editor/model/definition';
import { comparedGraph, type Fate } from './compared-graph';

const MARGIN = 16;
const BEND = 36;
/** What became of it is also said in a word and a sign; a colour alone says nothing. */
const LOOKS = {
    ADDED: { icon: PlusIcon, box: 'border-success', line: 'text-success', sign: 'text-success' },
    REMOVED: { icon: MinusIcon, box: 'border-destructive', line: 'text-destructive', sign: 'text-destructive' },
    CHANGED: { icon: PencilIcon, box: 'border-warning', line: '', sign: 'text-warning' },
    SAME: { icon: undefined, box: 'border-border', line: 'text-muted-foreground/60', sign: '' },
} as const satisfies Record<Fate, object>;

interface ComparedPictureProps {
    readonly before: Definition;
    readonly after: Definition;
    readonly differences: ReadonlyArray<{ readonly stepKey: string | null }>;
    /** The step whose differences are looked at. */
    readonly chosen: string | undefined;
    readonly onChoose: (stepKey: string | undefined) => void;
}

/** Two definitions as one graph: steps that came, changed and went. A press on one of them shows what of it differs. */
export default function ComparedPicture(props: ComparedPictureProps): ReactNode {
    const { before, after, differences, chosen, onChoose } = props;
    const { t } = useLingui();
    const graph = useMemo(() => comparedGraph(before, after, differences), [before, after, differences]);
    const places = useMemo(() => laidOut(graph.union, 'LR'), [graph]);
    const all = [...places.values()];
    const width = Math.max(0, ...all.map(({ x }) => x)) + BOX.width + MARGIN;
    const height = Math.max(0, ...all.map(({ y }) => y)) + BOX.height + MARGIN;
    const scroller = useRef<HTMLDivElement>(null);
    // It begins where something differs.
    useEffect(() => {
        const differing = graph.steps.flatMap(({ step, fate }) => (fate === 'SAME' ? [] : [places.get(step.key)!]));
        const first = differing.sort((a, b) => a.x - b.x)[0];
        const { current } = scroller;
        if (!first || !current) return;
        // With what comes before it, where there is room for that.
        const before = Math.max(MARGIN, Math.min(BOX.width, (current.clientWidth - BOX.width) / 2));
        current.scrollTo({ left: first.x - before, top: first.y - MARGIN });
    }, [graph, places]);
    const words = { ADDED: t`added`, REMOVED: t`removed`, CHANGED: t`changed`, SAME: t`unchanged` };
    return (
        <div
            ref={scroller}
            className="max-h-96 overflow-auto rounded-lg border"
            tabIndex={0}
            role="group"
            aria-label={t`Differences as a graph`}
        >
            <div className="relative" style={{ width, height }}>
                <svg aria-hidden className="absolute inset-0" width={width} height={height}>
                    {graph.edges.map(({ edge, fate }) => (
                        <path
                            key={`${edgeId(edge)} ${fate}`}
                            className={LOOKS[fate].line}
                            d={lineBetween(places.get(edge.from)!, places.get(edge.to)!)}
                            fill="none"
                            stroke="currentColor"
                            strokeWidth={fate === 'SAME' ? 1.5 : 2.5}
                            opacity={fate === 'REMOVED' ? 0.5 : 1}
                        />
                    ))}
                </svg>
                <ol>
                    {graph.steps.map(({ step: { key, kind, name }, fate }) => {
                        const { x, y } = places.get(key)!;
                        const { icon: Icon, box, sign } = LOOKS[fate];
                        return (
                            <li key={key} className="absolute" style={{ left: x, top: y }}>
                                <button
                                    type="button"
                                    aria-pressed={chosen === key}
                                    disabled={fate === 'SAME'}
                                    className={cn(
                                        'flex flex-col justify-center gap-1 rounded-lg border-2 bg-card px-3 text-left text-card-foreground outline-none focus-visible:ring-3 focus-visible:ring-ring/50',
                                        box,
                                        chosen === key && 'ring-2 ring-ring ring-offset-1 ring-offset-background',
                                    )}
                                    style={BOX}
                                    onClick={() => onChoose(chosen === key ? undefined : key)}
                                >
                                    <span className="flex w-full items-center gap-2">
                                        <KindIcon kind={kind} className="size-4 shrink-0 text-muted-foreground" />
                                        <span
                                            className={cn(
                                                'truncate text-sm font-medium',
                                                fate === 'REMOVED' && 'line-through',
                                            )}
                                            translate="no"
                                        >
                                            {name ?? key}
                                        </span>
                                    </span>
                                    <span className="flex items-center gap-1 text-xs text-muted-foreground">
                                        {Icon && <Icon aria-hidden className={cn('size-3.5', sign)} />}
                                        {words[fate]}
                                    </span>
                                </button>
                            </li>
                        );
                    })}
                </ol>
            </div>
        </div>
    );
}

interface Place {
    readonly x: number;
    readonly y: number;
}

function lineBetween(from: Place, to: Place): string {
    const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
    const [x2, y2] = [to.x, to.y + BOX.height / 2];
    return `M ${x1} ${y1} C ${x1 + BEND} ${y1}, ${x2 - BEND} ${y2}, ${x2} ${y2}`;
}
