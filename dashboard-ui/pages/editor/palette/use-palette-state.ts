import { useMemo, useState } from 'react';
import { branchesOf, type Catalogue, type PaletteEntry, paletteOf } from '../catalogue/catalogue';
import { edgesOf, stepOf, stepsOf } from '../model/definition';
import { addStep, type Behind, insertOnEdge } from '../model/edits';
import type { DrawingState } from '../state/drawing';
import type { PaletteState, PaletteTarget } from './palette-state';

/** Keeps what the palette is open for, and adds what is chosen in it. */
export function usePaletteState(drawing: DrawingState, catalogue: Catalogue): PaletteState {
    const [target, setTarget] = useState<PaletteTarget>();
    const entries = useMemo(() => paletteOf(catalogue), [catalogue]);
    return {
        entries,
        target,
        open: setTarget,
        close: () => setTarget(undefined),
        add(entry, { edge, behind }) {
            const { definition } = drawing;
            const isFirst = entry.kind.behind === 'NOTHING';
            const added =
                edge && !isFirst
                    ? insertOnEdge(definition, edge, entry.step, firstBranch(entry))
                    : addStep(definition, entry.step, isFirst ? undefined : usableBehind(drawing, catalogue, behind));
            drawing.edit(() => added.definition, { select: [added.key] });
            setTarget(undefined);
        },
    };
}

/** The default position of a new step: after the selected step, or after the only step without a successor. */
export function usualBehind({
    definition,
    selected,
}: Pick<DrawingState, 'definition' | 'selected'>): Behind | undefined {
    if (selected.length === 1) return { key: selected[0]! };
    const edges = edgesOf(definition);
    const ends = stepsOf(definition).filter(({ key }) => edges.every(({ from }) => from !== key));
    return selected.length === 0 && ends.length === 1 ? { key: ends[0]!.key } : undefined;
}

/** On a line after a step with branches, the next step uses the branch that always exists. */
function firstBranch({ kind }: PaletteEntry): string | undefined {
    return kind.hasBranches ? kind.furtherBranches[0] : undefined;
}

/** Of a step with branches the first one that leads nowhere yet. */
function usableBehind(
    { definition }: DrawingState,
    catalogue: Catalogue,
    behind: Behind | undefined,
): Behind | undefined {
    const step = stepOf(definition, behind?.key);
    if (!step || !behind) return undefined;
    const branches = branchesOf(catalogue, step);
    if (branches === undefined || (behind.branch !== undefined && branches.includes(behind.branch)))
        return branches === undefined ? { key: behind.key } : behind;
    const used = edgesOf(definition).filter(({ from }) => from === step.key);
    const free = branches.find(branch => !used.some(edge => edge.branch === branch));
    return { key: step.key, branch: free ?? branches[0] };
}
