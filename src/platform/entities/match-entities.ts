import type { StatementProgram } from '../../core/adapter/loader';
import type { DesiredEntity } from './entity-record';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import { calledBy, isCalled, type EntityNaming, keysFor, namingOf, readReferences, referredTo } from './identity';
import { foldName } from '../../core/data/fold-name';
import { entityName } from './name-index';
import { listedKey } from './names';
import { readNames } from './read-names';
import type { ExtendedBatch } from './entity-extension';
import { numberedKey } from './slug';
import type { EntitySet, UnitOfWork } from './unit-of-work';

/** The number of consecutive keys after a taken one that are read at once. */
const KEYS_AHEAD = 30;

/**
 * An entity, or a record of the same batch, whose key another record has in another spelling, although their names
 * differ.
 */
interface SimilarKey {
    readonly key: string;
    readonly name: string;
}

/**
 * Finds the entities of a batch's records: by the given key, or by name if a record has no key. A key that is derived from a name is used only for
 * new entities, with a number if another entity has it.
 */
export class EntityMatch {
    private readonly set: EntitySet;
    private readonly kind: EntityNaming;
    /** The records of the batch by the keys that they give. */
    private readonly given = new Map<string, DesiredEntity>();
    private readonly probed = new Set<string>();

    constructor(
        private readonly store: EntityStore,
        private readonly work: UnitOfWork,
        private readonly namesakes: ExtendedBatch['namesakes'],
    ) {
        this.set = work.of(store.entity);
        this.kind = namingOf(store);
    }

    /** Reads what the records are about: a constant number of statements. */
    *read(records: readonly DesiredEntity[]): StatementProgram<void> {
        const { store, work } = this;
        for (const [field, to] of store.refs) {
            const texts = records.flatMap(({ refs }) => refs.get(field) ?? []);
            yield* readReferences(
                to,
                work,
                texts.map(text => ({ text })),
            );
        }
        yield* this.namesakes?.read(records) ?? [];
        yield* store.read(
            work,
            records.flatMap(desired => this.keysOf(desired).map(key => ({ key, within: this.ownerOf(desired) }))),
        );
        yield* readNames(
            store,
            work,
            records.flatMap(desired => this.nameToRead(desired)),
        );
        for (const desired of records) {
            const { key } = desired;
            if (key !== undefined && this.hasOwner(desired)) this.given.set(this.listed(desired, key), desired);
        }
        yield* this.readTaken(records);
        yield* store.readById(
            work,
            records.flatMap(({ id }) => id ?? []),
        );
    }

    /** Where a field of a record refers to: the oldest, where several have that name. */
    refOf({ refs }: DesiredEntity, field: string): EntityState | undefined {
        const text = refs.get(field);
        if (text === undefined) return undefined;
        const found = referredTo(this.work, namingOf(this.store.refs.get(field)!), { text });
        return found.find(({ isInChannel }) => isInChannel);
    }

    found(desired: DesiredEntity): readonly EntityState[] {
        const { id, key, name } = desired;
        const known = id === undefined ? undefined : this.set.withId(id);
        if (known) return known.isDeleted ? [] : [known];
        if (!this.hasOwner(desired)) return [];
        if (key === undefined) return name === undefined ? [] : this.called(desired, name);
        const found = this.set.find(this.listed(desired, key));
        return found.length > 0 ? found : this.spelt(desired, key).filter(state => this.isNamesake(desired, state));
    }

    /**
     * The reason why a given key cannot be that of a new entity: in another spelling it is the key of something with
     * another name.
     */
    near(desired: DesiredEntity): SimilarKey | undefined {
        const { key, id } = desired;
        if (key === undefined || id !== undefined || this.found(desired).length > 0) return undefined;
        const [made = key] = keysFor(this.kind.entity, key).slice(1);
        const [state] = this.spelt(desired, key);
        if (state) return { key: made, name: entityName(this.kind.entity, state, this.kind.language) ?? '' };
        const rival = made === key || !this.hasOwner(desired) ? undefined : this.given.get(this.listed(desired, made));
        const isOther = rival?.name !== undefined && foldName(rival.name) !== foldName(desired.name ?? key);
        return isOther ? { key: made, name: rival.name! } : undefined;
    }

    /** A record with the key that a new entity gets; as it is, where there is one already. */
    *keyed(desired: DesiredEntity): StatementProgram<DesiredEntity> {
        const { key, name, id } = desired;
        const { made, isTranslated } = this.kind.entity.key;
        if (!made || id !== undefined || !this.hasOwner(desired) || this.found(desired).length > 0) return desired;
        if (this.near(desired)) return desired;
        if (key !== undefined) return isTranslated === true ? { ...desired, key: made.by(key) } : desired;
        const wanted = name === undefined ? '' : made.by(desired.keySource ?? name);
        return wanted === '' || wanted === '-' ? desired : { ...desired, key: yield* this.freeKey(desired, wanted) };
    }

