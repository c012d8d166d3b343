import type { RunMode } from '../../core/adapter/context';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import type { EntityDescription } from './description';
import type { EntityState } from './entity-state';

/** So many entities of a kind a dry run remembers having planned something for; a facet with one name takes 1.4 KB. */
export const MOST_PLANNED = 100_000;

/**
 * The entities of one kind that are being worked on, one object each: what records find, create, change and delete. A live batch begins with
 * an empty one. A dry run has one for all its steps, as an overlay over a database to which it writes nothing.
 */
export class EntitySet {
    private readonly byId = new Map<Id, EntityState>();
    /** Living ones. Keys are texts that `EntityStore` makes. */
    private readonly byKey = new Map<string, EntityState[]>();
    /** What this batch has read or asked for. */
    private readonly read = new Set<EntityState>();
    private readonly asked = new Set<string>();
    /** For which something is planned, in the order in which that began. */
    private readonly planned = new Set<EntityState>();
    /** Living ones by keys that a unique index may take for the same. */
    private readonly byFold = new Map<string, Set<EntityState>>();
    /** How many there are by now, where somebody asked. */
    count: number | undefined;

    constructor(
        /** Whether an index keeps its keys unique. */
        private readonly isIndexed = false,
        private readonly most = MOST_PLANNED,
    ) {}

    /** Everything that has this key; no unique index may keep it at one. */
    find(key: string): readonly EntityState[] {
        return this.byKey.get(key) ?? [];
    }

    /** Another key, of one that lives, which a database may take for the same as this one: "A" and "a". */
    alike(key: string): string | undefined {
        return [...(this.byFold.get(folded(key)) ?? [])].find(other => other.key !== key)?.key;
    }

    /** Whether the database has to be asked who has this key: true once a batch. */
    mustAsk(key: string): boolean {
        if (this.asked.has(key)) return false;
        this.asked.add(key);
        return true;
    }

    /** The one with this id, deleted or not. */
    withId(id: Id): EntityState | undefined {
        return this.byId.get(id);
    }

    /** One that was read; it must not be here yet. */
    addRead(state: EntityState, key: string): void {
        this.byId.set(state.id!, state);
        this.read.add(state);
        this.list(state, key);
    }

    addNew(state: EntityState, key: string): void {
        this.planned.add(state);
        this.list(state, key);
        if (this.count !== undefined) this.count++;
    }

    /** Something of a stored one has changed. */
    touch(state: EntityState): void {
        this.planned.add(state);
    }

    /** Keeps one at hand that something planned refers to, though nothing of itself has changed. */
    keep(state: EntityState): void {
        this.read.delete(state);
    }

    remove(state: EntityState): void {
        state.isDeleted = true;
        if (state.id === undefined) this.planned.delete(state);
        else this.planned.add(state);
        this.unlist(state);
        if (this.count !== undefined) this.count--;
    }

    get created(): readonly EntityState[] {
        return [...this.planned].filter(({ id, isDeleted }) => id === undefined && !isDeleted);
    }
    get changed(): readonly EntityState[] {
        return [...this.planned].filter(({ id, isDeleted }) => id !== undefined && !isDeleted);
    }
    get deleted(): readonly EntityState[] {
        return [...this.planned].filter(({ isDeleted }) => isDeleted);
    }

    /**
     * Ends a batch of a dry run: lets go of what it has only looked at, so that memory grows with what would be changed and time with the
     * batch; and, of more than `most`, of what was planned first. True where it had to do that.
     */
    settle(): boolean {
        for (const state of this.read) if (!this.planned.has(state)) this.forget(state);
        this.read.clear();
        this.asked.clear();
        const isFull = this.planned.size > this.most;
        for (const state of this.planned) {
            if (this.planned.size <= this.most) break;
            this.planned.delete(state);
            this.forget(state);
        }
        return isFull;
    }

    private forget(state: EntityState): void {
        if (state.id !== undefined) this.byId.delete(state.id);
        this.unlist(state);
    }

    private list(state: EntityState, key: string): void {
        state.listedAs = key;
        const others = this.byKey.get(key);
        if (others) others.push(state);
        else this.byKey.set(key, [state]);
        if (!this.isIndexed) return;
        const fold = folded(state.key);
        const alike = this.byFold.get(fold);
        if (alike) alike.add(state);
        else this.byFold.set(fold, new Set([state]));
    }

    private unlist(state: EntityState): void {
        const left = (this.byKey.get(state.listedAs) ?? []).filter(other => other !== state);
        if (left.length > 0) this.byKey.set(state.listedAs, left);
        else this.byKey.delete(state.listedAs);
        const fold = this.isIndexed ? folded(state.key) : '';
        const alike = this.byFold.get(fold);
        alike?.delete(state);
        if (alike?.size === 0) this.byFold.delete(fold);
    }
}

/** A key without what a database may not mind: case, accents, blanks at the end. */
function folded(key: string): string {
    return key.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trimEnd();
}

/** What one batch of a live run, or a whole dry run, works on. */
export class UnitOfWork {
    private readonly sets = new Map<EntityDescription, EntitySet>();

    of(entity: EntityDescription): EntitySet {
        let set = this.sets.get(entity);
        if (!set) this.sets.set(entity, (set = new EntitySet(entity.key.among === 'index')));
        return set;
    }

    /** Ends a batch of a dry run, for all kinds. True where one of them had to forget something that is planned. */
    settle(): boolean {
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
