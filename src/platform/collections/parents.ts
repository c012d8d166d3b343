import type { StatementProgram } from '../../core/adapter/loader';
import type { Id } from '../../database/write';
import { collection } from '../entity-descriptions/collection';
import type { CollectionState } from '../entity-descriptions/collection-state';
import { Columns } from '../entities/columns';
import { type RecordIssues, quoted } from '../entities/record-issues';
import { calledBy, namingOf, readReferences, referredTo } from '../entities/identity';
import type { EntityState } from '../entities/entity-state';
import { newEntity } from '../entities/new-entity';
import type { SameNamed, StepRules } from '../entities/entity-extension';
import { foldName } from '../../core/data/fold-name';
import { slugOf } from '../entities/slug';
import { findFreeSlug, readSlugs, type SlugRequest } from '../entities/slugs';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { DesiredCollection } from './read-collection';
import { isBelow } from './tree';

interface ParentRules extends Pick<StepRules, 'store' | 'names' | 'channel'> {
    readonly createsParents: boolean;
    /** The root of all others; in a dry run that would create it, it has no id. */
    readonly root: CollectionState;
    /** The ids of all roots: a shop may have one for each of several channels. */
    readonly rootIds: ReadonlySet<Id>;
    readonly namesWithParents: NamesWithParents;
}

/** The names of collections to which records of a run give parents. */
export type NamesWithParents = Set<string>;

/** The maximum number of remembered names of a run. */
const MOST_NAMES = 50_000;

/**
 * Finds the parents of a batch's collections. The parent distinguishes collections with the same name. A record without a parent means the
 * top-level collection; if there is none, the only collection with its name, unless other records of the run distinguish collections of that name
 * by their parents.
 */
export class CollectionParents implements SameNamed<CollectionState, DesiredCollection> {
    /** The stored parents. */
    above: ReadonlyMap<Id, Id | null> = new Map();
    /** The slugs that records of the batch give. */
    private readonly given = new Set<string>();
    /** The slugs of parents that will be created, by the texts that name them. */
    private readonly slugs = new Map<string, string>();

    constructor(
        private readonly rules: ParentRules,
        private readonly work: UnitOfWork,
    ) {}

    *read(records: readonly DesiredCollection[]): StatementProgram<void> {
        const texts = records.flatMap(({ parent }) => (typeof parent === 'string' ? [parent] : []));
        const { namesWithParents: named } = this.rules;
        for (const { key, name, parent } of records) {
            if (key !== undefined) this.given.add(slugOf(key));
            else if (name !== undefined && typeof parent === 'string' && named.size < MOST_NAMES)
                named.add(foldName(name));
        }
        yield* readReferences(
            this.rules.store,
            this.work,
            texts.map(text => ({ text })),
        );
        if (this.rules.createsParents) yield* readSlugs(this.rules.store, this.work, texts.flatMap(this.requestFor));
    }

    /** The slug of the parent that a record would have made. */
    *prepare({ parent }: DesiredCollection): StatementProgram<void> {
        if (typeof parent !== 'string' || !this.rules.createsParents || this.called(parent).length > 0) return;
        for (const request of this.requestFor(parent))
            this.slugs.set(parent, yield* findFreeSlug(this.rules.store, this.work, request));
    }

    /** Requests the slug of a missing parent, which no record of the batch may have. */
    private readonly requestFor = (parent: string): readonly SlugRequest[] => {
        const made = slugOf(parent);
        if (made === '' || made === '-' || this.called(parent).length > 0) return [];
        const { language } = this.rules.channel;
        return [
            { language, slug: made, token: undefined, isMade: true, leaves: (slug: string) => this.given.has(slug) },
        ];
    };

    isMeant({ parent, name }: DesiredCollection, state: CollectionState): boolean {
        if (state.isRoot) return false;
        if (parent === null) return this.isAtTop(state);
        if (parent === undefined) return this.isAtTop(state) || this.isElsewhere(name);
        const [owner] = this.called(parent);
        return owner !== undefined && owner.token === state.ownerToken;
    }

    areAlike({ parent }: DesiredCollection, states: readonly CollectionState[]): boolean {
        return parent === undefined && states.length > 1 && !states.some(state => this.isAtTop(state));
    }

    /**
     * Whether a name without a parent may be that of a collection below another one: no top-level collection has it,
     * and no record of the run gives it a parent.
     */
    private isElsewhere(name: string | undefined): boolean {
        if (name === undefined || this.rules.namesWithParents.has(foldName(name))) return false;
        const kind = namingOf(this.rules.store);
        const isTop = (state: EntityState): boolean =>
            !(state as CollectionState).isRoot && this.isAtTop(state as CollectionState);
        return !calledBy(this.work, kind, { text: name, isMeant: isTop }).some(({ isInChannel }) => isInChannel);
    }

    private isAtTop({ parent, parentId }: CollectionState): boolean {
        if (parent) return parent.isRoot;
        return parentId === null || this.rules.rootIds.has(parentId);
    }

    /** The collections that a parent's slug or name may mean. */
    called(text: string): readonly CollectionState[] {
        const { store, createsParents: creates } = this.rules;
        const found = referredTo(this.work, namingOf(store), { text, creates }) as readonly CollectionState[];
        return found.filter(({ isInChannel }) => isInChannel);
    }

    /** The parent of a collection; undefined if it does not change. */
    parentOf(
        desired: DesiredCollection,
        state: CollectionState | undefined,
        issues: RecordIssues,
    ): CollectionState | undefined {
        const { names, channel, createsParents, root } = this.rules;
        const { parent } = desired;
        if (parent === null) return root;
        if (parent === undefined) return state ? undefined : root;
        const refuse = (problem: string): undefined => {
            issues.add(names['parent']!, `is ${quoted(parent)}${problem}`, parent);
            return undefined;
        };
        const [found, ...others] = this.called(parent);
        if (others.length > 0)
            return refuse(
                `; ${others.length + 1} collections of channel ${channel.code} have this name. Give the slug of one`,
            );
        const below = { collections: this.work.of(collection), parents: this.above };
        if (found && state && isBelow(found, state, below))
            return refuse(', which is the collection itself or below it');
        if (found) return found;
        if (parent === desired.key || foldName(parent) === foldName(desired.name ?? ''))
            return refuse(', which is the collection itself');
        if (!createsParents)
            return refuse(
                `; no collection of channel ${channel.code} has this slug or name, and no record before or in this batch; createMissingParents would create it`,
            );
        const slug = this.slugs.get(parent);
        if (slug === undefined) return refuse(', of which no slug can be made');
        const made = newEntity(collection, slug);
        made.setText(channel.language, {
            id: undefined,
            columns: new Columns({ name: parent, slug, description: '' }),
        });
        return made;
    }
}
