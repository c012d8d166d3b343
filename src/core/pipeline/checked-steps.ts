import type { StepKind } from '../steps/kinds';
import type { EdgeDefinition } from './definition';

/** A step of a definition that is being checked: the first of its key. */
export interface CheckedStep {
    readonly key: string;
    /** UNKNOWN if the kind could not be determined; checks that depend on the kind are then skipped. */
    readonly kind: StepKind | 'UNKNOWN';
    readonly path: string;
    /** Of a trigger: its type. */
    readonly type?: string;
    /** Of a step whose edges have names: what they may be called, where that is known. */
    readonly branches?: readonly string[];
    /** Also of a trigger that says `enabled: false`. */
    readonly isDisabled?: boolean;
    /** Of an EXTRACT step: it reads what the records that come to it name. */
    readonly looksUp?: boolean;
}

/** An edge with its place in the definition. */
export interface CheckedEdge extends EdgeDefinition {
    readonly path: string;
}
