import type { FactText, Problem } from './rendered';

/** Thrown where a caller knows the place, and reports this text as the reason. */
export class WordedError extends Error {
    constructor(readonly text: FactText) {
        super(text.message);
    }
}

/** Why something has thrown, as the end of a sentence. */
export function thrownReason(thrown: unknown): Problem {
    if (thrown instanceof WordedError) return thrown.text;
    return thrown instanceof Error ? thrown.message : String(thrown);
}
