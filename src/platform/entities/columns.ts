import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';

const NONE: ReadonlySet<never> = new Set();

// A batch has thousands of these at once, most of which stay as they were read: sets are made where something changes.

/** A value of a column as JSON has it: a date as its ISO text. */
export function asJson(value: unknown): JsonValue {
    return value instanceof Date ? value.toISOString() : (value as JsonValue);
}

/** A row's values by property, and which of them differ from the database. */
export class Columns {
    private changes: Set<string> | undefined;

    constructor(readonly values: Record<string, JsonValue>) {}

    get(property: string): JsonValue {
        return this.values[property] ?? null;
    }

    set(property: string, value: JsonValue): void {
        this.values[property] = value;
        (this.changes ??= new Set()).add(property);
    }

    get changed(): ReadonlySet<string> {
        return this.changes ?? NONE;
    }
}

/** A translation; without an id it is not stored yet. */
export interface TextState {
    readonly id: Id | undefined;
    readonly columns: Columns;
}

/** A set that is stored as the rows of a join table: the stored and the desired members. */
export class Members<T> {
    private desired: Set<T> | undefined;

    constructor(readonly stored: readonly T[]) {}

    get now(): readonly T[] {
        return this.desired ? [...this.desired] : this.stored;
    }
    has(member: T): boolean {
        return this.desired?.has(member) ?? this.stored.includes(member);
    }
    /** The rows to write and to remove. */
    get added(): readonly T[] {
        return this.stored.length === 0 ? this.now : this.now.filter(member => !this.stored.includes(member));
    }
    get removed(): readonly T[] {
        return this.stored.filter(member => !this.has(member));
    }
    get isChanged(): boolean {
        const { desired, stored } = this;
        return desired !== undefined && (desired.size !== stored.length || stored.some(member => !desired.has(member)));
    }
    replace(members: Iterable<T>): void {
        this.desired = new Set(members);
    }
    add(member: T): void {
        (this.desired ??= new Set(this.stored)).add(member);
    }
    delete(member: T): void {
        (this.desired ??= new Set(this.stored)).delete(member);
    }
}
