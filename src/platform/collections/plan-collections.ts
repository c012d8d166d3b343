import { Collection } from '@vendure/core';
import { phrase } from '../../core/log/log-events';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import { type JsonValue, canonicalJson } from '../../core/value/json';
import type { Id } from '../../database/write';
import { collection } from '../entity-descriptions/collection';
import type { CollectionState } from '../entity-descriptions/collection-state';
import { collectionsStale, variantsStale } from '../effects/effect';
import type { Diff } from '../entities/diff';
import type {
    RequestedEntity,
    FoundEntity,
    SameNamed,
    ExtendedBatch,
    StepRules,
    WrittenEntities,
} from '../entities/entity-extension';
import { slugOf } from '../entities/slug';
import { findFreeSlug, grantSlugs, readSlugs, slugReservations, requestSlugLater } from '../entities/slugs';
import type { EntitySet, UnitOfWork } from '../entities/unit-of-work';
import { idsOf } from '../entities/write-entities';
import type { EntityAssetSets, ResolvedAssets } from '../entity-assets/entity-asset-sets';
import type { ReadyImages } from '../asset-import/asset-downloader';
import type { NamedEntities, StoredOperation } from '../operations/named-entities';
import { sortByTree } from './precedence';
import type { DesiredCollection } from './read-collection';
import { CollectionParents, type NamesWithParents } from './parents';
import type { CollectionTree } from './tree';
import { detachCollections, linkCollections } from './write-collections';

type FoundCollections = FoundEntity<CollectionState, DesiredCollection>;

interface CollectionRules extends StepRules {
    readonly tree: CollectionTree;
    readonly named: NamedEntities;
    readonly createsParents: boolean;
    readonly galleries: EntityAssetSets;
    readonly pictures: ReadyImages;
    /** The root of all others; in a dry run that would create it, it has no id. */
    readonly root: CollectionState;
    /** The ids of all roots: a shop may have one for each of several channels. */
    readonly rootIds: ReadonlySet<Id>;
    readonly namesWithParents: NamesWithParents;
}

/** What was found to be right about a record. */
interface Settled {
    readonly parent: CollectionState | undefined;
    readonly filters: readonly StoredOperation[] | undefined;
    readonly gallery: ResolvedAssets;
    /** Its slugs before it is changed, by language. */
    readonly slugs: ReadonlyMap<string, JsonValue | undefined>;
}

type Asked = RequestedEntity<DesiredCollection>;

/** The collections of a batch: parents are decided first, and collections that are deleted with others last. */
export class CollectionBatch implements ExtendedBatch<CollectionState, DesiredCollection> {
    private readonly checked = new WeakMap<Asked, Settled>();
    private readonly parents: CollectionParents;
    private below: ReadonlyMap<Id, { readonly last: number; readonly count: number }> = new Map();
    /** The last position among the children of a collection. */
    private readonly last = new Map<string, number>();
    /** Slugs that records ask for and others have, by language. */
    private readonly wishes = new WeakMap<DesiredCollection, ReadonlyMap<string, string>>();
    private lost: readonly Id[] = [];
    private ofPictures: readonly Effect[] = [];

    constructor(
        private readonly own: CollectionRules,
        private readonly work: UnitOfWork,
    ) {
        this.parents = new CollectionParents(own, work);
        this.namesakes = this.parents;
    }

    readonly order = sortByTree;
    readonly namesakes: SameNamed<CollectionState, DesiredCollection>;

    private get collections(): EntitySet<CollectionState> {
        return this.work.of(collection);
    }

    *read(records: readonly DesiredCollection[], found: FoundCollections): StatementProgram<void> {
        yield* this.readTree(records, found);
        yield* this.readGalleries(records, found);
        yield* this.own.named.read(
            this.work,
            records.flatMap(({ filters }) => filters ?? []),
        );
        yield* readSlugs(this.own.store, this.work, this.slugRequests(records, found));
    }

    private *readTree(records: readonly DesiredCollection[], found: FoundCollections): StatementProgram<void> {
        const { tree, root } = this.own;
        const parents = records.flatMap(({ parent }) => (parent ? this.parents.called(parent) : []));
        const deleted = records.flatMap(desired => (desired.isDelete ? found(desired) : []));
        const ids = (states: readonly CollectionState[]) => [...new Set(states.flatMap(({ id }) => id ?? []))];
        this.parents.above = yield* tree.parentsOf(ids(parents));
        this.below = yield* tree.below(ids([root, ...parents, ...deleted]));
    }

