import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';

/** A row's values by property, and which of them differ from the database. */
export class Columns {
    readonly changed = new Set<string>();

    constructor(readonly values: Record<string, JsonValue>) {}

    get(property: string): JsonValue {
        return this.values[property] ?? null;
    }

    set(property: string, value: JsonValue): void {
        this.values[property] = value;
        this.changed.add(property);
    }
}

/** A translation; without an id it is not stored yet. */
export interface TextState {
    readonly id: Id | undefined;
    readonly columns: Columns;
}

/** A set that is stored as the rows of a join table: what is there, and what is to be. */
export class Members<T> {
    readonly now: Set<T>;

    constructor(readonly stored: readonly T[]) {
        this.now = new Set(stored);
    }

    /** The rows to write and to remove. */
    get added(): readonly T[] {
        return [...this.now].filter(member => !this.stored.includes(member));
    }
    get removed(): readonly T[] {
        return this.stored.filter(member => !this.now.has(member));
    }
    get isChanged(): boolean {
        return this.now.size !== this.stored.length || this.stored.some(member => !this.now.has(member));
    }
    replace(members: Iterable<T>): void {
        this.now.clear();
        for (const member of members) this.now.add(member);
    }
}
