/** The lock of one kind of keys. */
export interface KindLock {
    /** The same in every process: the kind's hash, a signed integer of 32 bits. */
    readonly id: number;
    /** The prefix of its keys before the colon, for administrators who inspect the server's locks. */
    readonly kind: string;
    /** Excludes every other holder of keys of the kind. Otherwise the lock is shared by all holders of its keys. */
    readonly isWhole: boolean;
}

/** The lock of one key, which its holder has alone. */
interface KeyLock {
    /** Of its kind. */
    readonly kind: number;
    readonly id: number;
}

/**
 * The locks of a transaction, in the global order: first the kinds, then the keys, each by ascending ids. This order prevents deadlocks between
 * transactions.
 */
export interface Locks {
    readonly kinds: readonly KindLock[];
    /** Of the kinds that are shared. */
    readonly keys: readonly KeyLock[];
}

/**
 * The maximum number of keys that a transaction locks individually. Servers keep every lock in memory: PostgreSQL has room for some 6,400 of all
 * its sessions by default, and MariaDB takes longer for each the more a session has (ADR 3).
 */
export const MAX_KEYS = 500;

/** FNV-1a, as a signed integer of 32 bits: every process must come to the same numbers. */
function hashOf(text: string): number {
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash | 0;
}

/** The part of a key before its first colon. */
const kindOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':')));

const ascending = (a: number, b: number): number => a - b;

/** The locks of some keys. Where there are more than `most`, the kinds with the most keys are locked as a whole. */
export function locksOf(keys: readonly string[], most = MAX_KEYS): Locks {
    const found = new Map<number, { readonly kind: string; readonly keys: Set<number> }>();
    for (const key of keys) {
        const kind = kindOf(key);
        const id = hashOf(`flow:${kind}`);
        let known = found.get(id);
        if (!known) found.set(id, (known = { kind, keys: new Set() }));
        known.keys.add(hashOf(key));
    }
    const whole = new Set<number>();
    let count = [...found.values()].reduce((sum, { keys: { size } }) => sum + size, 0);
    const largestFirst = [...found].sort(([a, { keys: of }], [b, { keys: and }]) => and.size - of.size || a - b);
    for (const [id, { keys: of }] of largestFirst) {
        if (count <= most) break;
        whole.add(id);
        count -= of.size;
    }
    const ids = [...found.keys()].sort(ascending);
    return {
        kinds: ids.map(id => ({ id, kind: found.get(id)!.kind, isWhole: whole.has(id) })),
        keys: ids.flatMap(kind =>
            whole.has(kind) ? [] : [...found.get(kind)!.keys].sort(ascending).map(id => ({ kind, id })),
        ),
    };
}

/** A database's own names for locks on a server that keeps those of all its databases together; at most 64 characters. */
export class LockNames {
    private readonly prefix: string;

    constructor(database: string) {
        this.prefix = `flow:${hex(hashOf(database))}`;
    }

    kind({ id, kind }: KindLock, slot: number): string {
        return `${this.prefix}:${kind.replace(/[^\w-]/g, '').slice(0, 16)}:${hex(id)}#${slot}`;
    }

    key({ kind, id }: KeyLock): string {
        return `${this.prefix}:${hex(kind)}:${hex(id)}`;
    }
}

const hex = (id: number): string => (id >>> 0).toString(16).padStart(8, '0');
