import { foldName } from '../../core/data/fold-name';
import type { EntityDescription } from './description';
import type { EntityState } from './entity-state';

/** The name of an entity in a language; undefined for kinds without names, and if it has none in that language. */
export function entityName(
    { key }: Pick<EntityDescription, 'key'>,
    state: EntityState,
    language: string,
): string | undefined {
    if (key.field === 'name') return state.key;
    const name = key.made && state.text(language, key.made.of);
    return typeof name === 'string' ? name : undefined;
}

/** The entities of a set by their names, of whatever language. */
export class NameIndex<S extends EntityState> {
    private readonly byName = new Map<string, Set<S>>();
    /** The names by which each was added. */
    private readonly added = new Map<S, readonly string[]>();

    constructor(private readonly entity: Pick<EntityDescription, 'key'>) {}

    find(name: string): readonly S[] {
        return [...(this.byName.get(foldName(name)) ?? [])];
    }

    /** Adds an entity under its names, and forgets the names it had before. */
    add(state: S): void {
        this.remove(state);
        const names = [...new Set(this.namesOf(state).map(foldName))];
        this.added.set(state, names);
        for (const name of names) {
            const states = this.byName.get(name);
            if (states) states.add(state);
            else this.byName.set(name, new Set([state]));
        }
    }

    remove(state: S): void {
        for (const name of this.added.get(state) ?? []) {
            const states = this.byName.get(name);
            states?.delete(state);
            if (states?.size === 0) this.byName.delete(name);
        }
        this.added.delete(state);
    }

    private namesOf(state: S): readonly string[] {
        return ['', ...state.texts.keys()].flatMap(language => entityName(this.entity, state, language) ?? []);
    }
}
