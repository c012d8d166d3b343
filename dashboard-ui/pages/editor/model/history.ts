/** What was, is and can be brought back. */
export interface History<T> {
    readonly past: readonly T[];
    readonly present: T;
    readonly future: readonly T[];
    /** What the latest change is part of; further ones of the same gesture join it. */
    readonly gesture: string | undefined;
}

const MAX_ENTRIES = 200;

/** A history that begins now. */
export function beginning<T>(present: T): History<T> {
    return { past: [], present, future: [], gesture: undefined };
}

/** One entry per gesture: changes with the same gesture, such as typing in one field, are undone together. */
export function changed<T>(history: History<T>, present: T, gesture?: string): History<T> {
    if (present === history.present) return history;
    const joins = gesture !== undefined && gesture === history.gesture;
    const past = joins ? history.past : [...history.past, history.present].slice(-MAX_ENTRIES);
    return { past, present, future: [], gesture };
}

/** One step back; the same history where there is none. */
export function undone<T>({ past, present, future }: History<T>): History<T> {
    const before = past.at(-1);
    return before === undefined
        ? { past, present, future, gesture: undefined }
        : { past: past.slice(0, -1), present: before, future: [present, ...future], gesture: undefined };
}

/** What was undone last comes back. */
export function redone<T>({ past, present, future }: History<T>): History<T> {
    const [next, ...rest] = future;
    return next === undefined
        ? { past, present, future, gesture: undefined }
        : { past: [...past, present], present: next, future: rest, gesture: undefined };
}
