import { Columns, type TextState } from './columns';
import type { EntityDescription } from './description';
import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';

let planned = 0;

/** An entity as it is, and as the records so far have changed it. */
export class EntityState {
    /** By language. */
    readonly texts = new Map<string, TextState>();
    /** What its references are to, by field. */
    readonly refs = new Map<string, EntityState>();
    isDeleted = false;
    /** The key by which its set has it. */
    listedAs = '';
    private readonly number = ++planned;

    constructor(
        public id: Id | undefined,
        readonly columns: Columns,
        /** As it stands in the key's column. */
        readonly key: string,
        /** False for one that the run's channel does not see. */
        readonly isInChannel: boolean = true,
    ) {}

    /** What tells it from others, stored or not. */
    get token(): string {
        return this.id === undefined ? `planned ${this.number}` : `stored ${this.id}`;
    }
}

/** A new entity: its key, and of its other fields what stands there where nobody says anything. */
export function newEntity({ key, fields }: EntityDescription, code: string): EntityState {
    const values: Record<string, JsonValue> = { [key.field]: code };
    for (const [name, field] of Object.entries(fields)) {
        if (field.kind === 'text') values[name] = '';
        if (field.kind === 'flag') values[name] = field.initially;
    }
    return new EntityState(undefined, new Columns(values), code);
}
