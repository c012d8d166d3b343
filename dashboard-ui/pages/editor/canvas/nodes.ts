import type { Edge as FlowEdge, Node } from '@xyflow/react';
import { adapterOf, branchesOf, callCountOf, type Catalogue } from '../catalogue/catalogue';
import { type Definition, edgeId, edgesOf, type Step, stepsOf, titleOf } from '../model/definition';
import { grouped } from '../model/grouped';
import type { Places } from '../state/drawing';
import { countOf, type EditorIssue, stepKeyOf } from '../state/issues';
import { BOX, type laidOut } from './layout';

/** Of the name of a branch, with its border. */
const NAME_HEIGHT = 22;

/** What a box shows. */
export interface BoxData extends Record<string, unknown> {
    readonly title: string;
    readonly kind: string;
    /** What it is an adapter's step of. */
    readonly adapter: string | undefined;
    /** How many operators or rules it calls. */
    readonly calls: number | undefined;
    readonly isDisabled: boolean;
    readonly isFirst: boolean;
    readonly branches: readonly string[] | undefined;
    readonly errors: number;
    readonly warnings: number;
}

/** The box of a step. */
export type StepNode = Node<BoxData, 'step'>;
/** A line between two boxes. */
export type StepLine = FlowEdge<
    {
        readonly index: number;
        readonly branch: string | undefined;
        /** How far its middle is moved down, so that lines between the same boxes do not hide each other's names. */
        readonly shift: number;
    },
    'line'
>;

interface Drawn {
    readonly definition: Definition;
    /** Positions of boxes that the user has not placed. */
    readonly auto: ReturnType<typeof laidOut>;
    readonly places: Places;
    readonly catalogue: Catalogue;
    readonly issues: readonly EditorIssue[];
    readonly selected: readonly string[];
}

/** The boxes of a drawing. One that is as it was before is the same object, so that it is not drawn again. */
export function nodesOf(
    { definition, auto, places, catalogue, issues, selected }: Drawn,
    old: readonly StepNode[],
): StepNode[] {
    const before = new Map(old.map(node => [node.id, node]));
    const byStep = grouped(issues, issue => stepKeyOf(issue, definition));
    const placeOf = (key: string): number => (places[key] ?? auto.get(key))?.x ?? 0;
    // From left to right as what they lead to, so that lines do not cross at once.
    const outOf = new Map(
        [...grouped(edgesOf(definition), ({ from }) => from)].map(([key, edges]) => [
            key,
            [...edges].sort((a, b) => placeOf(a.to) - placeOf(b.to)).flatMap(({ branch }) => branch ?? []),
        ]),
    );
    return stepsOf(definition).map(step => {
        const { key } = step;
        const known = before.get(key);
        const position = known?.dragging ? known.position : (places[key] ?? auto.get(key)!);
        const isSelected = selected.includes(key);
        const data = boxOf(step, catalogue, byStep.get(key) ?? [], outOf.get(key) ?? []);
        if (!known) return { id: key, type: 'step', position, data, selected: isSelected, ...BOX };
        const keepsData = JSON.stringify(known.data) === JSON.stringify(data);
        const keepsPlace = known.position.x === position.x && known.position.y === position.y;
        if (keepsData && keepsPlace && (known.selected ?? false) === isSelected) return known;
        return {
            ...known,
            position: keepsPlace ? known.position : position,
            data: keepsData ? known.data : data,
            selected: isSelected,
        };
    });
}

function boxOf(step: Step, catalogue: Catalogue, issues: readonly EditorIssue[], used: readonly string[]): BoxData {
    const kind = catalogue.kinds.find(one => one.kind === step.kind);
    const branches = branchesOf(catalogue, step);
    return {
        title: titleOf(step),
        kind: step.kind,
        adapter: adapterOf(catalogue, step)?.title,
        calls: callCountOf(catalogue, step),
        isDisabled: step.isDisabled,
        isFirst: kind?.behind === 'NOTHING',
        // One that is not there any more, or has no place here, is shown as long as a line carries it.
        branches: branches || used.length > 0 ? [...new Set([...used, ...(branches ?? [])])] : undefined,
        ...countOf(issues),
    };
}

/** The lines of a drawing; likewise. */
export function linesOf(definition: Definition, old: readonly StepLine[]): StepLine[] {
    const before = new Map(old.map(line => [line.id, line]));
    const edges = edgesOf(definition);
    const alike = grouped(edges, ({ from, to }) => edgeId({ from, to }));
    return edges.map(edge => {
        const id = edgeId(edge);
        const known = before.get(id);
        const between = alike.get(edgeId({ from: edge.from, to: edge.to })) ?? [];
        const shift = (between.indexOf(edge) - (between.length - 1) / 2) * NAME_HEIGHT;
        if (known && known.data?.index === edge.index && known.data.shift === shift) return known;
        return {
            id,
            type: 'line',
            source: edge.from,
            target: edge.to,
            sourceHandle: edge.branch ?? null,
            data: { index: edge.index, branch: edge.branch, shift },
            ...(known && { selected: known.selected }),
        };
    });
}
