import type { RunMode } from '../../core/adapter/context';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import type { EntityDescription } from './description';
import type { EntityState } from './entity-state';
import { NameIndex } from './name-index';

/** The maximum number of entities of a kind whose plans a dry run remembers; a facet with one name takes 1.4 KB. */
export const MAX_PLANNED = 100_000;
/** The same for large kinds: a product with one variant takes 4 KB. */
export const MAX_LARGE = 10_000;

/**
 * The entities of one kind that are being worked on, one object each: what records find, create, change and delete. A live batch begins with
 * an empty one. A dry run has one for all its steps, as an overlay over a database to which it writes nothing.
 */
export class EntitySet<S extends EntityState = EntityState> {
    private readonly byId = new Map<Id, S>();
    /** Entities that are not deleted. `EntityStore` makes the keys. */
    private readonly byKey = new Map<string, S[]>();
    /** Entities that are not deleted, by the token of their owner; built on first use. */
    private byOwner: Map<string, Set<S>> | undefined;
    /** The entities that this batch has read, and the keys that it has queried. */
    private readonly read = new Set<S>();
    private readonly requested = new Set<string>();
    /** For which something is planned, in the order in which that began. */
    private readonly planned = new Set<S>();
    /** Stored entities that a plan refers to, although they are unchanged. */
    private readonly kept = new Set<S>();
    /** Entities that are not deleted, by keys that a unique index may compare as equal. */
    private readonly byFold = new Map<string, Set<S>>();
    /** Living ones by their names; from the first lookup on. */
    private byName: NameIndex<S> | undefined;
    /** The current number of entities, if it was queried. */
    count: number | undefined;
    /** The keys of new entities that a dry run has planned and released. */
    private readonly forgotten = new Set<string>();
    /** Whether a record has looked for one of them since the last batch. */
    private isMissed = false;

    constructor(
        /** Whether an index keeps its keys unique. */
        private readonly isIndexed = false,
        private readonly most = MAX_PLANNED,
        private readonly entity?: Pick<EntityDescription, 'key' | 'mostPlanned'>,
    ) {}

    /** Everything that has this key; no unique index may keep it at one. */
    find(key: string): readonly S[] {
        const found = this.byKey.get(key);
        if (!found && this.isForgotten(key)) this.isMissed = true;
        return found ?? [];
    }

    /** Whether a dry run has planned a new one with this key, of which it knows no more than that. */
    isForgotten(key: string): boolean {
        return this.forgotten.size > 0 && this.forgotten.has(key);
    }

    /** Those that have this name in any language, without regard to case and blanks around it. */
    called(name: string): readonly S[] {
        if (!this.entity) return [];
        if (!this.byName) {
            this.byName = new NameIndex(this.entity);
            for (const states of this.byKey.values()) for (const state of states) this.byName.add(state);
        }
        return this.byName.find(name);
    }

    /** To be called where one has another name than before. */
    nameChanged(state: S): void {
        if (state.listedAs !== undefined) this.byName?.add(state);
    }

    /** Those that have this key and that the run's channel sees, the oldest first. */
    seen(key: string): readonly S[] {
        return this.find(key).filter(({ isInChannel }) => isInChannel);
    }

    /** The oldest of them. */
    firstSeen(key: string): S | undefined {
        return this.find(key).find(({ isInChannel }) => isInChannel);
    }

    /** The loaded children of an entity. */
    ownedBy({ token }: EntityState): readonly S[] {
        if (!this.byOwner) {
            this.byOwner = new Map();
            for (const states of this.byKey.values()) for (const state of states) this.addToOwner(state);
        }
        return [...(this.byOwner.get(token) ?? [])];
    }

    private addToOwner(state: S): void {
        if (this.byOwner && state.ownerToken !== undefined) addTo(this.byOwner, state.ownerToken, state);
    }

    /** Another key of an existing entity that a database may compare as equal to this one: "A" and "a". */
    alike(key: string): string | undefined {
        return [...(this.byFold.get(folded(key)) ?? [])].find(other => other.key !== key)?.key;
    }

    /** Whether the owner of this key must be queried from the database: true once a batch. */
    mustAsk(key: string): boolean {
        if (this.requested.has(key)) return false;
        this.requested.add(key);
        return true;
    }

    /** The one with this id, deleted or not. */
    withId(id: Id): S | undefined {
        return this.byId.get(id);
    }

    /** One that was read; it must not be here yet. */
    addRead(state: S, key: string): void {
        this.byId.set(state.id!, state);
        this.read.add(state);
        this.list(state, key);
    }

    addNew(state: S, key: string): void {
        this.planned.add(state);
        this.list(state, key);
        if (this.count !== undefined) this.count++;
    }

    /** Something of a stored one has changed. */
    touch(state: S): void {
        this.planned.add(state);
        this.nameChanged(state);
    }

    /** One that is to have another key. */
    rename(state: S, key: string): void {
        const isListed = state.listedAs !== undefined;
        if (isListed) this.unlist(state);
        state.key = key;
        if (isListed) this.list(state, key);
    }

    /** Has one belong to another entity: `change` gives it that one. */
    moveOwner(state: S, change: () => void): void {
        const { listedAs } = state;
        if (listedAs !== undefined) this.unlist(state);
        change();
        if (listedAs !== undefined) this.list(state, listedAs);
    }

