import type { StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import type { VendurePlatform } from '../context';
import type { EntityDescription } from '../entities/description';
import type { EntityState } from '../entities/entity-state';
import { EntityStore } from '../entities/entity-store';
import type { RecordIssues } from '../entities/record-issues';
import { namingOf, readReferences, referredTo } from '../entities/identity';
import { nameWithin, plainName } from '../entities/names';
import type { UnitOfWork, WorkPart } from '../entities/unit-of-work';
import type { DesiredArgument, DesiredOperation } from './read-operation';

/** As Vendure stores an operation. */
export interface StoredOperation {
    readonly code: string;
    readonly args: ReadonlyArray<{ readonly name: string; readonly value: string }>;
}

type Named = Extract<DesiredArgument, { readonly names: unknown }>;

/** What a batch has looked for, by kind and name. */
class FoundByName extends Map<string, readonly EntityState[]> implements WorkPart {
    settle(): void {
        this.clear();
    }
}

/** Finds the entities that operations name: facet values, variants, products, customer groups. */
export class NamedEntities {
    private readonly stores = new Map<EntityDescription, EntityStore>();

    constructor(
        private readonly platform: VendurePlatform,
        private readonly channelCode: string,
    ) {}

    /**
     * Reads the entities in some operations: a constant number of statements for each kind, whatever the number of
     * operations.
     */
    *read(work: UnitOfWork, operations: readonly DesiredOperation[]): StatementProgram<void> {
        const requested = new Map<EntityDescription, Set<string>>();
        for (const { of, names } of operations.flatMap(({ args }) => args.filter(isNamed))) {
            const all = requested.get(of.entity) ?? new Set();
            for (const { name } of names) all.add(name);
            requested.set(of.entity, all);
        }
        const found = work.part(FoundByName);
        for (const [entity, names] of requested)
            for (const [name, states] of yield* this.statesBy(work, entity, [...names]))
                found.set(keyOf(entity, name), states);
    }

    /** What some texts refer to, by key or name; a text within something is "facet:value". */
    private *statesBy(
        work: UnitOfWork,
        entity: EntityDescription,
        texts: readonly string[],
    ): StatementProgram<ReadonlyMap<string, readonly EntityState[]>> {
        const store = this.storeOf(entity);
        const owners = entity.key.within === undefined ? undefined : store.refs.get(entity.key.within)!;
        const named = texts.flatMap(text => (owners ? nameWithin(text) : [plainName(text)]));
        if (owners)
            yield* readReferences(
                owners,
                work,
                named.map(({ owner }) => ({ text: owner! })),
            );
        const references = named.flatMap(({ key, owner, label }) => {
            const within = owners && referredTo(work, namingOf(owners), { text: owner! }).find(isSeen);
            return owners && !within ? [] : [{ text: key, within, label }];
        });
        yield* readReferences(store, work, references);
        const kind = namingOf(store);
        return new Map(
            references.map(({ label, ...reference }) => [label, referredTo(work, kind, reference).filter(isSeen)]),
        );
    }

    /** An operation with ids instead of names; undefined if a name matches no entity, which adds an error. */
    stored(work: UnitOfWork, { code, args }: DesiredOperation, issues: RecordIssues): StoredOperation | undefined {
        const before = issues.count;
        const stored = args.map(argument => ({
            name: argument.name,
            value: isNamed(argument) ? this.idsOf(work, argument, issues) : argument.value,
        }));
        return issues.count > before ? undefined : { code, args: stored };
    }

    /** The names in records of the entities with some ids; none for entities that were deleted, or that have no name in the run's language. */
    *names(
        work: UnitOfWork,
        entity: EntityDescription,
        ids: ReadonlySet<string>,
    ): StatementProgram<ReadonlyMap<string, string>> {
        const store = this.storeOf(entity);
        const { numbersItself } = store.table;
        const stored = [...ids].filter(id => (numbersItself ? NUMBER : UUID).test(id));
        const typed = stored.map(id => (numbersItself ? Number(id) : id));
        yield* store.readById(work, typed);
        const set = work.of(entity);
        const planned = stored.length < ids.size ? set.created.filter(({ token }) => ids.has(token)) : [];
        const found = [...typed.flatMap(id => set.withId(id) ?? []), ...planned];
        return new Map(
            found.flatMap(state => {
                const { key, id, token } = state;
                const owner = entity.key.within === undefined ? '' : `${state.refs.get(entity.key.within)!.key}:`;
                return key === '' ? [] : [[String(id ?? token), `${owner}${key}`] as const];
            }),
        );
    }

    private idsOf(work: UnitOfWork, { of, isList, names }: Named, issues: RecordIssues): string {
        const found = names.flatMap(
            ({ name, path }) => this.find(work, of.entity, { name, path, faults: issues }) ?? [],
        );
        // In a dry run, what is only planned has no id yet.
        const ids = found.map(({ id, token }) => String(id ?? token));
        return isList ? JSON.stringify([...new Set(ids)]) : (ids[0] ?? '');
    }

    private find(
        work: UnitOfWork,
        entity: EntityDescription,
        { name, path, faults: issues }: { readonly name: string; readonly path: string; readonly faults: RecordIssues },
    ): EntityState | undefined {
        const { called, key } = entity;
        const first = work.part(FoundByName).get(keyOf(entity, name)) ?? [];
        const place = entity.isOfChannels ? ` of channel ${this.channelCode}` : '';
        if (first.length === 0)
            issues.add(path, `is ${show(name)}; no ${called[0]}${place} has this ${key.field}`, name);
        // Codes of facet values are not unique by themselves: the oldest one is used, as everywhere.
        else if (first.length > 1 && key.within === undefined)
            issues.add(path, `is ${show(name)}; ${first.length} ${called[1]}${place} have this ${key.field}`, name);
        return first[0];
    }

    private storeOf(entity: EntityDescription): EntityStore {
        const store = this.stores.get(entity) ?? new EntityStore(entity, this.platform, { isBare: true });
        this.stores.set(entity, store);
        return store;
    }
}

const NUMBER = /^\d{1,15}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isSeen = ({ isInChannel }: EntityState): boolean => isInChannel;
const isNamed = (argument: DesiredArgument): argument is Named => 'names' in argument;
const keyOf = ({ name }: EntityDescription, key: string): string => `${name} ${key}`;
