import type { CodePoints } from './code-points';

/** A parsed pattern. */
export type Tree =
    /** One character of the set. */
    | { readonly kind: 'set'; readonly set: CodePoints }
    /** A place: the start or end of the text (or of a line), an edge of a word or none. */
    | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'edge' | 'noEdge' }
    | { readonly kind: 'sequence'; readonly items: readonly Tree[] }
    | { readonly kind: 'choice'; readonly items: readonly Tree[] }
    | { readonly kind: 'group'; readonly item: Tree; readonly capturing: boolean }
    | {
          readonly kind: 'repeat';
          readonly item: Tree;
          readonly min: number;
          readonly max: number;
          readonly lazy: boolean;
      }
    /** What only the linear-time engine knows how to match. */
    | { readonly kind: 'foreign' };

export type Repeat = Extract<Tree, { kind: 'repeat' }>;

/** True if it can match the empty text. */
export function isNullable(tree: Tree): boolean {
    switch (tree.kind) {
        case 'set':
            return false;
        case 'place':
        case 'foreign':
            return true;
        case 'sequence':
            return tree.items.every(isNullable);
        case 'choice':
            return tree.items.some(isNullable);
        case 'group':
            return isNullable(tree.item);
        case 'repeat':
            return tree.min === 0 || isNullable(tree.item);
    }
}

/** The approximate number of instructions in the linear-time engine, which writes repetitions out. */
export function sizeOf(tree: Tree): number {
    switch (tree.kind) {
        case 'set':
        case 'place':
        case 'foreign':
            return 1;
        case 'sequence':
            return tree.items.reduce((sum, item) => sum + sizeOf(item), 0);
        case 'choice':
            return tree.items.reduce((sum, item) => sum + sizeOf(item) + 1, 0);
        case 'group':
            return sizeOf(tree.item) + (tree.capturing ? 2 : 0);
        case 'repeat': {
            const one = sizeOf(tree.item);
            const { min, max } = tree;
            return max === Infinity ? Math.max(min, 1) * one + 1 : min * one + (max - min) * (one + 1);
        }
    }
}