    private *readGalleries(records: readonly DesiredCollection[], found: FoundCollections): StatementProgram<void> {
        const { galleries, pictures } = this.own;
        yield* galleries.readAssets(
            this.work,
            records.map(({ gallery }) => gallery),
            pictures,
        );
        const asking = records.filter(({ gallery }) => galleries.asks(gallery));
        yield* galleries.readGalleries(
            this.work,
            Collection,
            asking.flatMap(desired => found(desired)),
        );
    }

    /** Slugs of languages other than the run's, by whose own slug collections are found. */
    private slugRequests(records: readonly DesiredCollection[], found: FoundCollections) {
        return records.flatMap(desired =>
            [...desired.texts].flatMap(([language, { values }]) => {
                const slug = slugOf(values['slug'] ?? values['name'] ?? '');
                const token = found(desired)[0]?.token;
                return language === this.own.channel.language || slug === '' ? [] : [{ language, slug, token }];
            }),
        );
    }

    /** Completes a record with everything that a text needs: an unused slug, derived from the name, and a description. */
    *completed(desired: DesiredCollection, state: CollectionState | undefined): StatementProgram<DesiredCollection> {
        const { store, channel } = this.own;
        yield* this.parents.prepare(desired);
        const texts = new Map(desired.texts);
        const wishes = new Map<string, string>();
        for (const [language, text] of desired.texts) {
            const stored = state?.texts.get(language);
            const made = language === channel.language ? (desired.key ?? '') : slugOf(text.values['name'] ?? '');
            const given = text.values['slug'] ?? (stored ? undefined : made);
            let slug = given === undefined || given === stored?.columns.get('slug') ? given : slugOf(given);
            if (slug && language !== channel.language && slug !== stored?.columns.get('slug')) {
                const desired = slug;
                slug = yield* findFreeSlug(store, this.work, { language, slug, token: state?.token });
                if (slug !== desired && text.values['slug'] !== undefined) wishes.set(language, desired);
            }
            const values = { ...(!stored && { description: '' }), ...text.values, ...(slug !== undefined && { slug }) };
            texts.set(language, { ...text, values });
        }
        const whole = { ...desired, texts };
        if (wishes.size > 0) this.wishes.set(whole, wishes);
        return whole;
    }

    check(requested: Asked, state: CollectionState | undefined): void {
        const { desired, faults: issues } = requested;
        const { names, named } = this.own;
        if (state?.isRoot === true)
            issues.add(
                names['slug']!,
                `is ${show(desired.key)}, the collection that all others are below`,
                desired.key,
            );
        for (const [language, { values }] of desired.texts)
            if (values['slug'] === '' && values['name'] !== undefined)
                issues.add(names['slug']!, `is missing, and none can be made of the name in ${language}`);
        const parent = this.parents.parentOf(desired, state, issues);
        const filters = desired.filters?.flatMap(filter => named.stored(this.work, filter, issues) ?? []);
        const slugs = new Map(
            [...(state?.texts ?? [])].map(([language, { columns }]) => [language, columns.get('slug')]),
        );
        const { galleries, pictures } = this.own;
        const gallery = galleries.resolve(desired.gallery, { work: this.work, pictures, faults: issues });
        this.checked.set(requested, { parent, filters, gallery, slugs });
    }

    assigned(requested: Asked, state: CollectionState, diff: Diff): void {
        const { parent, filters, gallery, slugs } = this.checked.get(requested)!;
        const { position } = requested.desired;
        if (state.id === undefined && state.parent === undefined) this.begin(state);
        if (parent && parent.token !== state.ownerToken) {
            if (this.isNew(parent)) this.makeParent(parent, diff);
            if (state.id !== undefined || !parent.isRoot) diff.add('parent', this.parentKey(state), keyOf(parent));
            this.put(state, parent);
            if (position === undefined) state.columns.set('position', this.nextPosition(parent));
        }
        if (position !== undefined) diff.set(state.columns, 'position', { path: 'position', value: position });
        if (filters) this.setFilters(state, filters, diff);
        this.own.galleries.assign(state, { work: this.work, resolved: gallery, diff });
        for (const [language, slug] of this.wishes.get(requested.desired) ?? []) {
            const path = `translations.${language}.slug`;
            requestSlugLater(this.work, { store: this.own.store, state, language, slug, diff, path });
        }
        const claims = slugReservations(this.work, collection);
        for (const [language, { columns }] of state.texts) {
            const [before, slug] = [slugs.get(language), columns.get('slug')];
            if (before === slug) continue;
            if (typeof before === 'string') claims.drop(language, before, state.token);
            claims.claim(language, slug as string, state.token);
        }
    }

