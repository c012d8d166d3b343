import { unpadded } from '../../core/data/unpadded';
import type { StatementProgram } from '../../core/adapter/loader';
import type { EntityDescription } from './description';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import { foldName } from '../../core/data/fold-name';
import { entityName } from './name-index';
import { listedKey } from './names';
import { readNames } from './read-names';
import { nextSlug, numberedKey, slugOf } from './slug';
import type { UnitOfWork } from './unit-of-work';

/** A text that refers to an entity, by its key or by its name. */
export interface TextReference {
    readonly text: string;
    /** Where keys are those of something: the facet of a value. */
    readonly within?: EntityState | undefined;
}

/** Which kind of entity is looked for, and in which language its name is. */
export interface EntityNaming<S extends EntityState = EntityState> {
    readonly entity: EntityDescription<S>;
    readonly language: string;
}

/** The kind of a store, with the language of its run. */
export function namingOf<S extends EntityState>({ entity, platform }: EntityStore<S>): EntityNaming<S> {
    return { entity, language: platform.ctx.languageCode };
}

/**
 * Reads the entities that some texts refer to: by keys in two statements, and by names in two more if a key finds
 * nothing. A key that is made of a text is read as well, since most entities with that name have that key.
 */
export function* readReferences(
    store: EntityStore,
    work: UnitOfWork,
    references: readonly TextReference[],
): StatementProgram<void> {
    yield* (yield* prefetchReferences(store, work, references))();
}

/** Requests the same without waiting. */
export function* prefetchReferences(
    store: EntityStore,
    work: UnitOfWork,
    references: readonly TextReference[],
): StatementProgram<() => StatementProgram<void>> {
    const keysOf = yield* store.ask(
        work,
        references.flatMap(({ text, within }) => keysFor(store.entity, text).map(key => ({ key, within }))),
    );
    return function* () {
        yield* keysOf();
        const kind = namingOf(store);
        yield* readNames(
            store,
            work,
            references.flatMap(({ text, within }) =>
                isCertain(work, kind, { text, within }) ? [] : [{ name: text, within }],
            ),
        );
    };
}

/** The keys under which the entity of a text is searched: the text itself, and the key that would be made of it. */
export function keysFor({ key }: Pick<EntityDescription, 'key'>, text: string): readonly string[] {
    const given = key.normal?.(text) ?? text;
    const made = key.made?.by(given) ?? given;
    return made === given || made === '' ? [given] : [given, made];
}

/**
 * The loaded entities that a text refers to: those with the text as their key, else those with it as their name, and those of the run's channel
 * first. Returns several if nothing distinguishes them. With `creates`, a short text that equals a key derived from another name means a new
 * entity: "34" is not "3/4". See `isKeyText`.
 */
export function referredTo<S extends EntityState>(
    work: UnitOfWork,
    kind: EntityNaming<S>,
    { text, within, creates = false }: TextReference & { readonly creates?: boolean },
): readonly S[] {
    const { key } = kind.entity;
    const keyed = work.of(kind.entity).find(listedKey(key.normal?.(text) ?? text, within));
    const certain = keyed.filter(state => !isOfOtherName(kind, state, text));
    const named = calledBy(work, kind, { text, within });
    const meant = creates && !isKeyText(text) ? [] : keyed;
    for (const states of [certain, named, meant]) {
        const seen = states.filter(({ isInChannel }) => isInChannel);
        if (seen.length > 0) return seen;
    }
    const all = [certain, named, meant].filter(({ length }) => length > 0);
    return creates ? [...new Set(all.flat())] : (all[0] ?? []);
}

/** What reads like a key: a word, or words and numbers with hyphens in between. */
const KEY_TEXT = /^(?:\p{L}{2,}|(?=.*\p{L})(?=.*[-_]).*)$/u;

/**
 * Whether a text that equals a key can only be a key: "gruen", "rock-pop" and "15-l". Texts such as "34", "15l" and "c" may also be separate names
 * next to "3/4", "1,5l" and "C++".
 */
