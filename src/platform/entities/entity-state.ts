import type { Columns, Members, TextState } from './columns';
import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';

let planned = 0;

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * An entity with the changes of the records so far. Parts that no record needs are never read, and their maps are created on first use, because
 * there are thousands of entities at once.
 */
export class EntityState {
    private hasTexts: Map<string, TextState> | undefined;
    private hasRefs: Map<string, EntityState> | undefined;
    private hasMembers: Map<string, Members<EntityState>> | undefined;
    channels: Members<Id> | undefined;
    isDeleted = false;
    /** The key by which its set has it; undefined while none has. */
    listedAs: string | undefined;
    private readonly number = ++planned;

    constructor(
        public id: Id | undefined,
        readonly columns: Columns,
        /** The value of the key's column. */
        public key: string,
        /** False for one that the run's channel does not see. */
        public isInChannel: boolean = true,
    ) {}

    /** Identifies it among others, stored or not. */
    get token(): string {
        return this.id === undefined ? `planned ${this.number}` : storedToken(this.id);
    }

    /** The token of what it belongs to as one of its children. */
    get ownerToken(): string | undefined {
        return undefined;
    }

    /** By language. */
    get texts(): ReadonlyMap<string, TextState> {
        return this.hasTexts ?? NOTHING;
    }
    setText(language: string, text: TextState): void {
        (this.hasTexts ??= new Map()).set(language, text);
    }

    /** What its references are to, by field. */
    get refs(): ReadonlyMap<string, EntityState> {
        return this.hasRefs ?? NOTHING;
    }
    setRef(field: string, to: EntityState): void {
        (this.hasRefs ??= new Map()).set(field, to);
    }

    /** What it has several of, by field. */
    get members(): ReadonlyMap<string, Members<EntityState>> {
        return this.hasMembers ?? NOTHING;
    }
    setMembers(field: string, members: Members<EntityState>): void {
        (this.hasMembers ??= new Map()).set(field, members);
    }

    text(language: string, property: string): JsonValue | undefined {
        return this.texts.get(language)?.columns.values[property];
    }
}

/** The token of the stored entity with this id, among entities of its kind. */
export function storedToken(id: Id): string {
    return `stored ${id}`;
}
