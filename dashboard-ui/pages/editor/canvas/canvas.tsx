import { useLingui } from '@lingui/react/macro';
import { toast, useIsMobile } from '@vendure/dashboard';
import {
    Background,
    type Connection,
    Controls,
    MiniMap,
    type NodeChange,
    type OnConnectEnd,
    ReactFlow,
    ReactFlowProvider,
    useEdgesState,
    useNodesState,
    useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { type CSSProperties, type DragEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useConnectionWords } from '../outline/connection-words';
import { edgeId, edgesOf, stepsOf } from '../model/definition';
import { addStep, connect, disconnect } from '../model/edits';
import { DRAGGED, usePalette } from '../palette/palette-state';
import { useEditor } from '../state/editor-context';
import { BOX, laidOut } from './layout';
import { linesOf, nodesOf, type StepLine as Line, type StepNode } from './nodes';
import { StepBox } from './step-box';
import { type LineActions, LineActionsContext, StepLine } from './step-line';

const NODE_TYPES = { step: StepBox };
const EDGE_TYPES = { line: StepLine };
/** Titles can be read, even where not all boxes are seen. */
const FIT = { padding: 0.1, minZoom: 0.55, maxZoom: 1 };
/** Until the boxes are known to the canvas. */
const SETTLED_MS = 50;
/** The host's colours, light and dark. */
const COLOURS = {
    '--xy-background-color': 'var(--background)',
    '--xy-background-pattern-color': 'var(--border)',
    '--xy-minimap-background-color': 'var(--card)',
    '--xy-minimap-mask-background-color': 'color-mix(in oklab, var(--muted) 70%, transparent)',
    '--xy-minimap-node-background-color': 'var(--muted-foreground)',
    '--xy-controls-button-background-color': 'var(--card)',
    '--xy-controls-button-background-color-hover': 'var(--muted)',
    '--xy-controls-button-color': 'var(--foreground)',
    '--xy-controls-button-color-hover': 'var(--foreground)',
    '--xy-controls-button-border-color': 'var(--border)',
    '--xy-selection-background-color': 'color-mix(in oklab, var(--primary) 10%, transparent)',
    '--xy-selection-border': '1px solid var(--primary)',
    '--xy-attribution-background-color': 'transparent',
} as CSSProperties;

/** So far a hand may tremble, in pixels, while it clicks; beyond that it drags. */
const TREMBLE = 3;
/** What chooses a further box, and takes one from those that are chosen. */
const FURTHER = {
    keys: ['Shift', 'Meta', 'Control'],
    isHeld: (event: React.MouseEvent) => event.shiftKey || event.metaKey || event.ctrlKey,
};

/** The pipeline as a graph. */
export default function Canvas(): ReactNode {
    return (
        <ReactFlowProvider>
            <Graph />
        </ReactFlowProvider>
    );
}

function Graph(): ReactNode {
    const { t } = useLingui();
    const { drawing, catalogue, checks, isReadOnly: mayNotEdit } = useEditor();
    // On a small screen the graph is looked at; the outline is what edits.
    const isPhone = useIsMobile();
    const isReadOnly = mayNotEdit || isPhone;
    const palette = usePalette();
    const wordsOf = useConnectionWords();
    const { screenToFlowPosition, fitView } = useReactFlow();
    const { definition, places, selected } = drawing;
    const [nodes, setNodes, changeNodes] = useNodesState<StepNode>([]);
    const [lines, setLines, changeLines] = useEdgesState<Line>([]);
    const latest = useRef({ drawing, palette });
    latest.current = { drawing, palette };

    // Typing in a form moves no box.
    const shape = JSON.stringify([stepsOf(definition).map(({ key }) => key), edgesOf(definition).map(edgeId)]);
    const auto = useMemo(() => laidOut(latest.current.drawing.definition), [shape]);
    useEffect(
        () => setNodes(old => nodesOf({ definition, auto, places, catalogue, issues: checks.issues, selected }, old)),
        [definition, auto, places, catalogue, checks.issues, selected, setNodes],
    );
    useEffect(() => setLines(old => linesOf(definition, old)), [definition, setLines]);
    // What was added is brought into sight.
    const count = nodes.length;
    useEffect(() => {
        const timer = setTimeout(() => void fitView(FIT), SETTLED_MS);
        return () => clearTimeout(timer);
    }, [count, fitView]);

    const onNodesChange = useCallback(
        (changes: NodeChange<StepNode>[]): void => {
            changeNodes(changes);
            // The selection on the canvas. A selection made elsewhere reaches the canvas through its boxes.
            const chosen = changes.filter(change => change.type === 'select');
            if (chosen.length > 0)
                latest.current.drawing.select(old => {
                    const gone = chosen.filter(change => !change.selected).map(({ id }) => id);
                    const kept = old.filter(id => !gone.includes(id));
                    const added = chosen.filter(change => change.selected).map(({ id }) => id);
                    return [...kept, ...added.filter(id => !kept.includes(id))];
                });
            const put = changes.flatMap(change =>
                change.type === 'position' && change.dragging === false && change.position
                    ? [[change.id, change.position] as const]
                    : [],
            );
            const old = latest.current.drawing.places;
            const moved = put.filter(([id, { x, y }]) => old[id]?.x !== x || old[id]?.y !== y);
            if (moved.length > 0) latest.current.drawing.place({ ...old, ...Object.fromEntries(moved) });
        },
        [changeNodes],
    );
    const onNodeClick = useCallback((event: React.MouseEvent, { id }: StepNode): void => {
        // Keys go to the box that was clicked: dragging keeps the browser from moving the focus itself.
        if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus({ preventScroll: true });
        // Of several that are chosen one is dragged with all others; clicked, it alone stays chosen.
        if (!FURTHER.isHeld(event)) latest.current.drawing.select([id]);
    }, []);
    const lead = useCallback(
        (from: string, branch: string | null | undefined, to: string): void => {
            const connected = connect(
                latest.current.drawing.definition,
                { key: from, branch: branch ?? undefined },
                to,
            );
            if (typeof connected === 'string') toast.error(wordsOf(connected));
            else latest.current.drawing.edit(() => connected);
        },
        [wordsOf],
    );
    const onConnect = ({ source, sourceHandle, target }: Connection): void => lead(source, sourceHandle, target);
    const onConnectEnd: OnConnectEnd = (_event, state): void => {
        // A line that ends on empty space opens the palette for the step that it leads to.
        if (state.toNode || !state.fromNode || state.fromHandle?.type !== 'source') return;
        palette.open({ behind: { key: state.fromNode.id, branch: state.fromHandle.id ?? undefined } });
    };
    const onDrop = (event: DragEvent): void => {
        const entry = palette.entries.find(({ id }) => id === event.dataTransfer.getData(DRAGGED));
        if (!entry) return;
        event.preventDefault();
        const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
        const box = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('.react-flow__node');
        const behind = box?.dataset['id'];
        if (behind !== undefined) return palette.add(entry, { behind: { key: behind } });
        const { key, definition: added } = addStep(definition, entry.step);
        const joins = `drop ${key}`;
        const place = { x: Math.round(x - BOX.width / 2), y: Math.round(y - BOX.height / 2) };
        drawing.edit(() => added, { select: [key], joins });
        drawing.place({ ...places, [key]: place }, { joins });
    };
    const actions = useMemo<LineActions | undefined>(() => {
        if (isReadOnly) return undefined;
        const edgeAt = (index: number) => edgesOf(latest.current.drawing.definition).find(edge => edge.index === index);
        return {
            insert(index) {
                const edge = edgeAt(index);
                if (edge) latest.current.palette.open({ edge });
            },
            remove(index) {
                const edge = edgeAt(index);
                if (edge) latest.current.drawing.edit(old => disconnect(old, edge));
            },
        };
    }, [isReadOnly]);
    const removeLines = (event: React.KeyboardEvent): void => {
        if (isReadOnly || (event.key !== 'Delete' && event.key !== 'Backspace')) return;
        const gone = lines.filter(line => line.selected).map(({ id }) => id);
        if (gone.length === 0 || selected.length > 0) return;
        event.preventDefault();
        drawing.edit(old =>
            gone.reduce((one, id) => {
                const edge = edgesOf(one).find(other => edgeId(other) === id);
                return edge ? disconnect(one, edge) : one;
            }, old),
        );
    };
    return (
        <div
            className="h-[calc(100vh-18.5rem)] min-h-96 overflow-hidden rounded-lg border"
            role="application"
            aria-label={t`The steps as a graph. The outline shows them as a list.`}
            data-flow-drawing
            onKeyDown={removeLines}
        >
            <LineActionsContext.Provider value={actions}>
                <ReactFlow
                    nodes={nodes}
                    edges={lines}
                    nodeTypes={NODE_TYPES}
                    edgeTypes={EDGE_TYPES}
                    onNodesChange={onNodesChange}
                    onEdgesChange={changeLines}
                    onNodeClick={onNodeClick}
                    onConnect={onConnect}
                    onConnectEnd={onConnectEnd}
                    onDragOver={event => event.preventDefault()}
                    onDrop={isReadOnly ? undefined : onDrop}
                    nodesConnectable={!isReadOnly}
                    nodesDraggable={!isPhone}
                    deleteKeyCode={null}
                    multiSelectionKeyCode={FURTHER.keys}
                    nodeClickDistance={TREMBLE}
                    nodeDragThreshold={TREMBLE}
                    // The frame around boxes that were chosen together would take their clicks.
                    className="[&_[class*=nodesselection-rect]]:!pointer-events-none"
                    minZoom={0.1}
                    maxZoom={2}
                    fitView
                    fitViewOptions={FIT}
                    onlyRenderVisibleElements
                    style={COLOURS}
                >
                    <Background gap={20} />
                    <Controls showInteractive={false} />
                    <MiniMap
                        pannable
                        zoomable
                        style={{ width: 140, height: 100 }}
                        className="max-sm:!hidden"
                        ariaLabel={t`Overview of the graph`}
                    />
                </ReactFlow>
            </LineActionsContext.Provider>
        </div>
    );
}
