import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import type { RunChannel } from '../lookup/run-channel';
import type { ChildStore, DesiredChild } from './child-store';
import { Members } from './columns';
import type { Diff } from './diff';
import type { FieldNames } from './entity-config';
import type { DesiredEntity } from './entity-record';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import type { RecordIssues } from './record-issues';
import { applyList, listMode, type ListMode, type Strategy } from './load-arguments';
import { namingOf, readReferences, referredTo } from './identity';
import { requireCustom, setCustom } from './plan-custom';
import { readMembers, readRelations } from './read-members';
import type { UnitOfWork } from './unit-of-work';

interface ListRules {
    readonly store: EntityStore;
    readonly children: ReadonlyMap<string, ChildStore>;
    readonly channel: Pick<RunChannel, 'code'>;
    readonly names: FieldNames;
    readonly strategy: Strategy;
    readonly modes: ReadonlyMap<string, ListMode>;
}

/** One record: the values that it sets, and its entity, if there is one. */
interface Asked {
    readonly desired: DesiredEntity;
    readonly faults: RecordIssues;
    readonly state: EntityState | undefined;
}

/** What becomes of the lists of entities: members and children, by the mode of each. */
export class ListPlan {
    constructor(
        private readonly rules: ListRules,
        private readonly work: UnitOfWork,
    ) {}

    /** Reads the members in lists, and the current members of entities: a few statements for each field. */
    *read(
        records: readonly DesiredEntity[],
        foundBy: (desired: DesiredEntity) => readonly EntityState[],
    ): StatementProgram<void> {
        const { store, children } = this.rules;
        for (const [field, { store: to }] of store.members) {
            const asking = records.filter(({ members }) => members.has(field));
            const keys = asking.flatMap(({ members }) => members.get(field)!);
            if (asking.length === 0 || this.modeOf(field) === 'SKIP') continue;
            yield* readReferences(
                to,
                this.work,
                keys.map(text => ({ text })),
            );
            yield* readMembers(store, this.work, { states: asking.flatMap(foundBy), field });
        }
        for (const [field, child] of children) {
            const asking = records.filter(one => one.children.has(field));
            if (asking.length === 0 || this.modeOf(field) === 'SKIP') continue;
            const desired = asking.flatMap(one => one.children.get(field)!);
            for (const [ref, to] of child.refs)
                yield* readReferences(
                    to,
                    this.work,
                    desired.flatMap(({ refs }) => (refs.has(ref) ? [{ text: refs.get(ref)! }] : [])),
                );
            const owners = asking.flatMap(foundBy);
            yield* child.read(this.work, owners);
            yield* readRelations(
                child,
                owners.flatMap(owner => owner.members.get(field)?.now ?? []),
                desired.map(({ custom }) => custom),
            );
        }
    }

    private modeOf(field: string): ListMode {
        const what = this.rules.store.entity.fields[field];
        return listMode(
            this.rules.modes.get(field),
            this.rules.strategy,
            what?.kind === 'children' ? what.mode : undefined,
        );
    }

    /** Adds what is wrong with the lists of a record. */
    check({ desired, faults: issues, state }: Asked): void {
        for (const [field, keys] of desired.members) if (this.isAdding(field)) this.checkMembers(field, keys, issues);
        for (const [field, list] of desired.children) {
            const store = this.rules.children.get(field)!;
            const stored = byKey(store, state?.members.get(field)?.now ?? []);
            this.checkTaken(field, { list, stored, faults: issues });
            const said = new Set<string>();
            for (const flagged of store.child.onlyOne ?? []) this.checkOnlyOne(flagged, list, issues);
            for (const child of list) {
                const key = this.childKey(store, child);
                if (said.has(key))
                    issues.add(child.path, `is listed twice; entries are identified by ${store.key.join(', ')}`, null);
                said.add(key);
                if (this.isAdding(field)) this.checkChild(child, { store, faults: issues, isNew: !stored.has(key) });
            }
        }
    }

    private childKey(store: ChildStore, child: DesiredChild): string {
        return store.keyOf(child, (field, text) => this.seen(store.refs.get(field)!, text)[0]?.key ?? text);
    }

    private checkOnlyOne(flagged: string, list: readonly DesiredChild[], issues: RecordIssues): void {
        const [first, ...others] = list.filter(({ values }) => values[flagged] === true);
        for (const { path } of others)
            issues.add(`${path}.${flagged}`, `is true, as ${first!.path}.${flagged} is; allowed: once in a list`, true);
    }

    /** Removing children with a list requires a separate permission. */
    private checkTaken(
        field: string,
        {
            list,
            stored,
            faults: issues,
        }: {
            readonly list: readonly DesiredChild[];
            readonly stored: ReadonlyMap<string, EntityState>;
            readonly faults: RecordIssues;
        },
    ): void {
        const { children, names, store } = this.rules;
        const child = children.get(field)!.child;
        const said = new Set(list.map(one => this.childKey(children.get(field)!, one)));
        const mode = this.modeOf(field);
        const isTaken = (key: string): boolean =>
            (mode === 'REPLACE' && !said.has(key)) || (mode === 'REMOVE' && said.has(key));
        if ([...stored.keys()].some(isTaken) && !store.platform.ctx.userHasPermissions([...child.deletedBy]))
            issues.add(
                names[field]!,
                `takes ${child.called[1]} away, for which the run's user lacks the permission ${child.deletedBy.join(' or ')}`,
            );
    }

    private isAdding(field: string): boolean {
        return ['REPLACE', 'MERGE'].includes(this.modeOf(field));
    }