    finished(): void {
        grantSlugs(this.work);
    }

    private setFilters(state: CollectionState, filters: readonly StoredOperation[], diff: Diff): void {
        const stored = (state.columns.get('filters') ?? []) as readonly JsonValue[];
        const known = new Set(this.own.strategy === 'MERGE' ? stored.map(filter => canonicalJson(filter)) : []);
        const others = (filters as unknown as readonly JsonValue[]).filter(filter => !known.has(canonicalJson(filter)));
        const value = this.own.strategy === 'MERGE' ? [...stored, ...others] : others;
        diff.set(state.columns, 'filters', { path: 'filters', value });
    }

    /** The defaults of a new row. */
    private begin({ columns }: CollectionState): void {
        Object.assign(columns.values, { parentId: null, filters: [], isRoot: false, featuredAssetId: null });
    }

    /** Creates a missing parent that a record names, after the missing ones above it. */
    private makeParent(parent: CollectionState, diff: Diff): void {
        const { channel } = this.own;
        const owner = parent.parent!;
        if (this.isNew(owner)) this.makeParent(owner, diff);
        this.begin(parent);
        this.put(parent, owner);
        parent.columns.set('position', this.nextPosition(owner));
        this.collections.addNew(parent, parent.key);
        slugReservations(this.work, collection).claim(channel.language, parent.key, parent.token);
        diff.note = {
            code: 'parent-made',
            what: phrase('PARENTS_CREATED'),
            example: parent.key,
        };
    }

    /** Whether a parent must be created with the record that names it. */
    private isNew(parent: CollectionState): boolean {
        return parent.id === undefined && parent.listedAs === undefined && parent !== this.own.root;
    }

    private put(state: CollectionState, parent: CollectionState): void {
        this.collections.moveOwner(state, () => {
            state.parent = parent;
            state.columns.set('parentId', parent.id ?? null);
        });
        this.collections.keep(parent);
    }

    private nextPosition({ id, token }: CollectionState): number {
        const last = this.last.get(token) ?? (id === undefined ? 0 : (this.below.get(id)?.last ?? 0));
        this.last.set(token, last + 1);
        return last + 1;
    }

    private parentKey(state: CollectionState): JsonValue {
        const { parent, parentId } = state;
        const known = parent ?? (parentId === null ? undefined : this.collections.withId(parentId));
        return known ? keyOf(known) : null;
    }

    deleting(state: CollectionState): string | undefined {
        if (state.isRoot) return 'it is the collection that all others are below';
        const children = this.childrenOf(state);
        if (children > 0) return `${children === 1 ? '1 collection is' : `${children} collections are`} below it`;
        const claims = slugReservations(this.work, collection);
        for (const [language, { columns }] of state.texts)
            claims.drop(language, columns.get('slug') as string, state.token);
        return undefined;
    }

    *writing({ created, changed, deleted }: WrittenEntities<CollectionState>): StatementProgram<void> {
        this.lost = yield* detachCollections(this.own, idsOf(deleted));
        this.ofPictures = yield* this.own.galleries.writeAssets(this.work, [...created, ...changed]);
    }

    *written(written: WrittenEntities<CollectionState>): StatementProgram<readonly Effect[]> {
        yield* this.own.galleries.write(this.work, Collection, [...written.created, ...written.changed]);
        const stale = yield* linkCollections(this.own, written);
        if (this.own.sideEffects === 'NONE') return this.ofPictures;
        return [...this.ofPictures, ...collectionsStale(stale), ...variantsStale(this.lost)];
    }

    /** The current number of its children: the stored ones, without deleted or moved ones, plus the added ones. */
    private childrenOf(state: CollectionState): number {
        const { id } = state;
        const gone = [...this.collections.changed, ...this.collections.deleted].filter(
            child =>
                id !== undefined && child.storedBelow === id && (child.isDeleted || child.ownerToken !== state.token),
        );
        const come = this.collections.ownedBy(state).filter(child => id === undefined || child.storedBelow !== id);
        return (id === undefined ? 0 : (this.below.get(id)?.count ?? 0)) - gone.length + come.length;
    }
}

const keyOf = (state: CollectionState): JsonValue => (state.isRoot ? null : state.key);
