import type { ReactNode } from 'react';
import { BOX, laidOut } from '../editor/canvas/layout';
import { KindIcon } from '../editor/catalogue/kind-icon';
import { type Definition, edgeId, edgesOf, stepsOf } from '../editor/model/definition';

/** A definition as a small picture: boxes and lines, no more. */
export function SmallPicture({
    definition,
    label,
}: {
    readonly definition: Definition;
    readonly label: string;
}): ReactNode {
    const places = laidOut(definition, 'LR');
    const all = [...places.values()];
    const width = Math.max(...all.map(({ x }) => x)) + BOX.width + 16;
    const height = Math.max(...all.map(({ y }) => y)) + BOX.height + 16;
    return (
        <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} className="max-h-32 w-full">
            {edgesOf(definition).map(edge => {
                const [from, to] = [places.get(edge.from)!, places.get(edge.to)!];
                const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
                const [x2, y2] = [to.x, to.y + BOX.height / 2];
                return (
                    <path
                        key={edgeId(edge)}
                        d={`M ${x1} ${y1} C ${x1 + 36} ${y1}, ${x2 - 36} ${y2}, ${x2} ${y2}`}
                        fill="none"
                        stroke="var(--muted-foreground)"
                        strokeWidth={4}
                    />
                );
            })}
            {stepsOf(definition).map(({ key, kind }) => {
                const { x, y } = places.get(key)!;
                return (
                    <g key={key} transform={`translate(${x} ${y})`} className="text-foreground">
                        <rect {...BOX} rx={16} fill="var(--card)" stroke="var(--border)" strokeWidth={4} />
                        <svg x={BOX.width / 2 - 22} y={BOX.height / 2 - 22} width={44} height={44} viewBox="0 0 24 24">
                            <KindIcon kind={kind} />
                        </svg>
                    </g>
                );
            })}
        </svg>
    );
}
