import type { Columns, Members, TextState } from './columns';
import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';

let planned = 0;

/** An entity as it is, and as the records so far have changed it. Parts that no record asks about are never read. */
export class EntityState {
    /** By language. */
    readonly texts = new Map<string, TextState>();
    /** What its references are to, by field. */
    readonly refs = new Map<string, EntityState>();
    /** What it has several of, by field. */
    readonly members = new Map<string, Members<EntityState>>();
    channels: Members<Id> | undefined;
    isDeleted = false;
    /** The key by which its set has it; undefined while none has. */
    listedAs: string | undefined;
    private readonly number = ++planned;

    constructor(
        public id: Id | undefined,
        readonly columns: Columns,
        /** As it stands in the key's column. */
        public key: string,
        /** False for one that the run's channel does not see. */
        readonly isInChannel: boolean = true,
    ) {}

    /** What tells it from others, stored or not. */
    get token(): string {
        return this.id === undefined ? `planned ${this.number}` : storedToken(this.id);
    }

    /** The token of what it belongs to as one of its children. */
    get ownerToken(): string | undefined {
        return undefined;
    }

    text(language: string, property: string): JsonValue | undefined {
        return this.texts.get(language)?.columns.values[property];
    }
}

/** The token of the stored entity with this id, of whose kind it is asked. */
export function storedToken(id: Id): string {
    return `stored ${id}`;
}
