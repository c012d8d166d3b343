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
import { readNames } from '../entities/read-names';
import { slugOf } from '../entities/slug';
import { findFreeSlug, readSlugs, type SlugRequest } from '../entities/slugs';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { DesiredCollection, ParentPath, ParentReference } from './read-collection';
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
    /** The slugs of parents that will be created, by what names them. */
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
            else if (name !== undefined && isBelowOne(parent) && named.size < MOST_NAMES) named.add(foldName(name));
        }
        // A key that equals a name on the path may be that of a collection elsewhere: names are always read.
        yield* readNames(
            this.rules.store,
            this.work,
            records.flatMap(({ parent }) => (isPath(parent) ? parent.map(name => ({ name })) : [])),
        );
        yield* readReferences(
            this.rules.store,
            this.work,
            texts.map(text => ({ text })),
        );
        if (!this.rules.createsParents) return;
        const missing = records.flatMap(({ parent }) => (isBelowOne(parent) ? this.missingOf(parent) : []));
        yield* readSlugs(
            this.rules.store,
            this.work,
            missing.flatMap(one => this.slugRequest(one)),
        );
    }

    /** The slugs of the parents that a record would create. */
    *prepare({ parent }: DesiredCollection): StatementProgram<void> {
        if (!this.rules.createsParents || !isBelowOne(parent)) return;
        for (const missing of this.missingOf(parent))
            for (const request of this.slugRequest(missing)) {
                const slug = yield* findFreeSlug(this.rules.store, this.work, request);
                this.slugs.set(identityOfParent(missing), slug);
            }
    }

    /** Those of a parent and the collections above it that do not exist, topmost first. */
    private missingOf(parent: string | ParentPath): ReadonlyArray<string | ParentPath> {
        const levels = isPath(parent) ? parent.map((_, i) => parent.slice(0, i + 1)) : [parent];
        return levels.filter(level => this.called(level).length === 0);
    }

    /** Requests the slug of a missing parent, which no record of the batch may have. */
    private slugRequest(parent: string | ParentPath): readonly SlugRequest[] {
        const made = slugOf(isPath(parent) ? parent.join(' ') : parent);
        if (made === '' || made === '-') return [];
        const { language } = this.rules.channel;
        return [
            { language, slug: made, token: undefined, isMade: true, leaves: (slug: string) => this.given.has(slug) },
        ];
    }

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

    /** The collections that a parent's slug, name or path may mean. */
    called(text: string | ParentPath): readonly CollectionState[] {
        if (isPath(text)) return this.along(text);
        const { store, createsParents: creates } = this.rules;
        const found = referredTo(this.work, namingOf(store), { text, creates }) as readonly CollectionState[];
        return found.filter(({ isInChannel }) => isInChannel);
    }

    /** The collections at the end of a path of names, which begins at the top level. */
    private along(path: ParentPath): readonly CollectionState[] {
        const kind = namingOf(this.rules.store);
        let owners: readonly EntityState[] | undefined;
        for (const text of path) {
            const above = owners;
            const isMeant = (state: EntityState): boolean =>
                above
                    ? above.some(({ token }) => token === state.ownerToken)
                    : !(state as CollectionState).isRoot && this.isAtTop(state as CollectionState);
            owners = calledBy(this.work, kind, { text, isMeant }).filter(({ isInChannel }) => isInChannel);
        }
        return (owners ?? []) as readonly CollectionState[];
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
        if (!isPath(parent) && (parent === desired.key || foldName(parent) === foldName(desired.name ?? '')))
            return refuse(', which is the collection itself');
        if (!createsParents)
            return refuse(
                `; no collection of channel ${channel.code} has this ${isPath(parent) ? 'path' : 'slug or name'}, and no record before or in this batch; createMissingParents would create it`,
            );
        const missing = this.missingOf(parent);
        const topmost = missing[0];
        let made = isPath(topmost) && topmost.length > 1 ? this.along(topmost.slice(0, -1))[0]! : root;
        for (const one of missing) {
            const slug = this.slugs.get(identityOfParent(one));
            if (slug === undefined) return refuse(', of which no slug can be made');
            const owner = made;
            made = newEntity(collection, slug);
            made.parent = owner;
            const name = isPath(one) ? one[one.length - 1]! : one;
            made.setText(channel.language, { id: undefined, columns: new Columns({ name, slug, description: '' }) });
        }
        return made;
    }
}

function isPath(parent: ParentReference | undefined): parent is ParentPath {
    return Array.isArray(parent);
}

function isBelowOne(parent: ParentReference | undefined): parent is string | ParentPath {
    return parent !== undefined && parent !== null;
}

/** What distinguishes a parent that will be created from others: a slug or name as given, or the names of a path. */
function identityOfParent(parent: string | ParentPath): string {
    return isPath(parent) ? JSON.stringify(parent.map(foldName)) : parent;
}
