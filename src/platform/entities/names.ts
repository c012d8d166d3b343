import { unpadded } from '../../core/data/unpadded';
import type { EntityState } from './entity-state';

/** How an entity is searched: its key, the key of its owner, and the text with both. */
interface Named {
    readonly key: string;
    readonly owner: string | undefined;
    readonly label: string;
}

export const plainName = (key: string): Named => ({ key, owner: undefined, label: key });

/** "facet:value". A colon in a facet code cannot be distinguished from the separator, so the first colon counts. */
export function nameWithin(label: string): readonly Named[] {
    const at = label.indexOf(':');
    return at < 0 ? [] : [{ key: unpadded(label.slice(at + 1)), owner: unpadded(label.slice(0, at)), label }];
}

/** A key as sets of entities have it. */
export function listedKey(key: string, within: EntityState | undefined): string {
    return within ? `${within.token} ${key}` : key;
}