    private *freeKey(desired: DesiredEntity, wanted: string): StatementProgram<string> {
        let candidate = wanted;
        for (let suffix = 2; ; suffix++) {
            if (suffix > 2 && !this.probed.has(this.listed(desired, candidate)))
                yield* this.probe(this.ahead(desired, { wanted, suffix: suffix - 1 }));
            if (!this.isTaken(desired, candidate)) return candidate;
            candidate = numberedKey(wanted, suffix);
        }
    }

    /** Reads the owners of the next keys after those that are taken, or that several records of the batch would get. */
    private *readTaken(records: readonly DesiredEntity[]): StatementProgram<void> {
        const { made } = this.kind.entity.key;
        const seen = new Map<string, number>();
        const ahead: KeyWithin[] = [];
        for (const desired of records) {
            if (!made || desired.key !== undefined || desired.name === undefined || !this.hasOwner(desired)) continue;
            if (this.found(desired).length > 0) continue;
            const wanted = made.by(desired.keySource ?? desired.name);
            const listed = this.listed(desired, wanted);
            const times = (seen.get(listed) ?? 0) + 1;
            seen.set(listed, times);
            if (times > 1 || this.isTaken(desired, wanted))
                ahead.push(...this.ahead(desired, { wanted, suffix: 2, count: KEYS_AHEAD + times }));
        }
        yield* this.probe(ahead);
    }

    private ahead(
        desired: DesiredEntity,
        {
            wanted,
            suffix,
            count = KEYS_AHEAD,
        }: { readonly wanted: string; readonly suffix: number; readonly count?: number },
    ): readonly KeyWithin[] {
        const within = this.ownerOf(desired);
        return Array.from({ length: count }, (_, i) => ({ key: numberedKey(wanted, suffix + i), within }));
    }

    private *probe(keys: readonly KeyWithin[]): StatementProgram<void> {
        yield* this.store.read(this.work, keys);
        for (const { key, within } of keys) this.probed.add(listedKey(key, within));
    }

    /** Whether another entity has a key, or the batch gives it to a record with another name. */
    private isTaken(desired: DesiredEntity, key: string): boolean {
        const listed = this.listed(desired, key);
        if (this.set.find(listed).length > 0 || this.set.alike(key) !== undefined) return true;
        const rival = this.given.get(listed);
        return rival !== undefined && !rival.isDelete && foldName(rival.name ?? key) !== foldName(desired.name!);
    }

    /** The keys under which something may be found that a record is about. */
    private keysOf(desired: DesiredEntity): readonly string[] {
        const { id, key, keySource = desired.name } = desired;
        if (id !== undefined || !this.hasOwner(desired)) return [];
        if (key !== undefined) return keysFor(this.kind.entity, key);
        const made = keySource === undefined ? '' : (this.kind.entity.key.made?.by(keySource) ?? '');
        return made === '' ? [] : [made];
    }

    /** The name by which an entity must be searched if the key that is made of it finds nothing. */
    private nameToRead(desired: DesiredEntity) {
        const { id, key, name } = desired;
        // Names are keys of kinds that are described by them.
        const text = this.kind.entity.key.field === 'name' ? key : key === undefined ? name : undefined;
        if (id !== undefined || text === undefined || !this.hasOwner(desired)) return [];
        return this.found(desired).length > 0 && !this.namesakes ? [] : [{ name: text, within: this.ownerOf(desired) }];
    }

    private called(desired: DesiredEntity, text: string): readonly EntityState[] {
        const { namesakes } = this;
        return calledBy(this.work, this.kind, {
            text,
            within: this.ownerOf(desired),
            ...(namesakes && {
                isMeant: (state: EntityState) => namesakes.isMeant(desired, state),
                areAlike: (states: readonly EntityState[]) => namesakes.areAlike(desired, states),
            }),
        });
    }

    /** Entities of the run's channel whose key equals the one that is made of a given key. */
    private spelt(desired: DesiredEntity, key: string): readonly EntityState[] {
        const { entity } = this.kind;
        if (entity.key.field === 'name') return this.called(desired, key);
        const [made] = keysFor(entity, key).slice(1);
        if (made === undefined || !this.hasOwner(desired)) return [];
        return this.set.find(this.listed(desired, made)).filter(({ isInChannel }) => isInChannel);
    }

    /** Whether an entity has the record's name; a record without a name may give it in the place of its key. */
    private isNamesake({ name, key }: DesiredEntity, state: EntityState): boolean {
        return isCalled(this.kind, state, name ?? key!);
    }

    private listed(desired: DesiredEntity, key: string): string {
        return listedKey(key, this.ownerOf(desired));
    }

    private ownerOf(desired: DesiredEntity): EntityState | undefined {
        const { within } = this.kind.entity.key;
        return within === undefined ? undefined : this.refOf(desired, within);
    }

    private hasOwner(desired: DesiredEntity): boolean {
        return this.kind.entity.key.within === undefined || this.ownerOf(desired) !== undefined;
    }
}

interface KeyWithin {
    readonly key: string;
    readonly within: EntityState | undefined;
}
