import type { EntityDescription } from './description';
import type { DesiredEntity } from './entity-record';
import { keysFor } from './identity';
import { foldName } from '../../core/data/fold-name';

/**
 * The locks of a record: its own key or id, and that of what it belongs to, in each spelling. Records without a key
 * lock the key that would be made of their name, so that two batches do not give the same key to two names.
 */
export function lockKeysOf(entity: EntityDescription, { id, key, name, refs }: DesiredEntity): readonly string[] {
    const kind = kindOf(entity);
    const { within } = entity.key;
    if (id !== undefined) return [`${kind} id:${id}`];
    const text = key ?? name;
    const keys = text === undefined ? [] : lockedKeys(entity, { text, isKey: key !== undefined });
    if (within === undefined) return keys.map(one => `${kind}:${one}`);
    const field = entity.fields[within];
    const owner = refs.get(within);
    if (field?.kind !== 'ref' || owner === undefined) return [];
    return keysFor(field.to, owner).flatMap(spelling => [
        `${kindOf(field.to)}:${spelling}`,
        ...keys.map(one => `${kind}:${spelling}:${one}`),
    ]);
}

/** The keys of a text: the text itself, if it is given as a key, and the key that is made of it. */
function lockedKeys(entity: EntityDescription, { text, isKey }: { readonly text: string; readonly isKey: boolean }) {
    // Names that differ by case are one.
    if (entity.key.field === 'name') return [...new Set([text, foldName(text)])];
    const all = keysFor(entity, text);
    return isKey ? all : all.slice(-1);
}

function kindOf({ name }: EntityDescription): string {
    return name.charAt(0).toLowerCase() + name.slice(1);
}