    private checkMembers(field: string, keys: readonly string[], issues: RecordIssues): void {
        const { entity } = this.rules.store.members.get(field)!.store;
        keys.forEach((key, i) => {
            const count = this.seen(this.rules.store.members.get(field)!.store, key).length;
            if (count !== 1) issues.add(`${this.rules.names[field]}.${i}`, this.problem(entity, key, count), key);
        });
    }

    private checkChild(
        { path, values, refs, custom }: DesiredChild,
        {
            store,
            faults: issues,
            isNew,
        }: { readonly store: ChildStore; readonly faults: RecordIssues; readonly isNew: boolean },
    ): void {
        for (const [field, key] of refs) {
            const to = store.refs.get(field)!;
            const count = this.seen(to, key).length;
            if (count !== 1) issues.add(`${path}.${field}`, this.problem(to.entity, key, count), key);
        }
        if (!isNew) return;
        for (const [field, what] of Object.entries(store.child.fields)) {
            const isNeeded = (what.kind === 'text' || what.kind === 'ref') && what.isRequired;
            if (isNeeded && values[field] === undefined && !refs.has(field))
                issues.add(`${path}.${field}`, `is missing; a new ${store.child.called[0]} needs one`);
        }
        requireCustom(store.custom.base, custom, { faults: issues, path: `${path}.customFields` });
    }

    private problem({ called, key, isOfChannels }: EntityStore['entity'], text: string, count: number): string {
        const place = isOfChannels ? ` of channel ${this.rules.channel.code}` : '';
        return count === 0
            ? `is ${show(text)}; no ${called[0]}${place} has this ${key.field}`
            : `is ${show(text)}; ${count} ${called[1]}${place} have this ${key.field}`;
    }

    private seen(store: EntityStore, text: string): readonly EntityState[] {
        return referredTo(this.work, namingOf(store), { text }).filter(({ isInChannel }) => isInChannel);
    }

    /** Applies the lists of a record, in which nothing is wrong. */
    assign(state: EntityState, { members, children }: DesiredEntity, diff: Diff): void {
        for (const [field, keys] of members) this.assignMembers(state, { field, keys, diff });
        for (const [field, list] of children) this.assignChildren(state, { field, list, diff });
    }

    private assignMembers(
        state: EntityState,
        { field, keys, diff }: { readonly field: string; readonly keys: readonly string[]; readonly diff: Diff },
    ): void {
        const mode = this.modeOf(field);
        if (mode === 'SKIP') return;
        const { store } = this.rules.store.members.get(field)!;
        const list = listOf(state, field);
        const { now } = list;
        const given = keys.flatMap(key => this.seen(store, key).slice(0, 1));
        // Members that the run's channel does not see are not removed.
        const hidden = now.filter(({ isInChannel }) => !isInChannel);
        const desired = [...new Set([...hidden, ...applyList(mode, now, given)])];
        if (desired.length === now.length && now.every(member => desired.includes(member))) return;
        list.replace(desired);
        for (const member of given) this.work.of(store.entity).keep(member);
        diff.add(field, keysOf(now), keysOf(desired));
    }

    private assignChildren(
        state: EntityState,
        {
            field,
            list: desired,
            diff,
        }: { readonly field: string; readonly list: readonly DesiredChild[]; readonly diff: Diff },
    ): void {
        const mode = this.modeOf(field);
        if (mode === 'SKIP') return;
        const store = this.rules.children.get(field)!;
        const list = listOf(state, field);
        const { now } = list;
        const stored = byKey(store, now);
        const given = desired.flatMap(child => {
            const found = stored.get(this.childKey(store, child));
            if (mode === 'REMOVE') return found ?? [];
            const one = found ?? store.newChild();
            this.assignChild(one, child, { store, diff });
            return one;
        });
        const wanted = applyList(mode, now, given);
        if (wanted.length === now.length && now.every(child => wanted.includes(child))) return;
        list.replace(wanted);
        diff.add(field, keysIn(store, now), keysIn(store, wanted));
    }

    private assignChild(
        child: EntityState,
        { path, values, refs, custom }: DesiredChild,
        { store, diff }: { readonly store: ChildStore; readonly diff: Diff },
    ): void {
        for (const [field, value] of Object.entries(values))
            diff.set(child.columns, field, { path: `${path}.${field}`, value });
        for (const [field, key] of refs) {
            const to = this.seen(store.refs.get(field)!, key)[0]!;
            const before = child.refs.get(field);
            if (before === to) continue;
            child.setRef(field, to);
            // In a dry run it may be planned only.
            child.columns.set(field, to.id ?? null);
            this.work.of(store.refs.get(field)!.entity).keep(to);
            diff.add(`${path}.${field}`, before?.key ?? null, to.key);
        }
        const isMerge = this.rules.strategy === 'MERGE';
        setCustom(diff, child.columns, { fields: store.custom, values: custom, path: `${path}.customFields`, isMerge });
    }
}

function listOf(state: EntityState, field: string): Members<EntityState> {
    const list = state.members.get(field) ?? new Members<EntityState>([]);
    state.setMembers(field, list);
    return list;
}

/** Twins that are stored: the oldest is meant. */
function byKey(store: ChildStore, states: readonly EntityState[]): ReadonlyMap<string, EntityState> {
    return new Map([...states].reverse().map(child => [store.keyOfState(child), child] as const));
}

/** Only those in the run's channel, because its users must not learn about others. */
const keysOf = (states: readonly EntityState[]): readonly string[] =>
    states.flatMap(({ key, isInChannel }) => (isInChannel ? [key] : [])).sort();

const keysIn = (store: ChildStore, states: readonly EntityState[]): readonly JsonValue[] =>
    states.map(child => JSON.parse(store.keyOfState(child)) as JsonValue);
