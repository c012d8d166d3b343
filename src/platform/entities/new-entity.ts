import type { JsonValue } from '../../core/value/json';
import { Columns } from './columns';
import { type EntityDescription, isValue } from './description';
import { initially } from './value-fields';
import type { EntityState } from './entity-state';

/** A new entity: its key, and the defaults of its other fields. */
export function newEntity<S extends EntityState>({ key, fields, state }: EntityDescription<S>, code: string): S {
    const values: Record<string, JsonValue> = key.isTranslated === true ? {} : { [key.field]: code };
    for (const name in fields) {
        const field = fields[name]!;
        if (isValue(field)) values[name] = initially(field);
    }
    return new state(undefined, new Columns(values), code);
}