function isKeyText(text: string): boolean {
    return KEY_TEXT.test(text) && slugOf(text) === text;
}

interface Called<S extends EntityState> extends TextReference {
    /** Which of several that have the name are meant. */
    readonly isMeant?: (state: S) => boolean;
    /** Whether nothing distinguishes several of them: all of them are returned. */
    readonly areAlike?: (states: readonly S[]) => boolean;
}

/**
 * The loaded entities with a name: those of the run's channel, if it has any. An exact match precedes a match without regard to case and
 * surrounding blanks. Of several, the one whose key is derived from the name is returned.
 */
export function calledBy<S extends EntityState>(
    work: UnitOfWork,
    { entity, language }: EntityNaming<S>,
    { text, within, isMeant, areAlike }: Called<S>,
): readonly S[] {
    const { key } = entity;
    let found: readonly S[] = work
        .of(entity)
        .called(text)
        .filter(
            state =>
                (!within || state.refs.get(key.within!)?.token === within.token) &&
                isCalled({ entity, language }, state, text) &&
                isMeant?.(state) !== false,
        );
    const prefer = (isBetter: (state: S) => boolean): void => {
        const better = found.filter(isBetter);
        if (better.length > 0) found = better;
    };
    prefer(({ isInChannel }) => isInChannel);
    if (areAlike?.(found) === true) return found;
    prefer(state => unpadded(entityName(entity, state, language)!) === unpadded(text));
    prefer(state => state.key === key.made?.by(text));
    return found;
}

/** Whether the loaded entities already identify what a text refers to, so that no search by name is needed. */
function isCertain(work: UnitOfWork, kind: EntityNaming, { text, within }: TextReference): boolean {
    if (within && within.id === undefined) return true;
    const { entity } = kind;
    if (!entity.key.made && entity.key.field !== 'name') return true;
    const set = work.of(entity);
    return keysFor(entity, text).some((key, i) =>
        set
            .find(listedKey(key, within))
            .some(
                state =>
                    state.isInChannel && (i === 0 ? !isOfOtherName(kind, state, text) : isCalled(kind, state, text)),
            ),
    );
}

/** Whether an entity has a name, without regard to case and blanks around it. */
export function isCalled({ entity, language }: EntityNaming, state: EntityState, text: string): boolean {
    const name = entityName(entity, state, language);
    return name !== undefined && foldName(name) === foldName(text);
}

interface KeyedName {
    readonly key: string;
    readonly name: string;
}

/** The one of a list that a text refers to, by the same rules as `referredTo`. */
export function namedAmong<T>(
    all: readonly T[],
    text: string,
    {
        made,
        read,
        creates,
    }: { readonly made: (name: string) => string; read(one: T): KeyedName; readonly creates: boolean },
): T | undefined {
    const keyed = all.find(one => read(one).key === text);
    if (keyed && !isOtherName(made, read(keyed), text)) return keyed;
    const named = all.filter(one => foldName(read(one).name) === foldName(text));
    return (
        named.find(one => unpadded(read(one).name) === unpadded(text)) ??
        named[0] ??
        (creates && !isKeyText(text) ? undefined : keyed)
    );
}

/** Whether the key of an entity was made of a name that differs from the text by more than case and blanks, as the "34" of "3/4" was. */
function isOfOtherName({ entity, language }: EntityNaming, state: EntityState, text: string): boolean {
    const name = entityName(entity, state, language);
    const { made } = entity.key;
    return made !== undefined && name !== undefined && isOtherName(made.by, { key: state.key, name }, text);
}

/** Whether a key was made of a name, and lost something that the name has and the text does not. */
export function isOtherName(made: (name: string) => string, { key, name }: KeyedName, text: string): boolean {
    const folded = foldName(name);
    if (folded === key || folded.replace(/\s+/g, '-') === foldName(text)) return false;
    const stem = made(name);
    const [, suffix] = /-(\d+)$/.exec(key) ?? [];
    if (key === stem || suffix === undefined) return key === stem;
    return numberedKey(stem, Number(suffix)) === key || nextSlug(stem, Number(suffix)) === key;
}
