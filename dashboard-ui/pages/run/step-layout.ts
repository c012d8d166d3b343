/** What the layout of a graph needs to know of a step. */
export interface StepNode {
    readonly stepKey: string;
    readonly next: readonly string[];
}

/** Where the box of a step is, in columns and rows from 0. */
export interface StepPlace {
    readonly stepKey: string;
    readonly column: number;
    readonly row: number;
}

/** A line from one step to the next. */
export interface StepEdge {
    readonly from: string;
    readonly to: string;
}

/** Steps from left to right: each one column after its farthest predecessor, rows in flow order. */
export function layOut(steps: readonly StepNode[]): {
    readonly places: readonly StepPlace[];
    readonly edges: readonly StepEdge[];
} {
    const known = new Set(steps.map(({ stepKey }) => stepKey));
    const edges = steps.flatMap(({ stepKey, next }) =>
        next.filter(to => known.has(to)).map(to => ({ from: stepKey, to })),
    );
    const columns = columnsOf(steps, edges);
    const used = new Map<number, number>();
    const places = steps.map(({ stepKey }) => {
        const column = columns.get(stepKey) ?? 0;
        const row = used.get(column) ?? 0;
        used.set(column, row + 1);
        return { stepKey, column, row };
    });
    return { places, edges };
}

/** Steps are in flow order, so all predecessors of a step come before it. */
function columnsOf(steps: readonly StepNode[], edges: readonly StepEdge[]): ReadonlyMap<string, number> {
    const columns = new Map<string, number>();
    for (const { stepKey } of steps) {
        const before = edges.filter(({ to }) => to === stepKey).map(({ from }) => columns.get(from) ?? -1);
        columns.set(stepKey, Math.max(-1, ...before) + 1);
    }
    return columns;
}