    /** Keeps a loaded entity that something planned refers to, although it has not changed itself. */
    keep(state: S): void {
        if (this.read.delete(state)) this.kept.add(state);
    }

    remove(state: S): void {
        state.isDeleted = true;
        if (state.id === undefined) this.planned.delete(state);
        else this.planned.add(state);
        this.unlist(state);
        if (this.count !== undefined) this.count--;
    }

    get created(): readonly S[] {
        return [...this.planned].filter(({ id, isDeleted }) => id === undefined && !isDeleted);
    }
    get changed(): readonly S[] {
        return [...this.planned].filter(({ id, isDeleted }) => id !== undefined && !isDeleted);
    }
    get deleted(): readonly S[] {
        return [...this.planned].filter(({ isDeleted }) => isDeleted);
    }

    /**
     * Ends a batch of a dry run. Releases entities that it has only read, so that memory grows with the planned changes and time with the batch.
     * Beyond `most` entities, it also releases those that were planned first. True if it had to do that; for entities with their own limit, if a record
     * has looked for a released one.
     */
    settle(): boolean {
        for (const state of this.read) if (!this.planned.has(state)) this.forget(state);
        this.read.clear();
        this.requested.clear();
        const isFull = this.planned.size > this.most;
        for (const state of this.planned) {
            if (this.planned.size <= this.most) break;
            this.planned.delete(state);
            if (state.id === undefined && state.listedAs !== undefined) this.forgotten.add(state.listedAs);
            this.forget(state);
        }
        for (const state of this.kept) {
            if (this.kept.size <= this.most) break;
            this.kept.delete(state);
            // It is read again when it is needed.
            if (!this.planned.has(state)) this.forget(state);
        }
        const isMissed = this.isMissed;
        this.isMissed = false;
        return this.entity?.mostPlanned === undefined ? isFull : isMissed;
    }

    private forget(state: S): void {
        if (state.id !== undefined) this.byId.delete(state.id);
        this.unlist(state);
    }

    private list(state: S, key: string): void {
        state.listedAs = key;
        this.forgotten.delete(key);
        const others = this.byKey.get(key);
        if (others) others.push(state);
        else this.byKey.set(key, [state]);
        this.addToOwner(state);
        this.byName?.add(state);
        if (this.isIndexed) addTo(this.byFold, folded(state.key), state);
    }

    private unlist(state: S): void {
        const { listedAs } = state;
        if (listedAs === undefined) return;
        const left = this.find(listedAs).filter(other => other !== state);
        if (left.length > 0) this.byKey.set(listedAs, left);
        else this.byKey.delete(listedAs);
        state.listedAs = undefined;
        this.byName?.remove(state);
        if (this.byOwner && state.ownerToken !== undefined) takeFrom(this.byOwner, state.ownerToken, state);
        if (this.isIndexed) takeFrom(this.byFold, folded(state.key), state);
    }
}

function addTo<S>(index: Map<string, Set<S>>, key: string, state: S): void {
    const states = index.get(key);
    if (states) states.add(state);
    else index.set(key, new Set([state]));
}

function takeFrom<S>(index: Map<string, Set<S>>, key: string, state: S): void {
    const states = index.get(key);
    states?.delete(state);
    if (states?.size === 0) index.delete(key);
}

/**
 * A key without differences that a database may ignore: case, accents, blanks at the end, and the kind of emoji:
 * MariaDB compares all emojis as equal.
 */
function folded(key: string): string {
    return key
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replaceAll('ς', 'σ')
        .replaceAll('ı', 'i')
        .replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')
        .trimEnd();
}

/** The state of a batch, or of a dry run, in addition to its entities. */
export interface WorkPart {
    /** Ends a batch of a dry run: releases what was only read. */
    settle(): void;
}

/** What one batch of a live run, or a whole dry run, works on. */
export class UnitOfWork {
    private readonly sets = new Map<EntityDescription, EntitySet>();
    private readonly parts = new Map<unknown, WorkPart>();

    of<S extends EntityState>(entity: EntityDescription<S>): EntitySet<S> {
        let set = this.sets.get(entity);
        if (!set)
            this.sets.set(entity, (set = new EntitySet(entity.key.among === 'index', entity.mostPlanned, entity)));
        // Each entry was made by the description's own class.
        return set as unknown as EntitySet<S>;
    }

    /** The one part of a class that belongs to this work. */
    part<T extends WorkPart>(type: new () => T): T {
        let part = this.parts.get(type);
        if (!part) this.parts.set(type, (part = new type()));
        return part as T;
    }

    /** Ends a batch of a dry run, for all kinds. True if one of them had to forget planned changes. */
    settle(): boolean {
        for (const part of this.parts.values()) part.settle();
        return [...this.sets.values()].map(set => set.settle()).includes(true);
    }
}

const ofRuns = new WeakMap<object, UnitOfWork>();

/** The unit of work for a batch: a new one in a live run, and in a dry run that of the run, which has one RequestContext. */
export function unitOfWork({ ctx }: VendurePlatform, mode: RunMode): UnitOfWork {
    if (mode === 'live') return new UnitOfWork();
    let work = ofRuns.get(ctx);
    if (!work) ofRuns.set(ctx, (work = new UnitOfWork()));
    return work;
}
