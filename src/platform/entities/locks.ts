import type { EntityDescription } from './description';
import type { DesiredEntity } from './entity-record';
import { spellings } from './spellings';

/** What a record locks: its own key or id, and that of what it is within, whichever way it says it. */
export function lockKeysOf(entity: EntityDescription, { id, key, refs }: DesiredEntity): readonly string[] {
    const kind = kindOf(entity);
    const { within } = entity.key;
    if (id !== undefined) return [`${kind} id:${id}`];
    if (within === undefined) return key === undefined ? [] : [`${kind}:${key}`];
    const field = entity.fields[within];
    const owner = refs.get(within);
    if (field?.kind !== 'ref' || owner === undefined) return [];
    return spellings(field.to, owner).flatMap(spelling => [
        `${kindOf(field.to)}:${spelling}`,
        ...(key === undefined ? [] : [`${kind}:${spelling}:${key}`]),
    ]);
}

function kindOf({ name }: EntityDescription): string {
    return name.charAt(0).toLowerCase() + name.slice(1);
}
